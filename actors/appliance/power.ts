import { createActor } from "xstate";
import type { Backlight } from "../../drivers/backlight/backlight.ts";
import type { PowerDriver } from "../../drivers/power/power.ts";
import {
  autoOffMachine,
  type PowerCommand,
  type PowerReplies,
  type PowerView,
  refusalOfPower,
  viewOfPower,
} from "../../machines/appliance/auto-off.ts";
import {
  type Activity,
  type AwakeReason,
  awakeReasons,
  sleepFor,
} from "../../machines/appliance/auto-off-reasons.ts";
import type { Client, Start, Tree } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { tell } from "../tell.ts";
import type { Ota } from "./ota.ts";
import type { Presence } from "./presence.ts";
import type { Settings } from "./settings.ts";

export type Power = Client<PowerCommand, PowerView, PowerReplies>;

/** As much of playback as sleep needs to know and to say. */
type PlaybackForSleep = Client<{ type: "STOP" }, NonNullable<Activity["playback"]>>;

export interface PowerParts {
  driver: PowerDriver;
  backlight: Backlight;
  presence: Presence;
  /** Until the next schedule or adhan, by the appliance's own clock; null when there is none. */
  dueInMs(tree: Tree): number | null;
}

/** What becomes due soon does so by the passing of time, and nobody tells. */
const lookAgainMs = 15_000;
/** A stop during an adhan gives back what it interrupted, which has to be stopped too. */
const stops = 3;

/** Sleeps after idle minutes or when told to, and keeps the screen's light. */
export function startPower({ driver, backlight, presence, dueInMs }: PowerParts): Start {
  return async ({ inspect, log, tree }) => {
    await driver.open();
    const playback: PlaybackForSleep = tree.client("appliance/playback");
    const ota: Ota = tree.client("appliance/ota");
    const settings: Settings = tree.client("appliance/settings");
    const { auto_off_minutes: minutes } = settings.view();

    const light = (brightness: number) => {
      backlight.set(brightness).catch((error) => log.warn({ err: error }, "the brightness could not be set"));
    };
    const quiet = async () => {
      for (let stop = 0; stop < stops && keepsPlaying(shown(playback)); stop++) {
        await playback.ask({ type: "STOP" });
      }
      light(0);
    };
    const failed = (error: unknown) => {
      log.warn({ err: error }, "the device did not go to sleep");
      tell(ref, { type: "SLEEP_FAILED", refusal: refusalFrom(error, "the device could not go to sleep") });
    };
    const machine = autoOffMachine.provide({
      actions: {
        quiet: () => {
          quiet().then(() => tell(ref, { type: "QUIETED" }), failed);
        },
        enterSleep: () => {
          driver.sleep(sleepFor(dueInMs(tree))).then((by) => tell(ref, { type: "WOKE", by }), failed);
        },
        leaveSleep: () => driver.wake(),
        brighten: () => light(settings.view().brightness),
      },
    });
    const ref = createActor(machine, { input: { minutes }, inspect }).start();

    let told: readonly AwakeReason[] = [];
    const look = () => {
      const reasons = awakeReasons({
        ...optional("playback", shown(playback)),
        ...optional("ota", shown(ota)),
        clients: presence.clients,
        dueInMs: dueInMs(tree),
      });
      if (reasons.join() === told.join()) return;
      told = reasons;
      ref.send({ type: "REASONS_CHANGED", reasons });
    };
    ref.subscribe({
      next: (snapshot) => {
        presence.sleeping = snapshot.matches("asleep");
      },
      error: () => {},
    });
    let { brightness } = settings.view();
    light(brightness);
    const endings = [
      presence.listen(look, () => ref.send({ type: "TOUCH" })),
      playback.watch(look),
      ota.watch(look),
      settings.watch((values) => {
        if (values.auto_off_minutes !== ref.getSnapshot().context.minutes)
          ref.send({ type: "MINUTES_SET", minutes: values.auto_off_minutes });
        if (values.brightness === brightness) return;
        brightness = values.brightness;
        if (ref.getSnapshot().matches("awake")) light(brightness);
      }),
    ];
    const timer = setInterval(look, lookAgainMs).unref();
    look();
    return {
      ref,
      speech: { refusalOf: refusalOfPower, viewOf: viewOfPower, waits: ["SLEEP"] },
      close: async () => {
        clearInterval(timer);
        for (const end of endings) end();
        presence.sleeping = false;
        await driver.close();
      },
    };
  };
}

function keepsPlaying(playback: Activity["playback"]): boolean {
  return playback?.state === "playing" || playback?.state === "buffering";
}

/** A part that is not there keeps nobody awake. */
function shown<V>(client: { view(): V }): V | undefined {
  try {
    return client.view();
  } catch {
    return undefined;
  }
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
