const known = new Map([
  ["unrecognized file format", "this is not audio that can be played"],
  ["no audio or video data played", "it holds no audio"],
  ["loading failed", "the source cannot be opened"],
  ["audio output initialization failed", "the audio output cannot be opened"],
]);

/** What went wrong, for a person, from what mpv reports at the end of a file and what it logged before. */
export function failureReason(fileError: string | undefined, logged: readonly string[]): string {
  const all = logged.join(" ");
  if (/HTTP error 403|403 Forbidden/i.test(all)) return "the address is refused, or the server forbids it";
  const http = /HTTP error (\d{3})/i.exec(all)?.[1];
  if (http === "502") return "the server cannot be reached";
  if (http === "504" || /timed out/i.test(all)) return "the server does not answer";
  if (http) return `the server answered with status ${http}`;
  if (/No such file/i.test(all)) return "the file does not exist";
  if (/Permission denied/i.test(all)) return "the file may not be read";
  if (/Input\/output error/i.test(all) && fileError === "loading failed") return "the source cannot be read";
  return known.get(fileError ?? "") ?? fileError ?? "it ended before any audio came";
}
