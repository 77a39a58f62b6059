import { mkdirSync, writeFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { freePort } from "../first-answer.ts";
import type { Peer, Player } from "./player.ts";

/** MPD with its null output, over its own protocol; a second connection idles for what it pushes. */
export async function mpdPeer(folder: string, card: string): Promise<Peer> {
  const port = await freePort();
  const home = join(folder, "mpd");
  mkdirSync(home);
  const file = join(home, "mpd.conf");
  const lines = [
    `music_directory "${card}"`,
    `db_file "${join(home, "database")}"`,
    `bind_to_address "127.0.0.1"`,
    `port "${port}"`,
    `log_file "${join(home, "log")}"`,
    `audio_output {\n  type "null"\n  name "null"\n}`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return {
    name: "MPD",
    program: { command: "mpd", args: ["--no-daemon", file], env: { HOME: home } },
    ask: async () => {
      const talk = await converse(port);
      await talk.say("status");
      talk.close();
    },
    connect: () => connect(port),
  };
}

/** One connection: a command at a time, its reply as text. */
async function converse(port: number) {
  const socket = connectSocket(port, "127.0.0.1").setNoDelay(true);
  let text = "";
  let heard: ((reply: string) => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  socket.setEncoding("utf8");
  socket.on("error", (error) => failed?.(error));
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (!/^(OK|ACK)[^\n]*\n$/m.test(text)) return;
    const reply = text;
    text = "";
    heard?.(reply);
  });
  const next = () =>
    new Promise<string>((resolve, reject) => {
      heard = resolve;
      failed = reject;
    });
  const say = async (command: string): Promise<string> => {
    const reply = next();
    socket.write(`${command}\n`);
    const said = await reply;
    if (said.startsWith("ACK")) throw new Error(said.trim());
    return said;
  };
  await next();
  return { say, close: () => socket.destroy() };
}

async function connect(port: number): Promise<Player> {
  const [talk, ear] = [await converse(port), await converse(port)];
  const listed = new Map<string, string>();
  await talk.say("update");
  while ((await talk.say("status")).includes("updating_db"))
    await new Promise((done) => setTimeout(done, 20));
  const idOf = async (file: string): Promise<string> => {
    const id = listed.get(file) ?? /Id: (\d+)/.exec(await talk.say(`addid "${file}"`))?.[1] ?? "";
    listed.set(file, id);
    return id;
  };
  return {
    status: async () => {
      const elapsed = /elapsed: ([\d.]+)/.exec(await talk.say("status"))?.[1];
      return { positionMs: Number(elapsed ?? 0) * 1_000 };
    },
    play: async (file) => {
      await talk.say(`playid ${await idOf(file)}`);
    },
    pause: async () => {
      await talk.say("pause 1");
    },
    stop: async () => {
      await talk.say("stop");
    },
    oncePaused: async (listener) => {
      // What changed since the last time is told at once, so it is drained first.
      await ear.say("idle player\nnoidle");
      void ear.say("idle player").then(listener, () => {});
    },
    close: () => {
      talk.close();
      ear.close();
    },
  };
}
