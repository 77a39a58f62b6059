import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseAudio } from "../../../drivers/audio/open-audio.ts";
import { SilentAudio, type Timers } from "../../../drivers/audio/silent.ts";
import { DomainError } from "../../../machines/errors.ts";
import { Ear, housePolicy } from "./hear.ts";
import { live, Radio, redirect, text } from "./radio.ts";

/** A clock that moves when told to. */
class Hands implements Timers {
  #now = 0;
  #due: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const entry = { at: this.#now + ms, run };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  move(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#due = this.#due.filter((entry) => entry !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = until;
  }
}

const options = { token: "a", startMs: 0, paused: false, volume: 50 };

describe("the silent output", () => {
  let hands: Hands;
  let audio: SilentAudio;
  let ear: Ear;

  beforeEach(() => {
    hands = new Hands();
    const durationOf = async (path: string) => {
      if (path === "/bad") throw new DomainError("invalid_input", "this is not audio that can be played");
      return 10_000;
    };
    audio = new SilentAudio({ policy: housePolicy, durationOf, timers: hands, reconnectMs: [10, 20] });
    ear = new Ear(audio);
  });
  afterEach(() => audio.close());

  const file = (path: string, more: Partial<typeof options> = {}) =>
    audio.load({ kind: "file", path }, { ...options, ...more });

  it("plays a file in true time to its real end", async () => {
    await file("/good");
    expect(await ear.on("loaded")).toEqual({
      type: "loaded",
      token: "a",
      durationMs: 10_000,
      seekable: true,
    });
    hands.move(9_999);
    expect(audio.positionMs()).toBe(9_999);
    expect(ear.heard.filter(({ type }) => type === "position")).toHaveLength(9);
    expect(ear.heard.map(({ type }) => type)).not.toContain("ended");
    hands.move(1);
    expect(ear.heard.at(-1)).toEqual({ type: "ended", token: "a" });
    hands.move(60_000);
    expect(ear.heard.at(-1)).toEqual({ type: "ended", token: "a" });
  });

  it("stands still when paused, and the end waits", async () => {
    await file("/good", { startMs: 4_000, paused: true });
    await ear.on("loaded");
    hands.move(60_000);
    expect(audio.positionMs()).toBe(4_000);
    await audio.resume();
    hands.move(1_000);
    await audio.pause();
    hands.move(60_000);
    expect(audio.positionMs()).toBe(5_000);
    await audio.resume();
    hands.move(5_000);
    expect(ear.heard.at(-1)?.type).toBe("ended");
  });

  it("seeks, also behind the end", async () => {
    await file("/good");
    await ear.on("loaded");
    await audio.seek(8_000);
    hands.move(1_000);
    expect(audio.positionMs()).toBe(9_000);
    await audio.seek(11_000);
    hands.move(0);
    expect(ear.heard.at(-1)?.type).toBe("ended");
  });

  it("fails on a file that is no audio", async () => {
    await file("/bad");
    expect(await ear.verdict("a")).toBe("this is not audio that can be played");
  });

  it("a load that was replaced is silent", async () => {
    await Promise.all([file("/bad", { token: "old" }), file("/good", { token: "new" })]);
    await ear.on("loaded", "new");
    expect(ear.heard).toHaveLength(1);
  });

  it("a stream plays once its bytes arrive, and is connected again when it drops", async () => {
    const radio: Radio = await new Radio({
      "/list.m3u": text(() => radio.url("/to-live")),
      "/to-live": redirect("/live"),
      "/live": live(Buffer.alloc(8_000, 1), { dropAfterMs: () => 50 }),
      "/metadata": redirect("http://169.254.169.254/"),
    }).open();
    try {
      await audio.load({ kind: "stream", url: radio.url("/list.m3u") }, options);
      expect(await ear.on("loaded")).toMatchObject({ durationMs: 0, seekable: false });
      await ear.on("reconnecting");
      expect(ear.heard.at(-1)).toEqual({ type: "underrun", token: "a" });
      hands.move(10);
      await ear.on("buffering", "a", 2);
      await audio.load({ kind: "stream", url: radio.url("/metadata") }, { ...options, token: "b" });
      expect(await ear.verdict("b")).toContain("link-local");
      await audio.load({ kind: "stream", url: radio.url("/none") }, { ...options, token: "c" });
      expect(await ear.verdict("c")).toContain("status 404");
    } finally {
      await audio.close();
      await radio.close();
    }
  });

  it("is what the configuration names", async () => {
    expect((await chooseAudio({ kind: "silent", policy: housePolicy })).name).toBe("silent");
    expect((await chooseAudio({ kind: "mpv", policy: housePolicy })).name).toBe("mpv");
  });
});
