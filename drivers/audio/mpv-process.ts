import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import type { Socket } from "node:net";

/** One line of mpv's JSON IPC that is not a reply. */
export interface MpvMessage {
  event: string;
  name?: string;
  data?: unknown;
  reason?: string;
  file_error?: string;
  playlist_entry_id?: number;
  prefix?: string;
  text?: string;
}

export interface MpvProcessOptions {
  program: string;
  /** mpv's audio output; chosen by what the machine has when left out. */
  ao?: string;
  /** The forward proxy with its secret; goes by the environment, which other users cannot read. */
  proxyUrl: string;
  onMessage(message: MpvMessage): void;
  /** Once, when the process or its socket is gone without `close`. */
  onDied(reason: string): void;
}

interface Waiting {
  resolve(data: unknown): void;
  reject(error: Error): void;
}

const commandLimitMs = 5_000;
// The protocols that lavf may open by itself; each of them leaves through the proxy or opens nothing.
const protocols = "http,https,httpproxy,tcp,tls,crypto,data";

const flags = [
  "--no-config",
  "--idle=yes",
  "--no-video",
  "--no-terminal",
  "--ytdl=no",
  "--load-scripts=no",
  "--osc=no",
  "--input-default-bindings=no",
  "--demuxer-max-bytes=4MiB",
  "--demuxer-max-back-bytes=1MiB",
  // With gapless audio the end is reported 445 ms early, which a hifz gap would swallow.
  "--gapless-audio=no",
  // mpv's own playlist and EDL readers open any protocol past the proxy; playlists are read by us instead.
  "--demuxer=lavf",
  "--autoload-files=no",
  "--audio-display=no",
  "--audio-fallback-to-null=yes",
  "--network-timeout=10",
  `--stream-lavf-o=protocol_whitelist=[${protocols}],reconnect=1,reconnect_streamed=1,reconnect_delay_max=2`,
  `--demuxer-lavf-o=protocol_whitelist=[${protocols}]`,
  // A client on an inherited socket: no path to race for, and mpv quits when it closes, even by kill -9.
  "--input-ipc-client=fd://3",
];

// What a sound server needs to be found; the secrets among our variables stay here.
const passedOn =
  /^(PATH|HOME|LANG|LC_.*|XDG_RUNTIME_DIR|PULSE_.*|PIPEWIRE_.*|ALSA_.*|DBUS_SESSION_BUS_ADDRESS)$/;

/** An mpv of our own with its socket: commands in, replies and events out. */
export class MpvProcess {
  readonly #options: MpvProcessOptions;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | null = null;
  #socket: Socket | null = null;
  #lastId = 0;
  #rest = "";
  #over = false;

  constructor(options: MpvProcessOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async open(): Promise<void> {
    const { program, ao = defaultOutput(), proxyUrl } = this.#options;
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
    // The environment reaches also what lavf opens by itself, where the option --http-proxy does not.
    const child = spawn(program, [...flags, ...(ao ? [`--ao=${ao}`] : [])], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: { ...env, http_proxy: proxyUrl },
    });
    this.#child = child;
    child.once("error", (error) => this.#end(`mpv cannot be started: ${error.message}`));
    child.once("exit", (code, signal) => this.#end(`mpv ended (${signal ?? `code ${code}`})`));
    const socket = child.stdio[3] as Socket;
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#end("mpv closed its socket"));
    await this.command("get_property", "mpv-version");
  }

  async close(): Promise<void> {
    this.#end(null);
    const child = this.#child;
    if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((done) => child.once("exit", done));
  }

  command(...command: unknown[]): Promise<unknown> {
    if (this.#over || !this.#socket) return Promise.reject(new Error("mpv is not running"));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    const late = setTimeout(() => this.#end(`mpv did not answer ${String(command[0])}`), commandLimitMs);
    this.#waiting.set(id, {
      resolve: (data) => {
        clearTimeout(late);
        resolve(data);
      },
      reject: (error) => {
        clearTimeout(late);
        reject(error);
      },
    });
    this.#socket.write(`${JSON.stringify({ command, request_id: id })}\n`);
    return promise;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(JSON.parse(line));
  }

  #take(message: MpvMessage & { request_id?: number; error?: string }): void {
    if (message.event !== undefined) {
      this.#options.onMessage(message);
      return;
    }
    const waiting = this.#waiting.get(message.request_id ?? 0);
    this.#waiting.delete(message.request_id ?? 0);
    if (message.error === "success") waiting?.resolve(message.data);
    else waiting?.reject(new Error(`mpv refused: ${message.error}`));
  }

  /** Ends everything for good; SIGKILL, since a player that hangs in a driver does not take a polite word. */
  #end(died: string | null): void {
    if (this.#over) return;
    this.#over = true;
    for (const { reject } of this.#waiting.values()) reject(new Error(died ?? "mpv was closed"));
    this.#waiting.clear();
    this.#socket?.destroy();
    this.#child?.kill("SIGKILL");
    if (died) this.#options.onDied(died);
  }
}

/** The null output where the machine has neither a sound card nor a sound server: mpv would probe at each file. */
function defaultOutput(): string | undefined {
  const runtime = process.env.XDG_RUNTIME_DIR ?? "";
  const card = existsSync("/dev/snd") && readdirSync("/dev/snd").some((name) => /^pcm.*p$/.test(name));
  const served =
    runtime !== "" && ["pulse/native", "pipewire-0"].some((name) => existsSync(`${runtime}/${name}`));
  return card || served || process.env.PULSE_SERVER ? undefined : "null";
}
