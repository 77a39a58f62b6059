import { z } from "zod";
import type { Card } from "../../../actors/appliance/nfc.ts";
import type { NfcView } from "../../../machines/appliance/nfc.ts";
import type { ApplianceActors } from "../actors.ts";
import { applianceRoute } from "../policy.ts";
import { done, Name, Success, success, Target, Uid } from "../schemas.ts";

const CardShape = {
  uid: z.string(),
  name: z.string(),
  binding: Target,
  created_at: z.iso.datetime(),
};
const CardRecord = z.strictObject(CardShape).meta({ id: "Card" });
const UidParams = z.strictObject({ uid: Uid });

function shown({ id, ...card }: Card): z.input<typeof CardRecord> {
  return { uid: id, ...card };
}

/** What the last tap was, as the `nfc` event says it. */
export function tapOf({ nfc, cards }: Pick<ApplianceActors, "nfc" | "cards">) {
  const { uid } = nfc.view();
  const card = cards.view().find(({ id }) => id === uid);
  return { uid, uid_len: uid.length / 2, registered: card !== undefined, name: card?.name ?? null };
}

/** The appliance keeps a clock of its own, an offset over the host's. */
function clockNow({ clock }: Pick<ApplianceActors, "clock">): number {
  return Date.now() + clock.view().offset_ms;
}

/** By a clock that nobody sets. */
function ageOf({ uid, tappedAt }: NfcView): number {
  return uid === "" ? -1 : Math.round(performance.now() - tappedAt);
}

export const rfidRoutes = [
  applianceRoute({
    method: "get",
    path: "/rfid/cards",
    summary: "The registered cards",
    tag: "NFC cards",
    policy: { auth: "token", rate: "default" },
    reply: z.strictObject({ cards: z.array(CardRecord) }),
    handle: ({ actors }) => ({ cards: actors.cards.view().map(shown) }),
  }),
  applianceRoute({
    method: "post",
    path: "/rfid/cards",
    summary: "Register a card, or replace what a known one does",
    tag: "NFC cards",
    policy: { auth: "token", rate: "default", emits: "cards" },
    body: z.strictObject({ uid: Uid, name: Name, binding: Target }),
    reply: success(CardShape),
    handle: async ({ actors, body: { uid, ...card } }) => {
      const record = { id: uid, ...card, created_at: new Date(clockNow(actors)).toISOString() };
      return { success: true as const, ...shown(await actors.cards.ask({ type: "PUT", record })) };
    },
  }),
  applianceRoute({
    method: "delete",
    path: "/rfid/cards/:uid",
    summary: "Forget a card",
    tag: "NFC cards",
    policy: { auth: "token", rate: "default", emits: "cards" },
    params: UidParams,
    reply: Success,
    handle: ({ actors, params }) => actors.cards.ask({ type: "REMOVE", key: params.uid }).then(done),
  }),
  applianceRoute({
    method: "get",
    path: "/rfid/scan",
    summary: "The last tap, for those who cannot listen",
    tag: "NFC cards",
    policy: { auth: "token", rate: "default" },
    reply: z.strictObject({ uid: z.string(), uid_len: z.int(), registered: z.boolean(), age_ms: z.int() }),
    handle: ({ actors }) => {
      const { name: _, ...tap } = tapOf(actors);
      return { ...tap, age_ms: ageOf(actors.nfc.view()) };
    },
  }),
  applianceRoute({
    method: "post",
    path: "/rfid/virtual/tap",
    summary: "Lay a card on the virtual reader",
    tag: "NFC cards",
    policy: { auth: "token", rate: "default", emits: "nfc" },
    body: z.strictObject({ uid: Uid }),
    reply: Success,
    handle: ({ actors, body }) =>
      actors.nfc.ask({ type: "CARD_SEEN", ...body, at: performance.now() }).then(done),
  }),
  applianceRoute({
    method: "post",
    path: "/rfid/virtual/remove",
    summary: "Take the card off the virtual reader",
    tag: "NFC cards",
    policy: { auth: "token", rate: "default", emits: "nfc" },
    reply: Success,
    handle: ({ actors }) => actors.nfc.ask({ type: "CARD_LOST" }).then(done),
  }),
];
