import { createActor } from "xstate";
import type { NfcDriver, ReaderEvent } from "../../drivers/nfc/nfc.ts";
import type { Store } from "../../drivers/store/store.ts";
import {
  isUid,
  type NfcEvent,
  type NfcView,
  nfcMachine,
  refusalOfNfc,
  viewOfNfc,
} from "../../machines/appliance/nfc.ts";
import type { PlaybackCommand } from "../../machines/appliance/playback-events.ts";
import type { PlaybackView } from "../../machines/appliance/playback-view.ts";
import type { Target } from "../../machines/appliance/target.ts";
import type { ChildContext, Client, Start, Tree } from "../client.ts";
import { admitTarget, type TargetChecks } from "./admit-target.ts";
import { type RecordList, startRecordList } from "./record-list.ts";
import { runTarget } from "./run-target.ts";
import type { Settings } from "./settings.ts";

/** A registered card; its `id` is its UID. */
export interface Card {
  id: string;
  name: string;
  binding: Target;
  created_at: string;
}

export type Cards = RecordList<Card>;
export type Nfc = Client<NfcEvent, NfcView>;
type Playback = Client<PlaybackCommand, PlaybackView>;

/** The registered cards; a binding must name something that is there. */
export const startCards = (store: Store, checks: TargetChecks): Start =>
  startRecordList<Card>(store, "cards", { admit: ({ binding }, tree) => admitTarget(tree, binding, checks) });

export interface NfcDeps {
  /** One per incarnation, not open yet. */
  choose(): Promise<NfcDriver>;
}

/** What the last tap started; the card that is still heard is not started again. */
interface Started {
  uid: string;
  track: string;
}

/** Follows the reader: a tap does what its card is bound to, a removal what the policy says. */
export function startNfc({ choose }: NfcDeps): Start {
  return async (context) => {
    const driver = await choose();
    const { inspect, log, tree } = context;
    let started: Started | null = null;
    const ref = createActor(nfcMachine, { input: { virtual: driver.name === "memory" }, inspect });
    ref.on("tapped", ({ uid }) => {
      tapped(tree, uid, started).then(
        (now) => (started = now ?? started),
        (error: unknown) => log.warn({ err: error, uid }, "a tap could not be followed"),
      );
    });
    ref.on("removed", ({ uid }) => {
      if (uid !== started?.uid) return;
      const isAway = () => ref.getSnapshot().context.present === "";
      removed(tree, isAway).catch((error: unknown) =>
        log.warn({ err: error }, "a removal could not be followed"),
      );
    });
    ref.start();
    driver.listen((event) => hear(event, (said) => ref.send(said)));
    await driver.open().catch(async (error: unknown) => {
      await driver.close();
      throw error;
    });
    return {
      ref,
      speech: { refusalOf: refusalOfNfc, viewOf: viewOfNfc, waits: [] },
      close: () => driver.close(),
    };
  };
}

/** A tap's age is told by a clock that nobody sets. */
function hear(event: ReaderEvent, send: (event: NfcEvent) => void): void {
  if (event.type === "seen" && isUid(event.uid))
    send({ type: "CARD_SEEN", uid: event.uid, at: performance.now() });
  else if (event.type === "lost") send({ type: "CARD_LOST" });
  else if (event.type === "reader_found") send({ type: "READER_FOUND" });
  else if (event.type === "reader_lost") send({ type: "READER_LOST", reason: event.reason });
}

const clients = (tree: ChildContext["tree"]) => ({
  playback: tree.client("appliance/playback") as Playback,
  settings: tree.client("appliance/settings") as Settings,
  cards: tree.client("appliance/cards") as Cards,
});

/** What the card started, if anything. A tap during an adhan only ends it; one of what is still on lets it go on. */
async function tapped(tree: Tree, uid: string, started: Started | null): Promise<Started | null> {
  const { playback, cards } = clients(tree);
  if (playback.view().adhan) {
    await playback.ask({ type: "END_ADHAN" });
    return null;
  }
  const card = cards.view().find(({ id }) => id === uid);
  if (!card) return null;
  const { state, track } = playback.view();
  if (uid === started?.uid && track === started.track && state !== "stopped") {
    if (state === "paused") await playback.ask({ type: "RESUME" });
    return null;
  }
  await runTarget(tree, card.binding);
  return card.binding.type === "stop" ? null : { uid, track: playback.view().track };
}

/** An adhan is nobody's card: what it interrupted follows the policy when it comes back. */
async function removed(tree: Tree, isAway: () => boolean): Promise<void> {
  const { playback, settings } = clients(tree);
  await adhanOver(playback);
  const { card_removal: policy } = settings.view();
  if (!isAway() || policy === "continue" || playback.view().state === "stopped") return;
  await playback.ask({ type: policy === "pause" ? "PAUSE" : "STOP" });
}

function adhanOver(playback: Playback): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = ({ adhan }: PlaybackView) => {
    if (adhan !== true) resolve();
  };
  const stop = playback.watch(look);
  look(playback.view());
  return promise.finally(stop);
}
