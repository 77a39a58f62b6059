/** A pcscd of the test's own with virtual readers, and cards that are laid on them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";

const driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so";

export interface Pcscd {
  /** The port of a reader: the virtual driver has two. */
  port(slot?: 0 | 1): number;
  stop(): Promise<void>;
}

/** Where this process's PC/SC library looks for its service, from now on. */
const folder = mkdtempSync(join(tmpdir(), "minaret-pcscd-"));
const address = join(folder, "service");
process.env.PCSCLITE_CSOCK_NAME = address;

export const removePcscdFolder = () => rmSync(folder, { recursive: true, force: true });

export async function startPcscd(): Promise<Pcscd> {
  const base = await twoFreePorts();
  const hex = `0x${base.toString(16).toUpperCase()}`;
  writeFileSync(
    join(folder, "vpcd"),
    `FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:${hex}\nLIBPATH ${driver}\nCHANNELID ${hex}\n`,
  );
  // pcscd knows one socket of the whole machine, or one that it is handed as systemd would.
  const service = createServer();
  service.listen(`${address}.new`);
  await once(service, "listening");
  const { fd } = (service as Server & { _handle: { fd: number } })._handle;
  const child = spawn("sh", ["-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec pcscd -f -i -c ${folder}`], {
    stdio: ["ignore", "pipe", "inherit", fd],
  });
  const ended = once(child, "exit");
  const heard: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      heard.push(line);
      if (line.includes("daemon ready")) resolve();
    });
    void ended.then(() => reject(new Error(heard.join("\n"))));
  });
  // Closing removes the name that was listened on, and nobody may reach this process meanwhile.
  renameSync(`${address}.new`, address);
  service.close();
  return {
    port: (slot = 0) => base + slot,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Below the range that the kernel gives to connections, so that none takes them between the look and the start. */
async function twoFreePorts(): Promise<number> {
  for (;;) {
    const base = 20_000 + 2 * Math.floor(Math.random() * 6_000);
    if ((await isFree(base)) && (await isFree(base + 1))) return base;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** A card on a virtual reader, until it is taken away. `uid` null: one that has none. */
export class VirtualCard {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /** In a thread of its own: the library waits for pcscd on the main loop, and pcscd for the card. */
  static async lay(port: number, uid: string | null): Promise<VirtualCard> {
    const thread = new Worker(new URL("./card-thread.ts", import.meta.url), { workerData: { port, uid } });
    await once(thread, "message");
    return new VirtualCard(thread);
  }

  async remove(): Promise<void> {
    await this.#thread.terminate();
  }
}
