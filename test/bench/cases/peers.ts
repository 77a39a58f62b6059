import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Running, startOnce, startProgram } from "../first-answer.ts";
import { inFolder } from "../load.ts";
import { type Goal, median, percentile, type Row, row, skipped, timed } from "../measure.ts";
import { minaretPeer } from "../peers/minaret.ts";
import { mopidyPeer } from "../peers/mopidy.ts";
import { mpdPeer } from "../peers/mpd.ts";
import type { Peer, Player } from "../peers/player.ts";

const plays = 100;
const files = ["Reciter/001.mp3", "Reciter/002.mp3", "Reciter/003.mp3"];

interface Figures {
  startMs: number[];
  residentMb: number[];
  statusMs: number[];
  acknowledgedMs: number[];
  soundMs: number[];
  pushedMs: number[];
}

/** Two players that people hold up as good, with the same files and the same client beside ours. */
export async function measure(): Promise<Row[]> {
  const missing = ["mpv", "ffmpeg"].filter((name) => !isInstalled(name));
  if (missing.length > 0) return [skipped("players", `${missing.join(" and ")} not installed`)];
  return inFolder(async (folder) => {
    const card = join(folder, "card");
    mkdirSync(join(card, "Reciter"), { recursive: true });
    for (const file of files) makeTone(join(card, file));
    const ours = await minaretPeer(folder, card);
    const others = [
      { command: "mopidy", peer: mopidyPeer, goals: { ack: 0.8, sound: 0.7, push: 0.2 } },
      { command: "mpd", peer: mpdPeer, goals: null },
    ];
    const present = others.filter(({ command }) => isInstalled(command));
    const rivals = await Promise.all(present.map(({ peer }) => peer(folder, card)));
    const [mine, ...theirs] = await figuresOf([ours, ...rivals]);
    return [
      ...theirs.flatMap((figures, n) => rowsOf(rivals[n]!.name, mine!, figures, present[n]!.goals)),
      ...others
        .filter((other) => !present.includes(other))
        .map(({ command }) => skipped(command, "not installed")),
    ];
  });
}

async function figuresOf(peers: readonly Peer[]): Promise<Figures[]> {
  const all = peers.map(
    (): Figures => ({
      startMs: [],
      residentMb: [],
      statusMs: [],
      acknowledgedMs: [],
      soundMs: [],
      pushedMs: [],
    }),
  );
  for (const peer of peers) await startOnce(peer);
  for (let round = 0; round < 3; round++) {
    for (const [n, peer] of peers.entries()) {
      const { ms, mb } = await startOnce(peer);
      all[n]!.startMs.push(ms);
      all[n]!.residentMb.push(mb);
    }
  }
  const running: Running[] = [];
  try {
    for (const peer of peers) running.push(await startProgram(peer));
    const players = await Promise.all(peers.map((peer) => peer.connect()));
    for (const player of players) await playOnce(player, files[0]!);
    for (let round = 0; round < plays; round++) {
      for (const [n, player] of players.entries()) {
        const { acknowledged, sound, pushed } = await playOnce(player, files[round % files.length]!);
        all[n]!.acknowledgedMs.push(acknowledged);
        all[n]!.soundMs.push(sound);
        all[n]!.pushedMs.push(pushed);
        for (let k = 0; k < 50; k++) all[n]!.statusMs.push(await timed(() => player.status()));
      }
    }
    for (const player of players) player.close();
  } finally {
    for (const program of running) await program.stop();
  }
  return all;
}

/** From a stopped player: its reply, the first position beyond 0, and the push of a pause to another connection. */
async function playOnce(player: Player, file: string) {
  const began = performance.now();
  await player.play(file);
  const acknowledged = performance.now() - began;
  while ((await player.status()).positionMs <= 0);
  const sound = performance.now() - began;
  const heard = Promise.withResolvers<number>();
  await player.oncePaused(() => heard.resolve(performance.now()));
  const asked = performance.now();
  await player.pause();
  const pushed = (await heard.promise) - asked;
  await player.stop();
  return { acknowledged, sound, pushed };
}

function rowsOf(
  name: string,
  ours: Figures,
  theirs: Figures,
  goals: { ack: number; sound: number; push: number } | null,
): Row[] {
  const atMost = (limit: number | undefined): Goal => (limit === undefined ? null : { atMost: limit });
  const p = (percent: number) => (values: number[]) => percentile(values, percent);
  const rate = (values: number[]) => 1_000 / (values.reduce((sum, ms) => sum + ms, 0) / values.length);
  const line = (
    what: string,
    how: string,
    unit: string,
    key: keyof Figures,
    of: (values: number[]) => number,
    goal: Goal = null,
  ) => row(`${what} / ${name}`, how, unit, { ours: of(ours[key]), baseline: of(theirs[key]) }, goal);
  const one = "1 connection kept, one call at a time";
  return [
    line("status", one, "calls/s", "statusMs", rate),
    line("status p50", one, "ms", "statusMs", median),
    line("status p99", one, "ms", "statusMs", p(99)),
    line(
      "play acknowledged p50",
      `${plays} plays of three mp3 files in turn`,
      "ms",
      "acknowledgedMs",
      median,
      atMost(goals?.ack),
    ),
    line(
      "play to position > 0 p50",
      "the same, status asked without a pause",
      "ms",
      "soundMs",
      median,
      atMost(goals?.sound),
    ),
    line("pause pushed p50", "to a second connection, from the request on", "ms", "pushedMs", median),
    line("pause pushed p99", "the same", "ms", "pushedMs", p(99), atMost(goals?.push)),
    line("start to first answer", "3 starts each", "ms", "startMs", median),
    line("resident", "idle, all its processes, mpv too", "MB", "residentMb", median),
  ];
}

function makeTone(file: string): void {
  const tone = "sine=frequency=220:sample_rate=44100:duration=60";
  const args = ["-v", "error", "-y", "-f", "lavfi", "-i", tone, "-ac", "2", "-b:a", "128k", file];
  if (spawnSync("ffmpeg", args).status !== 0) throw new Error("ffmpeg could not make a tone");
}

function isInstalled(command: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
}
