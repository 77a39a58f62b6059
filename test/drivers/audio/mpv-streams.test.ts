import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { MpvAudio } from "../../../drivers/audio/mpv.ts";
import type { GuardPolicy } from "../../../drivers/stream-guard/address-rules.ts";
import { describeWith } from "../../real-part.ts";
import { Ear, housePolicy } from "./hear.ts";
import { media, streamBytes } from "./media.ts";
import { live, type Page, Radio, ranged, redirect, text } from "./radio.ts";

const options = { startMs: 0, paused: false, volume: 40 };

describeWith(["mpv", "ffmpeg", "openssl"], "mpv plays streams, through the guard", () => {
  let folder: string;
  let radio: Radio;
  let secure: Radio;
  /** Its port stands for the appliance's own. */
  let own: Radio;
  let audio: MpvAudio;
  let ear: Ear;
  const pages: Record<string, Page> = {};
  /** What the name server says of `rebind.test`, answer by answer. */
  let answers: string[] = [];
  let drops: number[] = [];

  const policy: GuardPolicy = {
    ...housePolicy,
    ownPorts: () => [own.port],
    resolve: async (host) => {
      if (host !== "rebind.test") throw new Error("ENOTFOUND");
      return [{ address: (answers.length > 1 ? answers.shift() : answers[0]) ?? "127.0.0.1", family: 4 }];
    },
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "minaret-streams-"));
    const bytes = streamBytes();
    const hls = join(folder, "hls.m3u8");
    const wav = media("wav", 6, "-c:a", "pcm_s16le");
    execFileSync("ffmpeg", [
      "-v",
      "error",
      "-i",
      wav,
      "-c:a",
      "aac",
      "-f",
      "hls",
      "-hls_time",
      "2",
      "-hls_list_size",
      "0",
      hls,
    ]);
    for (const name of readdirSync(folder))
      pages[`/${name}`] = ranged(
        readFileSync(join(folder, name)),
        name.endsWith("8") ? "application/x-mpegurl" : "video/mp2t",
      );
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", cert];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject], {
      stdio: "ignore",
    });
    own = await new Radio({ "/live": live(bytes) }).open();
    radio = await new Radio(pages).open();
    secure = await new Radio(pages, {
      key: readFileSync(key, "utf8"),
      cert: readFileSync(cert, "utf8"),
    }).open();
    Object.assign(pages, {
      "/live": live(bytes),
      "/drops": live(bytes, { dropAfterMs: () => drops.shift() }),
      "/file.mp3": ranged(bytes),
      "/stalls": (_, response) => void response.writeHead(200, { "content-type": "audio/mpeg" }).write("I"),
      "/rubbish": text("<html>no radio here</html>", "audio/mpeg"),
      "/to-live": redirect("/live"),
      "/to-metadata": redirect("http://169.254.169.254/latest"),
      "/to-own": redirect(() => own.url("/live")),
      "/to-rebind": redirect(() => radio.url("/live", "rebind.test")),
      "/round": redirect("/round"),
      "/list.m3u": text(() => `#EXTM3U\n#EXTINF:-1,One\n${radio.url("/404")}\n${radio.url("/live")}\n`),
      "/unnamed-list": text(() => `#EXTM3U\n${radio.url("/live")}\n`),
      "/list.pls": text(
        () => `[playlist]\nNumberOfEntries=1\nFile1=${radio.url("/live")}\n`,
        "audio/x-scpls",
      ),
      "/nested.m3u": text(() => `${radio.url("/list.pls")}\n`),
      "/loop.m3u": text(() => `${radio.url("/loop.m3u")}\n`),
      "/evil.m3u": text(
        () =>
          `#EXTM3U\nhttp://169.254.169.254/\n${own.url("/live")}\n/etc/hostname\ntcp://127.0.0.1:${own.port}\n`,
      ),
      "/evil.m3u8": text(() => hlsOf(own.url("/segment.ts"))),
      "/evil-local.m3u8": text(() => hlsOf("file:///etc/hostname")),
      "/evil-tcp.m3u8": text(() => hlsOf(`tcp://127.0.0.1:${own.port}`)),
    } satisfies Record<string, Page>);
  });
  afterAll(async () => {
    await Promise.all([radio.close(), secure.close(), own.close()]);
    rmSync(folder, { recursive: true });
  });

  beforeEach(async () => {
    answers = ["127.0.0.1"];
    own.asked.length = 0;
    audio = new MpvAudio({ policy, ao: "null", reconnectMs: [50, 50, 50] });
    ear = new Ear(audio);
    await audio.open();
  });
  afterEach(() => audio.close());

  const play = (url: string, more: Partial<typeof options> = {}) =>
    audio.load({ kind: "stream", url }, { ...options, ...more, token: "a" });

  it.each(["/live", "/to-live", "/list.m3u", "/unnamed-list", "/list.pls", "/nested.m3u"])(
    "%s plays as a live stream without a length",
    async (path) => {
      await play(radio.url(path));
      expect(await ear.on("loaded", "a")).toMatchObject({ durationMs: 0, seekable: false });
      await expect.poll(() => audio.positionMs()).toBeGreaterThan(0);
    },
  );

  it("tells the name that the radio gives itself", async () => {
    await play(radio.url("/live"));
    expect((await ear.on("metadata", "a")).title).toBe("Test radio");
  });

  it.each(["http", "https"])("HLS over %s plays, and can be sought in", async (scheme) => {
    await play((scheme === "http" ? radio : secure).url("/hls.m3u8"));
    const { durationMs, seekable } = await ear.on("loaded", "a");
    expect(seekable).toBe(true);
    expect(durationMs).toBeGreaterThan(5_000);
    await audio.seek(4_100);
    await ear.on("ended", "a");
  });

  it("a file on a server with ranges begins in the middle", async () => {
    await play(radio.url("/file.mp3"), { startMs: 9_000 });
    expect((await ear.on("loaded", "a")).durationMs).toBeGreaterThan(19_000);
    expect(Math.abs(audio.positionMs() - 9_000)).toBeLessThan(200);
  });

  it("a name is resolved and pinned by the proxy", async () => {
    await play(radio.url("/live", "rebind.test"));
    expect(await ear.verdict("a")).toBe("loaded");
  });

  it("a name that changed its address after the check is refused", async () => {
    answers = ["169.254.169.254"];
    await play(radio.url("/live", "rebind.test"));
    expect(await ear.verdict("a")).toMatch(/refused/);
  });

  it.each(["/to-metadata", "/to-own", "/to-rebind"])("a redirect %s is refused", async (path) => {
    answers = ["0.0.0.0"];
    await play(radio.url(path));
    expect(await ear.verdict("a")).toMatch(/refused/);
    expect(own.asked).toEqual([]);
  });

  it.each([
    "/evil.m3u",
    "/loop.m3u",
    "/evil.m3u8",
    "/evil-local.m3u8",
    "/evil-tcp.m3u8",
    "/round",
    "/rubbish",
  ])("%s does not play, and nothing reaches the appliance itself", async (path) => {
    await play(radio.url(path));
    expect(await ear.verdict("a")).not.toBe("loaded");
    expect(own.asked).toEqual([]);
  });

  it.each([
    ["/404", "status 404"],
    ["/nothing", "status 404"],
  ])("%s fails with the server's status", async (path, reason) => {
    await play(radio.url(path));
    expect(await ear.verdict("a")).toContain(reason);
  });

  it("a server that is not there cannot be reached", async () => {
    await play("http://127.0.0.1:1/");
    expect(await ear.verdict("a")).toBe("the server cannot be reached");
  });

  it("a dropped radio is connected again, says so, and goes on under the same token", async () => {
    drops = [1_200];
    const before = radio.asked.length;
    await play(radio.url("/drops"));
    await ear.on("reconnecting", "a");
    await expect.poll(() => radio.asked.length, { timeout: 10_000 }).toBeGreaterThan(before + 1);
    const { length } = ear.heard.filter(({ type }) => type === "position");
    await ear.on("position", "a", length + 2);
    expect(ear.heard.filter(({ type }) => type === "failed" || type === "ended")).toEqual([]);
  });

  it("a radio that is lost for good fails after the last try", async () => {
    const mortal = await new Radio({ "/live": live(streamBytes()) }).open();
    await play(mortal.url("/live"));
    await ear.on("loaded", "a");
    await mortal.close();
    expect((await ear.on("failed", "a")).reason).toMatch(/did not come back/);
    expect(ear.heard).toContainEqual({ type: "buffering", token: "a", active: true });
    expect(ear.heard).toContainEqual({ type: "underrun", token: "a" });
  });
});

function hlsOf(segment: string): string {
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${segment}\n#EXT-X-ENDLIST\n`;
}
