import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { fetchOnce, freePort } from "../first-answer.ts";
import { jsonHttp } from "./json-http.ts";
import type { Peer, Player } from "./player.ts";

/** Ours with mpv, over REST and the state stream. */
export async function minaretPeer(folder: string, card: string): Promise<Peer> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const home = join(folder, "minaret");
  return {
    name: "Minaret",
    program: {
      command: process.execPath,
      args: [join(import.meta.dirname, "../../../main.ts"), "appliance"],
      env: {
        MINARET_HOME: home,
        MINARET_LOG: "error",
        MINARET_LIMITS: "off",
        APPLIANCE_LISTEN: origin,
        APPLIANCE_CARD: card,
        APPLIANCE_AUDIO: "mpv",
      },
    },
    ask: () => fetchOnce(`${origin}/api/playback/status`),
    connect: () => connect(origin, readFileSync(join(home, "appliance", "token"), "utf8").trim()),
  };
}

async function connect(origin: string, token: string): Promise<Player> {
  const { call, close } = jsonHttp(origin, { authorization: `Bearer ${token}` });
  const stream = new WebSocket(`${origin.replace("http", "ws")}/ws`);
  let paused: (() => void) | undefined;
  stream.on("message", (data) => {
    const { event, data: view } = JSON.parse(String(data)) as { event: string; data: { state?: string } };
    if (event !== "playback" || view.state !== "paused") return;
    paused?.();
    paused = undefined;
  });
  await new Promise((resolve) => stream.once("open", resolve));
  const post = async (command: string, body?: unknown) => {
    await call("POST", `/api/playback/${command}`, body);
  };
  return {
    status: async () => {
      const { position } = await call<{ position: number }>("GET", "/api/playback/status");
      return { positionMs: position };
    },
    play: (file) => post("play", { path: file }),
    pause: () => post("pause"),
    stop: () => post("stop"),
    oncePaused: async (listener) => {
      paused = listener;
    },
    close: () => {
      stream.terminate();
      close();
    },
  };
}
