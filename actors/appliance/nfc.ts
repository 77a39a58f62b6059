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
import type { Settings as SettingsValues } from "../../machines/appliance/settings.ts";
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
  /** The appliance's own clock, in milliseconds. */
  now(): number;
}

/** Follows the reader: a tap does what its card is bound to, a removal what the policy says. */
export function startNfc({ choose, now }: NfcDeps): Start {
  return async (context) => {
    const driver = await choose();
    const { inspect, log, tree } = context;
    let played: string | null = null;
    const ref = createActor(nfcMachine, { input: { virtual: driver.name === "memory" }, inspect });
    ref.on("tapped", ({ uid }) => {
      tapped(tree, uid, played).then(
        (started) => (played = started ? uid : played),
        (error: unknown) => log.warn({ err: error, uid }, "a tap could not be followed"),
      );
    });
    ref.on("removed", ({ uid }) => {
      const policy = clients(tree).settings.view().card_removal;
      const follows = uid === played;
      played = null;
      if (follows)
        removed(tree, policy).catch((error: unknown) =>
          log.warn({ err: error }, "a removal could not be followed"),
        );
    });
    ref.start();
    driver.listen((event) => hear(event, (said) => ref.send(said), now));
    await driver.open();
    return {
      ref,
      speech: { refusalOf: refusalOfNfc, viewOf: viewOfNfc, waits: [] },
      close: () => driver.close(),
    };
  };
}

function hear(event: ReaderEvent, send: (event: NfcEvent) => void, now: () => number): void {
  if (event.type === "seen" && isUid(event.uid)) send({ type: "CARD_SEEN", uid: event.uid, at: now() });
  else if (event.type === "lost") send({ type: "CARD_LOST" });
  else if (event.type === "reader_found") send({ type: "READER_FOUND" });
  else if (event.type === "reader_lost") send({ type: "READER_LOST", reason: event.reason });
}

const clients = (tree: ChildContext["tree"]) => ({
  playback: tree.client("appliance/playback") as Playback,
  settings: tree.client("appliance/settings") as Settings,
  cards: tree.client("appliance/cards") as Cards,
});

/** True when the card's binding was started. A tap during an adhan only ends it; of what already plays, nothing. */
async function tapped(tree: Tree, uid: string, played: string | null): Promise<boolean> {
  const { playback, cards } = clients(tree);
  if (playback.view().adhan) {
    await playback.ask({ type: "END_ADHAN" });
    return false;
  }
  const card = cards.view().find(({ id }) => id === uid);
  if (!card) return false;
  const { state } = playback.view();
  if (uid === played && (state === "playing" || state === "buffering")) return false;
  await runTarget(tree, card.binding);
  return true;
}

async function removed(tree: Tree, policy: SettingsValues["card_removal"]): Promise<void> {
  const { playback } = clients(tree);
  if (policy === "continue" || playback.view().state === "stopped") return;
  await playback.ask({ type: policy === "pause" ? "PAUSE" : "STOP" });
}
