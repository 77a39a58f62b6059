import type { GuardPolicy } from "../stream-guard/address-rules.ts";
import { checkStreamUrl } from "../stream-guard/check-url.ts";
import { openGuarded } from "../stream-guard/guarded-request.ts";
import { namesPlaylist, readPlaylist } from "./playlist-file.ts";

const maxPlaylistBytes = 64 * 1024;
const maxDepth = 3;

/** The addresses to try in turn behind a playlist; the address itself where it is none. */
export async function expandPlaylist(url: string, policy: GuardPolicy, depth = 0): Promise<string[]> {
  const playlist = readPlaylist(await readSome(url, policy), url);
  if (playlist.kind !== "entries") return [url];
  if (depth === maxDepth || playlist.urls.length === 0) throw new Error("the playlist names no stream");
  const nested = await Promise.all(
    playlist.urls.map(async (entry) => {
      if (namesPlaylist(entry)) return expandPlaylist(entry, policy, depth + 1);
      const allowed = await checkStreamUrl(entry, policy).then(
        ({ href }) => href,
        () => null,
      );
      return allowed ? [allowed] : [];
    }),
  );
  const found = nested.flat();
  if (found.length === 0) throw new Error("the playlist leads only to addresses that are refused");
  return found;
}

async function readSome(url: string, policy: GuardPolicy): Promise<string> {
  const limits = { maxRedirects: 5, headTimeoutMs: 8_000, idleTimeoutMs: 2_000 };
  const reply = await openGuarded(url, policy, limits);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of reply) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      // Audio is not text: a zero byte ends the question before a slow radio has filled the limit.
      if (size > maxPlaylistBytes || (piece as Buffer).includes(0)) return "";
    }
  } catch {
    // What came before the server fell silent is enough to tell a playlist from audio.
  } finally {
    reply.destroy();
  }
  return Buffer.concat(pieces).toString("utf8");
}
