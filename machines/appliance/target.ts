/** What a schedule or a card asks for; both bind to the same things. */
export type Target =
  | { type: "surah"; reciter: string; surah: number }
  | { type: "file"; path: string }
  | { type: "stream"; url: string; name?: string | undefined }
  | { type: "favorite"; id: string }
  | { type: "station"; id: string }
  | { type: "resume" }
  | { type: "stop" };
