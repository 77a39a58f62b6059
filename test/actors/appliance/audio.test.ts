import { afterEach, describe, expect, it } from "vitest";
import { startAudio } from "../../../actors/appliance/audio.ts";
import { AudioPort, type PortEvent } from "../../../actors/appliance/audio-port.ts";
import { type RunningTree, startTree } from "../../../actors/tree.ts";
import type { AudioDriver, AudioEvent } from "../../../drivers/audio/audio.ts";
import { MpvAudio } from "../../../drivers/audio/mpv.ts";
import { SilentAudio } from "../../../drivers/audio/silent.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { housePolicy } from "../../drivers/audio/hear.ts";
import { describeWith } from "../../real-part.ts";

let tree: RunningTree | undefined;

async function start(choose: () => Promise<AudioDriver>) {
  const port = new AudioPort();
  const heard: PortEvent[] = [];
  let wake = () => {};
  port.listen((event) => {
    heard.push(event);
    wake();
  });
  const audio = { id: "audio", start: startAudio({ port, choose }), restart: "permanent" } as const;
  tree = await startTree(
    { id: "root", strategy: "one_for_one", children: [audio] },
    { log: openLog("silent") },
  );
  const until = async (wanted: () => boolean) => {
    while (!wanted())
      await new Promise<void>((done) => {
        wake = done;
      });
  };
  return { port, heard, until };
}

/** A driver that dies on demand, and remembers whether it was closed. */
class Mortal extends SilentAudio {
  readonly #mourners = new Set<(event: AudioEvent) => void>();
  closed = 0;

  constructor() {
    super({ policy: housePolicy, durationOf: async () => 1_000 });
  }

  override listen(listener: (event: AudioEvent) => void): () => void {
    this.#mourners.add(listener);
    return super.listen(listener);
  }

  override async close(): Promise<void> {
    this.closed++;
    await super.close();
  }

  die(): void {
    for (const mourner of this.#mourners) mourner({ type: "died", reason: "pulled the plug" });
  }
}

describe("the audio child", () => {
  afterEach(() => tree?.drain());

  it("lends its driver to the port, and a new one when that dies; the old one is closed first", async () => {
    const made: Mortal[] = [];
    const { port, heard, until } = await start(async () => {
      for (const earlier of made) expect(earlier.closed).toBeGreaterThan(0);
      const driver = new Mortal();
      made.push(driver);
      return driver;
    });
    expect(port.up).toBe(true);
    made[0]!.die();
    await until(() => heard.filter(({ type }) => type === "up").length === 2);
    expect(heard).toEqual([{ type: "up" }, { type: "down", reason: "pulled the plug" }, { type: "up" }]);
    expect(made).toHaveLength(2);
  });

  it("takes the driver away and closes it when it is stopped", async () => {
    const driver = new Mortal();
    const { port } = await start(async () => driver);
    await tree?.drain();
    expect(port.up).toBe(false);
    expect(driver.closed).toBeGreaterThan(0);
  });
});

describeWith(["mpv"], "the audio child with mpv", () => {
  afterEach(() => tree?.drain());

  it("opens a new mpv when one is killed", async () => {
    const made: MpvAudio[] = [];
    const { heard, until } = await start(async () => {
      const driver = new MpvAudio({ policy: housePolicy, ao: "null" });
      made.push(driver);
      return driver;
    });
    process.kill(made[0]!.pid!, "SIGKILL");
    await until(() => heard.filter(({ type }) => type === "up").length === 2);
    expect(made[1]?.pid).not.toBe(made[0]?.pid);
  });
});
