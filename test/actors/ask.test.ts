import { describe, expect, it } from "vitest";
import { assign, createActor, emit, setup } from "xstate";
import { maxInFlight } from "../../actors/ask.ts";
import type { Client, Start } from "../../actors/client.ts";
import type { Refusal } from "../../machines/errors.ts";
import { plant, settled } from "./supervisor-subject.ts";

type PlayerEvent =
  | { type: "PLAY"; id: string; file: string }
  | { type: "HANG"; id: string }
  | { type: "SET_VOLUME"; volume: number }
  | { type: "LOADED"; file: string; works: boolean }
  | { type: "BOOM" };

interface PlayerView {
  volume: number;
  file: string | null;
}

interface PlayerReplies {
  PLAY: { playing: string };
}

type Player = Client<Exclude<PlayerEvent, { type: "LOADED" }>, PlayerView, PlayerReplies>;

const corrupt: Refusal = { code: "invalid_input", message: "corrupt file", field: "file" };

interface Pending {
  id: string;
  file: string;
}

/** Plays one file at a time, and learns later whether it can. */
const playerMachine = setup({
  types: {
    context: {} as { volume: number; file: string | null; pending: Pending[] },
    events: {} as PlayerEvent,
    emitted: {} as
      | { type: "settled"; id: string; reply?: unknown }
      | { type: "failed"; id: string; refusal: Refusal },
  },
}).createMachine({
  context: { volume: 50, file: null, pending: [] },
  on: {
    SET_VOLUME: { actions: assign({ volume: ({ event }) => event.volume }) },
    HANG: {},
    PLAY: {
      actions: assign({ pending: ({ context, event: { id, file } }) => [...context.pending, { id, file }] }),
    },
    LOADED: {
      actions: [
        emit(({ context, event }) => {
          const { id } = context.pending.find(({ file }) => file === event.file)!;
          if (!event.works) return { type: "failed", id, refusal: corrupt };
          return { type: "settled", id, reply: { playing: event.file } };
        }),
        assign({
          pending: ({ context, event }) => context.pending.filter(({ file }) => file !== event.file),
          file: ({ context, event }) => (event.works ? event.file : context.file),
        }),
      ],
    },
    BOOM: {
      actions: () => {
        throw new Error("boom");
      },
    },
  },
});

function player(): { start: Start; send(event: PlayerEvent): void; starts: number } {
  const made = {
    starts: 0,
    send: (_event: PlayerEvent): void => {},
    start: (({ inspect }) => {
      const ref = createActor(playerMachine, { inspect }).start();
      made.starts += 1;
      made.send = (event) => ref.send(event);
      return {
        ref,
        speech: {
          refusalOf: (_, command) =>
            command.type === "SET_VOLUME" && command.volume > 100
              ? { code: "invalid_input", message: "at most 100", field: "volume" }
              : null,
          viewOf: ({ context: { volume, file } }): PlayerView => ({ volume, file }),
          waits: ["PLAY", "HANG"],
        },
      };
    }) as Start,
  };
  return made;
}

async function playing() {
  const made = player();
  const planted = await plant([{ id: "player", restart: "permanent", start: made.start }]);
  return { ...planted, made, client: planted.tree.client("player") as Player };
}

describe("asking", () => {
  it("answers a command that runs to completion with the view after it", async () => {
    const { client, tree } = await playing();
    await expect(client.ask({ type: "SET_VOLUME", volume: 70 })).resolves.toEqual({ volume: 70, file: null });
    expect(client.view()).toEqual({ volume: 70, file: null });
    expect(client.view()).toBe(client.view());
    await tree.drain();
  });

  it("refuses by code and field, and the actor never sees the command", async () => {
    const { client, tree } = await playing();
    await expect(client.ask({ type: "SET_VOLUME", volume: 101 })).rejects.toMatchObject({
      name: "DomainError",
      code: "invalid_input",
      field: "volume",
    });
    expect(client.view().volume).toBe(50);
    await tree.drain();
  });

  it("tells each of two overlapping callers of its own file, the first being corrupt", async () => {
    const { client, made, tree } = await playing();
    const first = client.ask({ type: "PLAY", file: "corrupt.mp3" });
    const second = client.ask({ type: "PLAY", file: "good.mp3" });
    await settled();
    made.send({ type: "LOADED", file: "good.mp3", works: true });
    made.send({ type: "LOADED", file: "corrupt.mp3", works: false });
    await expect(first).rejects.toMatchObject({ code: "invalid_input", field: "file" });
    await expect(second).resolves.toEqual({ playing: "good.mp3" });
    await tree.drain();
  });

  it("answers a command that settles without a reply with the view after the step", async () => {
    const machine = setup({}).createMachine({
      context: { n: 0 },
      on: {
        GO: {
          actions: [
            emit(({ event }) => ({ type: "settled", id: event.id })),
            assign({ n: ({ context }) => context.n + 1 }),
          ],
        },
      },
    });
    const start: Start = ({ inspect }) => ({
      ref: createActor(machine, { inspect }).start(),
      speech: { refusalOf: () => null, viewOf: ({ context }) => context.n, waits: ["GO"] },
    });
    const { tree } = await plant([{ id: "a", restart: "permanent", start }]);
    await expect(tree.client<{ type: "GO"; id: string }, number>("a").ask({ type: "GO" })).resolves.toBe(1);
    await tree.drain();
  });

  it("gives up a command that the world never answers", async () => {
    const { client, pass, tree } = await playing();
    const late = client.ask({ type: "HANG" }, { timeoutMs: 500 });
    const refused = expect(late).rejects.toMatchObject({ code: "timeout" });
    await pass(500);
    await refused;
    await tree.drain();
  });

  it("bounds what may wait for one actor", async () => {
    const { client, tree } = await playing();
    const waiting = Array.from({ length: maxInFlight }, () => client.ask({ type: "HANG" }));
    const outcomes = Promise.allSettled(waiting);
    await settled();
    await expect(client.ask({ type: "HANG" })).rejects.toMatchObject({ code: "overloaded" });
    await expect(client.ask({ type: "SET_VOLUME", volume: 1 })).resolves.toMatchObject({ volume: 1 });
    await tree.drain();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    }
  });
});

describe("an actor that crashes under fifty asks", () => {
  it("leaves none unanswered, and watchers see the new incarnation without asking anew", async () => {
    const { client, made, tree } = await playing();
    const seen: PlayerView[] = [];
    client.watch((view) => seen.push(view));
    await client.ask({ type: "SET_VOLUME", volume: 80 });
    const asks = Array.from({ length: 50 }, () => client.ask({ type: "HANG" }));
    await settled();
    made.send({ type: "BOOM" });
    const after = client.ask({ type: "SET_VOLUME", volume: 30 });
    for (const outcome of await Promise.allSettled(asks)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    }
    await expect(after).resolves.toMatchObject({ volume: 30 });
    expect(made.starts).toBe(2);
    expect(seen[0]?.volume).toBe(80);
    expect(seen.slice(-2).map(({ volume }) => volume)).toEqual([50, 30]);
    await tree.drain();
  });

  it("shows its last view while it restarts, and lets asks wait a second for it", async () => {
    const { client, made, pass, tree } = await playing();
    await client.ask({ type: "SET_VOLUME", volume: 66 });
    for (let kill = 0; kill < 5; kill++) {
      made.send({ type: "BOOM" });
      await pass(kill < 4 ? 400 : 0);
    }
    expect(client.view().volume).toBe(50);
    expect(tree.status()[0]?.state).toBe("restarting");
    const patient = client.ask({ type: "SET_VOLUME", volume: 7 });
    await pass(400);
    await expect(patient).resolves.toMatchObject({ volume: 7 });
    await tree.drain();
  });

  it("refuses as unavailable when the second is over", async () => {
    const start: Start = () => new Promise(() => {});
    const { tree, pass } = await plant([]);
    tree.addChild("", { id: "slow", restart: "permanent", start });
    const asked = tree.client("slow").ask({ type: "X" } as never);
    const refused = expect(asked).rejects.toMatchObject({
      code: "unavailable",
      message: "slow is starting",
    });
    await pass(999);
    await pass(1);
    await refused;
    expect(() => tree.client("slow").view()).toThrow("slow is starting");
    await tree.drain(0);
  });
});

describe("a listener", () => {
  it("that throws disturbs neither the actor nor the others", async () => {
    const { client, tree } = await playing();
    const seen: number[] = [];
    client.watch(() => {
      throw new Error("bad listener");
    });
    const stop = client.watch(({ volume }) => seen.push(volume));
    await client.ask({ type: "SET_VOLUME", volume: 1 });
    stop();
    await client.ask({ type: "SET_VOLUME", volume: 2 });
    expect(seen).toEqual([1]);
    expect(client.view().volume).toBe(2);
    await tree.drain();
  });
});

describe("the type check", () => {
  it("refuses commands that the actor does not know, and wrong payloads", () => {
    const neverCalled = (client: Player) => {
      // @ts-expect-error the volume is a number
      void client.ask({ type: "SET_VOLUME", volume: "loud" });
      // @ts-expect-error the volume is missing
      void client.ask({ type: "SET_VOLUME" });
      // @ts-expect-error there is no such command
      void client.ask({ type: "EXPLODE" });
      // @ts-expect-error the id is the tree's affair
      void client.ask({ type: "PLAY", file: "a.mp3", id: "1" });
      // @ts-expect-error PLAY answers with its own reply
      void client.ask({ type: "PLAY", file: "a.mp3" }).then((view) => view.volume);
      void client.ask({ type: "PLAY", file: "a.mp3" }).then(({ playing: file }) => file.length);
      void client.ask({ type: "SET_VOLUME", volume: 1 }).then(({ volume }) => volume.toFixed());
    };
    expect(neverCalled).toHaveLength(1);
  });
});
