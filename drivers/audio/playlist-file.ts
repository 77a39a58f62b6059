/** What the text behind a radio's address turned out to be. */
export type PlaylistFile = { kind: "entries"; urls: string[] } | { kind: "hls" } | { kind: "none" };

const maxEntries = 20;

/** Reads m3u and pls. An HLS playlist is left to the player, which fetches its segments itself. */
export function readPlaylist(text: string, base: string): PlaylistFile {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/, 1_000)
    .map((line) => line.trim());
  if (lines.some((line) => line.startsWith("#EXT-X-"))) return { kind: "hls" };
  const isPls = lines[0]?.toLowerCase() === "[playlist]";
  const wanted = isPls
    ? lines.flatMap((line) => /^file\d+\s*=\s*(.+)$/i.exec(line)?.[1] ?? [])
    : lines.filter((line) => line !== "" && !line.startsWith("#"));
  const looksLikeOne =
    isPls || lines[0]?.startsWith("#EXTM3U") || wanted.every((line) => /^https?:\/\//i.test(line));
  if (!looksLikeOne || wanted.length === 0) return { kind: "none" };
  const urls = wanted.filter((line) => URL.canParse(line, base)).map((line) => new URL(line, base).href);
  return { kind: "entries", urls: urls.filter((url) => /^https?:/.test(url)).slice(0, maxEntries) };
}

/** Whether the address alone says that it is a playlist. */
export function namesPlaylist(url: string): boolean {
  return /\.(m3u|pls)$/i.test(new URL(url).pathname);
}
