import { createActor } from "xstate";
import type { ClockDriver } from "../../drivers/clock/clock.ts";
import type { DisplayDriver } from "../../drivers/display/display.ts";
import {
  type DisplayCommand,
  type DisplayContext,
  type DisplayReplies,
  displayMachine,
  viewOfDisplay,
} from "../../machines/appliance/display.ts";
import { prayerReport } from "../../machines/appliance/prayer-view.ts";
import { type Facts, type Screen, screenOf } from "../../machines/appliance/screen.ts";
import { civilAt, faceText } from "../../machines/appliance/timezone-civil.ts";
import type { Client, Start, Tree } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import type { Cards, Nfc } from "./nfc.ts";
import type { Ota } from "./ota.ts";
import { type Playback, statusNow } from "./playback.ts";
import type { Power } from "./power.ts";
import type { Prayer } from "./prayer.ts";

import type { Settings } from "./settings.ts";
import { secondsOf, shown, zoneNow } from "./time-of-day.ts";

export type Display = Client<DisplayCommand, DisplayContext, DisplayReplies>;

export interface DisplayDeps {
  driver: DisplayDriver;
  clock: ClockDriver;
}

/** A second for what moves by itself; everything else is told by its own part. */
const lookEveryMs = 1_000;

/** Shows the state on the panel. Nothing is drawn while nothing changes, and without a panel not before somebody looks. */
export function startDisplay({ driver, clock }: DisplayDeps): Start {
  return async ({ inspect, log, tree }) => {
    await driver.open();
    const parts = partsOf(tree);
    let drawn = "";
    let drawing = Promise.resolve();
    const screen = () => screenOf(factsOf(parts, tree, clock, ref.getSnapshot().context.card));
    const draw = async () => {
      const { paint } = await import("../../drivers/display/paint.ts");
      await driver.show(paint(screen()));
    };
    const machine = displayMachine.provide({
      actions: {
        show: () => {
          drawing = drawing
            .then(draw)
            .catch((error: unknown) => log.warn({ err: error }, "the screen could not be drawn"));
        },
        photograph: (_, { id }) => {
          photograph(screen()).then(
            (image) => ref.send({ type: "DRAWN", id, image }),
            (error) =>
              ref.send({
                type: "DRAWING_FAILED",
                id,
                refusal: refusalFrom(error, "the screen could not be drawn"),
              }),
          );
        },
      },
    });
    const ref = createActor(machine, { inspect });
    ref.start();
    const look = () => {
      if (driver.name === "memory") return;
      const now = JSON.stringify(screen());
      if (now !== drawn) ref.send({ type: "SCREEN_CHANGED" });
      drawn = now;
    };
    let { taps } = shown(parts.nfc, (view) => view) ?? { taps: 0 };
    const endings = [
      parts.nfc.watch((view) => {
        const card = parts.cards.view().find(({ id }) => id === view.uid);
        if (view.taps !== taps && card) ref.send({ type: "CARD_SHOWN", name: card.name, uid: card.id });
        taps = view.taps;
      }),
      ...[parts.playback, parts.prayer, parts.ota, parts.power, parts.settings].map((part) =>
        (part as { watch(listener: () => void): () => void }).watch(look),
      ),
      follow(ref, look),
    ];
    const timer = setInterval(look, lookEveryMs).unref();
    look();
    return {
      ref,
      speech: { refusalOf: () => null, viewOf: viewOfDisplay, waits: ["SCREENSHOT"] },
      close: async () => {
        clearInterval(timer);
        for (const end of endings) end();
        await drawing;
        await driver.close();
      },
    };
  };
}

/** A card's news begins and ends inside the machine. */
function follow(
  ref: {
    subscribe(observer: { next(snapshot: { value: unknown }): void; error(): void }): { unsubscribe(): void };
  },
  look: () => void,
): () => void {
  let state: unknown;
  const subscription = ref.subscribe({
    next: ({ value }) => {
      if (value === state) return;
      state = value;
      queueMicrotask(look);
    },
    error: () => {},
  });
  return () => subscription.unsubscribe();
}

async function photograph(screen: Screen): Promise<Uint8Array> {
  const [{ paint }, { bmpOf }] = await Promise.all([
    import("../../drivers/display/paint.ts"),
    import("../../drivers/display/bmp.ts"),
  ]);
  return bmpOf(paint(screen));
}

const partsOf = (tree: Tree) => ({
  playback: tree.client("appliance/playback") as Playback,
  prayer: tree.client("appliance/prayer") as Prayer,
  ota: tree.client("appliance/ota") as Ota,
  power: tree.client("appliance/power") as Power,
  settings: tree.client("appliance/settings") as Settings,
  cards: tree.client("appliance/cards") as Cards,
  nfc: tree.client("appliance/nfc") as Nfc,
});

function factsOf(
  parts: ReturnType<typeof partsOf>,
  tree: Tree,
  clock: ClockDriver,
  card: Facts["card"],
): Facts {
  const seconds = secondsOf(clock);
  const hours24 = shown(parts.settings, (view) => view.time_format_24h) ?? false;
  return {
    sleeping: shown(parts.power, ({ state }) => state === "sleeping") ?? false,
    playback: shown(parts.playback, statusNow) ?? null,
    prayer: shown(parts.prayer, (view) => prayerReport(view, seconds)) ?? null,
    ota: shown(parts.ota, (view) => view) ?? null,
    card,
    time: seconds === null ? "--:--" : faceText(civilAt(zoneNow(tree), Math.floor(seconds)), hours24),
  };
}
