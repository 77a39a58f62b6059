/** An appliance that really plays: gateway, library, playback and a player, with a card of the test's own. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WebSocket } from "ws";
import { startAudio } from "../../actors/appliance/audio.ts";
import { AudioPort } from "../../actors/appliance/audio-port.ts";
import { startFavorites } from "../../actors/appliance/favorites.ts";
import { startLibrary } from "../../actors/appliance/library.ts";
import { startPlayback } from "../../actors/appliance/playback.ts";
import { startSettings } from "../../actors/appliance/settings.ts";
import type { AudioDriver } from "../../drivers/audio/audio.ts";
import { MpvAudio } from "../../drivers/audio/mpv.ts";
import { SilentAudio } from "../../drivers/audio/silent.ts";
import { readDurationMs } from "../../drivers/library/read-tags.ts";
import { checkStreamUrl } from "../../drivers/stream-guard/check-url.ts";
import type { PlaybackNotice } from "../../machines/appliance/playback-events.ts";
import type { PlaybackView } from "../../machines/appliance/playback-view.ts";
import { housePolicy } from "../drivers/audio/hear.ts";
import { startAppliance } from "../gateway/appliance/appliance.ts";

export interface StreamEvent {
  event: string;
  data: Record<string, unknown>;
  seq: number;
  cause?: string;
}

/** Files of the card, by path: a file to copy, or bytes. */
export type CardFiles = Record<string, string | Buffer>;

/** mpv with a second socket and a log, so that a test can ask it for the truth. */
function mpvIn(home: string): { program: string; socket: string; log: string } {
  const paths = { program: join(home, "mpv"), socket: join(home, "mpv.sock"), log: join(home, "mpv.log") };
  const script = `#!/bin/sh\nexec mpv "$@" --input-ipc-server=${paths.socket} --log-file=${paths.log}\n`;
  writeFileSync(paths.program, script, { mode: 0o755 });
  return paths;
}

export async function startPlaying(audio: "mpv" | "silent", files: CardFiles) {
  const home = mkdtempSync(join(tmpdir(), "minaret-playing-"));
  const card = join(home, "card");
  mkdirSync(card);
  const putFile = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(card, path)), { recursive: true });
    if (typeof content === "string") copyFileSync(content, join(card, path));
    else writeFileSync(join(card, path), content);
  };
  for (const [path, content] of Object.entries(files)) putFile(path, content);
  const mpv = mpvIn(home);
  const port = new AudioPort();
  const notices: PlaybackNotice[] = [];
  let driver: AudioDriver | undefined;
  const choose = async () => {
    driver =
      audio === "mpv"
        ? new MpvAudio({
            policy: housePolicy,
            ao: "null",
            program: mpv.program,
            reconnectMs: [100, 200, 400],
          })
        : new SilentAudio({ policy: housePolicy, durationOf: readDurationMs });
    return driver;
  };
  const checkUrl = async (url: string) => (await checkStreamUrl(url, housePolicy)).href;
  const now = () => Date.now();
  const permanent = { restart: "permanent" } as const;
  const appliance = await startAppliance({
    children: (store) => [
      { id: "settings", start: startSettings(store), ...permanent },
      { id: "library", start: startLibrary({ card, store, demo: false }), ...permanent },
      { id: "favorites", start: startFavorites({ store, checkUrl, now }), ...permanent },
      { id: "audio", start: startAudio({ port, choose }), ...permanent, backoff: { maxMs: 200 } },
      {
        id: "playback",
        start: startPlayback({ port, store, card, checkUrl, now, notify: (notice) => notices.push(notice) }),
        ...permanent,
        essential: true,
      },
    ],
  });
  const headers = { authorization: `Bearer ${appliance.token.value}`, "content-type": "application/json" };
  const call = async (path: string, body?: unknown, more: Record<string, string> = {}) => {
    const reply = await fetch(`${appliance.url}/api${path}`, {
      method: "POST",
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as PlaybackView & { error?: string } };
  };
  const get = async <T = PlaybackView>(path: string): Promise<T> =>
    (await (await fetch(`${appliance.url}/api${path}`)).json()) as T;
  const client = appliance.tree.client<never, PlaybackView>("appliance/playback");
  /** Waits for a view, which may be there already. */
  const until = (wanted: (view: PlaybackView) => boolean): Promise<PlaybackView> => {
    const { promise, resolve } = Promise.withResolvers<PlaybackView>();
    const look = (view: PlaybackView) => {
      if (wanted(view)) resolve(view);
    };
    const stop = client.watch(look);
    look(client.view());
    return promise.finally(stop);
  };
  return {
    ...appliance,
    card,
    notices,
    putFile,
    call,
    get,
    until,
    status: () => get("/playback/status"),
    pid: () => (driver as MpvAudio).pid,
    /** A listener of the state stream, after its greeting. */
    listen: () => listenTo(appliance.url.replace("http", "ws")),
    /** What mpv itself answers, over a socket of the test's own. */
    askMpv: (property: string) => askMpv(mpv.socket, property),
    /** What mpv itself noted, with its own clock: seconds and words. */
    mpvLog: () =>
      readFileSync(mpv.log, "utf8")
        .split("\n")
        .flatMap((line) => {
          const found = /^\[ *([\d.]+)\]\[.\]\[cplayer\] (.*)$/.exec(line);
          return found ? [{ ms: Number(found[1]) * 1_000, text: found[2] ?? "" }] : [];
        }),
    stop: async () => {
      await appliance.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export type PlayingAppliance = Awaited<ReturnType<typeof startPlaying>>;

export async function listenTo(origin: string) {
  const socket = new WebSocket(`${origin}/api/ws`);
  const heard: StreamEvent[] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (data) => {
    heard.push(JSON.parse(String(data)) as StreamEvent);
    for (const check of [...waiting]) check();
  });
  /** The first event that fits, heard already or later. */
  const until = (wanted: (event: StreamEvent) => boolean): Promise<StreamEvent> => {
    const { promise, resolve } = Promise.withResolvers<StreamEvent>();
    const check = () => {
      const found = heard.find(wanted);
      if (found === undefined) return;
      waiting.delete(check);
      resolve(found);
    };
    waiting.add(check);
    check();
    return promise;
  };
  await until(({ event }) => event === "hello");
  return { heard, until, close: () => socket.close() };
}

function askMpv(path: string, property: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const socket = connect(path);
  let text = "";
  socket.on("error", reject);
  socket.on("data", (chunk) => {
    text += String(chunk);
    for (const line of text.split("\n").slice(0, -1)) {
      const reply = JSON.parse(line) as { request_id?: number; data?: unknown };
      if (reply.request_id === 7) resolve(reply.data);
    }
  });
  socket.write(`${JSON.stringify({ command: ["get_property", property], request_id: 7 })}\n`);
  return promise.finally(() => socket.destroy());
}
