/** The same work on other papers: a dry run's, of which nothing is kept, and the showcase's. */
import { sha256 } from "../../drivers/keys/ed25519.ts";
import { MemoryStore } from "../../drivers/store/memory.ts";
import { PreviewStore } from "../../drivers/store/preview.ts";
import type { Store } from "../../drivers/store/store.ts";
import { showcase } from "../../machines/soc/showcase.ts";
import { Effects } from "../effects.ts";
import { Timers } from "../timers.ts";
import { Audit } from "./audit.ts";
import { socCollections } from "./collections.ts";
import { type Desk, isoNow } from "./desk.ts";
import { firstAdmin } from "./first-admin.ts";

/** Lookups and refusals are the real ones. Effects and timers never start, nobody hears of a step. */
export function previewDesk(desk: Desk): Desk {
  return deskOn(new PreviewStore(desk.store, socCollections), desk);
}

/** What dummy mode shows while there is no store: the story, and the one person who can log in to see it. */
export async function showcaseDesk(desk: Desk): Promise<Desk> {
  const now = isoNow(desk);
  const data = showcase({ now, sha256, sign: (hash) => desk.keys.sign(hash) });
  const known = new Set(socCollections.map(({ name }) => name));
  const others = Object.keys(data).filter((name) => !known.has(name));
  const store = new MemoryStore([...socCollections, ...others.map((name) => ({ name }))]);
  await store.open();
  for (const [name, docs] of Object.entries(data)) store.load(name, docs);
  await store.insert("users", { id: firstAdmin, role: "admin", disabled: false, created_at: now });
  return deskOn(store, desk);
}

function deskOn(store: Store, { keys, now, effects: { log } }: Desk): Desk {
  return {
    store,
    effects: new Effects(store, { log, now }),
    timers: new Timers(store, { log, now }),
    audit: new Audit({ store, keys, log, now }),
    keys,
    now,
  };
}
