/** The baseline: a Koa server with nothing but two JSON routes. Run as a process of its own. */
import Koa from "koa";

const status = {
  state: "stopped",
  mode: "idle",
  position: 0,
  duration: 0,
  volume: 50,
  underrun_count: 0,
  track: "",
};
const app = new Koa();
app.use(async (context) => {
  if (context.method === "POST") {
    const chunks: Buffer[] = [];
    for await (const chunk of context.req) chunks.push(chunk as Buffer);
    context.body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return;
  }
  context.body = status;
});
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  console.log(`http://127.0.0.1:${port}`);
});
