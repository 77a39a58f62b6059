/** The baseline: a Koa server that answers a GET with one fixed object and a POST with its own JSON. */
import { readFileSync } from "node:fs";
import Koa from "koa";

const status = {
  state: "stopped",
  mode: "idle",
  position: 0,
  position_at: "2026-01-01T00:00:00.000Z",
  duration: 0,
  volume: 50,
  underrun_count: 0,
  track: "",
  reciter: "",
  surah_number: 0,
  advance_mode: "off",
  hasResumeState: false,
};
const [port = "0", file] = process.argv.slice(2);
const shown: unknown = file ? JSON.parse(readFileSync(file, "utf8")) : status;
const app = new Koa();
app.use(async (context) => {
  if (context.method === "POST") {
    const chunks: Buffer[] = [];
    for await (const chunk of context.req) chunks.push(chunk as Buffer);
    context.body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return;
  }
  context.body = shown;
});
const server = app.listen(Number(port), "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  console.log(`http://127.0.0.1:${port}`);
});
