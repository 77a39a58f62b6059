import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { assign, createActor, setup } from "xstate";
import type { Start } from "../../actors/client.ts";
import { startTree } from "../../actors/tree.ts";
import { openLog } from "../../drivers/log/log.ts";
import { StateStream } from "../../gateway/state-stream.ts";
import { Listening } from "./listener.ts";

type DialEvent = { type: "SET"; to: number } | { type: "HANG"; id: string } | { type: "BOOM" };

const dialMachine = setup({
  types: { context: {} as { at: number }, events: {} as DialEvent },
}).createMachine({
  context: { at: 0 },
  on: {
    SET: { actions: assign({ at: ({ event }) => event.to }) },
    HANG: {},
    BOOM: {
      actions: () => {
        throw new Error("boom");
      },
    },
  },
});

const startDial: Start = ({ inspect }) => ({
  ref: createActor(dialMachine, { inspect }).start(),
  speech: { refusalOf: () => null, viewOf: ({ context }) => ({ at: context.at }), waits: ["HANG"] },
});

test("a client sees the next incarnation of an actor that crashed under fifty asks, on the same connection", async () => {
  const log = openLog("silent");
  const child = { id: "dial", start: startDial, restart: "permanent" } as const;
  const tree = await startTree({ id: "root", strategy: "one_for_one", children: [child] }, { log });
  const dial = tree.client<DialEvent, { at: number }>("dial");
  const resource = {
    name: "dial",
    view: () => dial.view(),
    watch: (changed: () => void) => dial.watch(changed),
  };
  const stream = new StateStream({ resources: [resource], log });
  stream.open();
  const server = createServer();
  server.on("upgrade", (request, socket, head) => stream.accept(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new Listening(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await client.hello();

  await dial.ask({ type: "SET", to: 7 });
  await client.until(({ data }) => data.at === 7);
  const asks = Array.from({ length: 50 }, () => dial.ask({ type: "HANG" }));
  const outcomes = Promise.allSettled(asks);
  await dial.ask({ type: "BOOM" }).catch(() => {});
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  await client.until(({ event, data }) => event === "dial" && data.at === 0);
  await dial.ask({ type: "SET", to: 8 });
  await client.until(({ data }) => data.at === 8);
  expect(client.heard.slice(1).map(({ data }) => data.at)).toEqual([7, 0, 8]);
  expect(tree.status()[0]).toMatchObject({ restarts: 1, state: "running" });

  stream.close();
  stream.terminate();
  await new Promise((resolve) => server.close(resolve));
  await tree.drain();
});
