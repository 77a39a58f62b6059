import { pino } from "pino";
import { assign, createActor, type SnapshotFrom, setup } from "xstate";
import type { Client, Start } from "../../../actors/client.ts";
import { startTree } from "../../../actors/tree.ts";
import { newInspectorKey } from "../../../gateway/inspector/access.ts";
import { inspectorHub } from "../../../gateway/inspector/hub.ts";
import { alternate, type Row, row, timed } from "../measure.ts";

const counter = setup({
  types: { context: {} as { count: number }, events: {} as { type: "COUNT" } },
  actions: { count: assign({ count: ({ context }) => context.count + 1 }) },
}).createMachine({ context: { count: 0 }, on: { COUNT: { actions: "count" } } });

const startCounter: Start = ({ inspect }) => ({
  ref: createActor(counter, { inspect }).start(),
  speech: {
    refusalOf: () => null,
    viewOf: ({ context }: SnapshotFrom<typeof counter>) => context.count,
    waits: [],
  },
});

const asks = 20_000;

/** The inspector when nobody looks: an actor that does next to nothing shows its cost at its worst. */
export async function measure(): Promise<Row[]> {
  const log = pino({ level: "silent" });
  const spec = {
    id: "root",
    strategy: "one_for_one",
    children: [{ id: "counter", start: startCounter, restart: "permanent" }],
  } as const;
  const hub = inspectorHub({ key: newInspectorKey(), mode: "write" });
  const watched = await startTree(spec, { log, inspect: hub.inspect.bind(hub) });
  hub.attach(watched);
  const plain = await startTree(spec, { log });
  const microseconds = (tree: typeof plain) => {
    const client: Client<{ type: "COUNT" }, number> = tree.client("counter");
    const all = async () => {
      for (let n = 0; n < asks; n++) await client.ask({ type: "COUNT" });
    };
    return async () => ((await timed(all)) * 1_000) / asks;
  };
  const [on, off] = [microseconds(watched), microseconds(plain)];
  for (let n = 0; n < 3; n++) {
    await on();
    await off();
  }
  const times = await alternate(41, on, off);
  await Promise.all([watched.drain(), plain.drain()]);
  hub.close();
  const how = `${asks} asks in a row of a counting actor, nobody watching; inspector off`;
  return [row("inspector on", how, "µs/ask", times, { atMost: 1.05 })];
}
