import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { formats, media } from "../drivers/audio/media.ts";
import { type PlayingAppliance, startPlaying } from "../e2e/playing-appliance.ts";
import { describeWith } from "../real-part.ts";

/** 1.5 s apart, as the appliance must stand it for as long as one likes. */
const rounds = Number(process.env.FAULT_KILLS ?? (process.env.CI === "true" ? 100 : 5));
const apartMs = 1_500;

describeWith(["mpv", "ffmpeg"], `mpv is killed ${rounds} times while it plays`, () => {
  let player: PlayingAppliance;

  test(
    "the service answers throughout, and each time playback is back at the right place",
    async () => {
      const longest = Math.max(60, rounds * 4);
      player = await startPlaying("mpv", { "Demo/001.flac": media("flac", longest, ...formats.flac) });
      try {
        await player.call("/playback/play", { path: "Demo/001.flac" });
        const late: number[] = [];
        let ended = false;
        const polling = poll(player, () => ended);
        for (let round = 0; round < rounds; round++) {
          await sleep(apartMs);
          const victim = player.pid()!;
          const before = await player.status();
          expect(before.state).toBe("playing");
          const killedAt = performance.now();
          process.kill(victim, "SIGKILL");
          await player.until(({ state }) => state === "buffering");
          const back = await player.until(({ state }) => state === "playing");
          late.push(performance.now() - killedAt);
          expect(player.pid()).not.toBe(victim);
          // It starts where the dead one was: after the last look, and no further than time could have taken it.
          expect(back.position).toBeGreaterThanOrEqual(before.position - 50);
          expect(back.position).toBeLessThanOrEqual(before.position + late.at(-1)! + 50);
        }
        ended = true;
        expect(await polling).toBeGreaterThan(rounds * 10);
        await player.call("/playback/pause");
        const paused = await player.status();
        process.kill(player.pid()!, "SIGKILL");
        await player.until(({ state }) => state === "paused");
        expect((await player.status()).position).toBe(paused.position);
        late.sort((a, b) => a - b);
        console.log(
          `back after ${Math.round(late[late.length >> 1]!)} ms (median), ${Math.round(late.at(-1)!)} ms at most`,
        );
      } finally {
        await player.stop();
      }
    },
    rounds * (apartMs + 6_000) + 30_000,
  );
});

/** Asks for the status ten times a second and counts the answers; one that fails fails the test. */
async function poll(player: PlayingAppliance, ended: () => boolean): Promise<number> {
  let answers = 0;
  while (!ended()) {
    const { state } = await player.status();
    expect(["playing", "buffering"]).toContain(state);
    answers++;
    await sleep(100);
  }
  return answers;
}
