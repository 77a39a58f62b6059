import { dropSubjectStores, meta, openSubjectStore, process } from "../../actors/entity-subject.ts";
import { atOnce } from "../at-once.ts";
import { inFolder } from "../load.ts";
import { alternate, type Row, row, timed } from "../measure.ts";
import { openRaw } from "../raw-sqlite.ts";

const lanes = 32;
const steps = 3_000;

/** Steps of stored entities, each answered when it is synced, against plain inserts one at a time. */
export function measure(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const { store } = await openSubjectStore();
    const audit: Parameters<typeof process>[2] = {
      audit: ({ key, kind, record, event, meta: { actor, at } }) => ({
        collection: "audit",
        doc: { id: key, kind, of: record.id, action: event.type, actor, at },
      }),
    };
    const { host, effects } = process(store, async () => undefined, audit);
    effects.start();
    let made = 0;
    const create = () => host.create(`r-${++made}`, { id: `r-${made}`, by: "ana" }, meta);
    const count = (n: number) => host.tell(`r-${1 + (n % made)}`, { type: "COUNT" }, meta);
    const raw = openRaw(folder);
    const perSecond = (work: (n: number) => Promise<unknown>) => async () =>
      (steps * 1_000) / (await timed(() => atOnce(lanes, steps, work)));
    const inserts = () =>
      1_000 /
      raw.msPerWrite(steps / 3, (n) => ({ id: `r-${n}`, status: "pending", by: "ana", count: 0, ref: null }));
    await perSecond(create)();
    inserts();
    const created = await alternate(7, perSecond(create), inserts);
    const told = await alternate(7, perSecond(count), inserts);
    await effects.stop();
    await store.close();
    raw.close();
    dropSubjectStores();
    const against = "raw node:sqlite FULL inserts of the record one at a time";
    return [
      row(
        "entity created",
        `${lanes} at once: record, audit entry and effect in one commit, effects performed meanwhile; ${against}`,
        "steps/s",
        created,
        { atLeast: 1 },
      ),
      row("entity told", `${lanes} at once: record and audit entry; ${against}`, "steps/s", told, {
        atLeast: 1,
      }),
    ];
  });
}
