import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import { fetchOnce, freePort } from "../first-answer.ts";
import { jsonHttp } from "./json-http.ts";
import type { Peer, Player } from "./player.ts";

/** Mopidy with its own file backend and a sink that keeps time, over JSON-RPC and its WebSocket. */
export async function mopidyPeer(folder: string, card: string): Promise<Peer> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const home = join(folder, "mopidy");
  mkdirSync(home);
  const file = join(home, "mopidy.conf");
  const folders = ["cache", "config", "data"].map((name) => `${name}_dir = ${join(home, name)}`);
  const sections = [
    `[core]\n${folders.join("\n")}`,
    "[audio]\nmixer = software\noutput = fakesink sync=true",
    "[logging]\nverbosity = -1",
    `[http]\nenabled = true\nhostname = 127.0.0.1\nport = ${port}\nzeroconf =`,
    `[file]\nenabled = true\nmedia_dirs = ${card}`,
    "[m3u]\nenabled = false",
    "[stream]\nenabled = false",
    "[softwaremixer]\nenabled = true",
  ];
  writeFileSync(file, `${sections.join("\n\n")}\n`);
  return {
    name: "Mopidy",
    program: { command: "mopidy", args: ["--config", file], env: { HOME: home, XDG_CONFIG_HOME: home } },
    ask: () => fetchOnce(`${origin}/mopidy/`),
    connect: () => connect(origin, card),
  };
}

async function connect(origin: string, card: string): Promise<Player> {
  const { call, close } = jsonHttp(origin);
  const rpc = async <T>(method: string, params: object = {}): Promise<T> => {
    const request = { jsonrpc: "2.0", id: 1, method: `core.${method}`, params };
    const reply = await call<{ result: T; error?: { message: string } }>("POST", "/mopidy/rpc", request);
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  };
  const socket = new WebSocket(`${origin.replace("http", "ws")}/mopidy/ws`);
  let paused: (() => void) | undefined;
  socket.on("message", (data) => {
    const event = JSON.parse(String(data)) as { event?: string; new_state?: string };
    if (event.event !== "playback_state_changed" || event.new_state !== "paused") return;
    paused?.();
    paused = undefined;
  });
  await new Promise((resolve) => socket.once("open", resolve));
  const listed = new Map<string, number>();
  const idOf = async (file: string): Promise<number> => {
    const known = listed.get(file);
    if (known !== undefined) return known;
    const uris = [pathToFileURL(join(card, file)).href];
    const [track] = await rpc<{ tlid: number }[]>("tracklist.add", { uris });
    if (!track) throw new Error(`Mopidy does not take ${file}`);
    listed.set(file, track.tlid);
    return track.tlid;
  };
  return {
    status: async () => ({ positionMs: await rpc<number>("playback.get_time_position") }),
    play: async (file) => rpc("playback.play", { tlid: await idOf(file) }),
    pause: () => rpc("playback.pause"),
    stop: () => rpc("playback.stop"),
    oncePaused: async (listener) => {
      paused = listener;
    },
    close: () => {
      socket.terminate();
      close();
    },
  };
}
