import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { setup } from "xstate";
import { admit } from "../../../gateway/inspector/access.ts";
import type { SentEvent } from "../../../gateway/inspector/command.ts";
import { connect, key, type Line, raise, type Stage } from "./stage.ts";

let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const caseMachine = setup({}).createMachine({
  id: "case",
  initial: "open",
  states: { open: { on: { CLOSE: "closed" } }, closed: {} },
});

describe("who may watch", () => {
  const refused = async (address: string, headers = {}) => {
    await expect(connect(address, headers)).rejects.toThrow("403");
  };

  it("needs the key", async () => {
    stage = await raise();
    await refused(stage.server.replace(/key=.*/, "key=guess"));
    await refused(stage.server.replace(/\?.*/, ""));
    const bearer = await connect(stage.server.replace(/\?.*/, ""), { authorization: `Bearer ${key}` });
    bearer.socket.terminate();
  });

  it("is not a page of another origin, nor one that calls this machine by a name of its own", async () => {
    stage = await raise();
    await refused(stage.server, { origin: "https://elsewhere.example" });
    await refused(stage.server, { host: "elsewhere.example", origin: "http://elsewhere.example" });
    const host = stage.server.split("/")[0]!;
    const own = await connect(stage.server, { origin: `http://${host}` });
    own.socket.terminate();
  });

  it.each([
    ["127.0.0.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["192.168.1.20", false],
    ["::ffff:10.0.0.1", false],
    [undefined, false],
  ])("sits at this machine: %s", (remoteAddress, admitted) => {
    const request = { socket: { remoteAddress }, headers: { host: "localhost" }, url: "/?key=k" };
    const ask = () => admit(request as never, "k");
    if (admitted) expect(ask).not.toThrow();
    else expect(ask).toThrow("from this machine only");
  });

  it("is bounded in number", async () => {
    stage = await raise();
    const viewers = await Promise.all(Array.from({ length: 16 }, () => connect(stage!.server)));
    await refused(stage.server);
    for (const { socket } of viewers) socket.terminate();
  });
});

describe("while nobody watches", () => {
  it("nothing of an event is looked at", async () => {
    stage = await raise();
    const trap = new Proxy({}, { get: () => expect.unreachable("it was looked at") });
    stage.hub.inspect(trap as never, "house/lamp");
    stage.hub.entityStep(trap as never, "1", { type: "CLOSE" }, trap as never);
    expect(stage.hub.viewers).toBe(0);
  });
});

describe("an event sent by hand", () => {
  async function hand(options: Parameters<typeof raise>[0] = {}) {
    const audit: SentEvent[] = [];
    stage = await raise({ onSend: (sent) => audit.push(sent), ...options });
    const { socket, heard } = await connect(`${stage.server}&protocol=minaret`);
    const lamp = await heard.until(({ name }) => name === "house/lamp");
    const send = async (event: object, sessionId: unknown = lamp.sessionId): Promise<Line> => {
      heard.lines.length = 0;
      socket.send(JSON.stringify({ type: "@xstate.event", sessionId, event }));
      return heard.until(({ type }) => type === "minaret.sent");
    };
    return { audit, send, heard, stage };
  }

  it("reaches the actor through ask and is audited, its secrets hidden", async () => {
    const { audit, send, stage } = await hand();
    expect(await send({ type: "SWITCH_ON", password: "x" })).toMatchObject({ error: null });
    expect(stage.lamp.state()).toBe("on");
    const event = { type: "SWITCH_ON", password: "[redacted]" };
    expect(audit).toEqual([{ target: "house/lamp", event, error: null }]);
    expect(await send({ type: "SWITCH_ON" })).toMatchObject({ error: "it is on already" });
    expect(audit).toHaveLength(2);
  });

  it.each(["NO_SUCH_EVENT", "*", "xstate.stop", "xstate.done.actor.x", "xstate.init"])(
    "of a type that the chart does not take is refused: %s",
    async (type) => {
      const { send, stage } = await hand();
      expect(await send({ type })).toMatchObject({ error: `house/lamp takes no ${type}` });
      expect(stage.lamp.state()).toBe("off");
    },
  );

  it("is refused by the schema of its target, where there is one", async () => {
    const { send, stage } = await hand({ wrongWith: (target, { type }) => `${target}: wrong ${type}` });
    expect(await send({ type: "SWITCH_ON" })).toMatchObject({ error: "house/lamp: wrong SWITCH_ON" });
    expect(stage.lamp.state()).toBe("off");
  });

  it("is refused when the inspector only reads", async () => {
    const { audit, send, stage } = await hand({ mode: "read" });
    expect(await send({ type: "SWITCH_ON" })).toMatchObject({ error: "The inspector is read-only" });
    expect(stage.lamp.state()).toBe("off");
    expect(audit).toHaveLength(1);
  });

  it("never stops a supervisor", async () => {
    const { send, heard, stage } = await hand();
    const house = await heard.until(({ name }) => name === "house");
    expect(await send({ type: "SHUTDOWN" }, house.sessionId)).toMatchObject({
      error: "house takes no commands",
    });
    expect(stage.tree.status().every(({ state }) => state === "running")).toBe(true);
  });

  it("goes to nobody that was never shown", async () => {
    const { send } = await hand();
    expect(await send({ type: "SWITCH_ON" }, "x:9999")).toMatchObject({ error: "There is no such actor" });
  });

  it("reaches an entity by kind and id, but never an approval", async () => {
    const told: unknown[] = [];
    const tellEntity = async (...args: unknown[]) => void told.push(args);
    const { send, heard, stage } = await hand({ tellEntity });
    const step = (name: string) =>
      stage.hub.entityStep({ name, machine: caseMachine }, "7", { type: "CLOSE" }, { status: "closed" });
    step("case");
    step("approval");
    await heard.until(({ name }) => name === "approval/7");
    expect(await send({ type: "CLOSE" }, "entity:case/7")).toMatchObject({ error: null });
    expect(await send({ type: "CLOSE" }, "entity:approval/7")).toMatchObject({
      error: "Approvals are decided by people, not from here",
    });
    expect(told).toEqual([["case", "7", { type: "CLOSE" }]]);
  });
});

describe("what a viewer sees", () => {
  it("holds entities' steps as an actor's event and snapshot, in both protocols", async () => {
    stage = await raise();
    const now = await connect(stage.server);
    const old = await connect(`${stage.server}&protocol=xstate4`);
    await now.heard.until(({ name }) => name === "house/lamp");
    await old.heard.until(({ id }) => id === "house/lamp");
    const record = { status: "closed", api_key: "hush", title: "A case" };
    stage.hub.entityStep({ name: "case", machine: caseMachine }, "7", { type: "CLOSE" }, record);
    const snapshot = await now.heard.until(
      ({ type, sessionId }) => type === "@xstate.snapshot" && sessionId === "entity:case/7",
    );
    expect(snapshot.snapshot).toMatchObject({ value: "closed", context: { title: "A case" } });
    const types = now.heard.lines.filter(({ sessionId }) => sessionId === "entity:case/7");
    expect(types.map(({ type }) => type)).toEqual(["@xstate.actor", "@xstate.event", "@xstate.snapshot"]);
    await old.heard.until(({ type, sessionId }) => type === "service.state" && sessionId === "entity:case/7");
    expect(JSON.stringify([now.heard.lines, old.heard.lines])).not.toContain("hush");
    for (const { socket } of [now, old]) socket.terminate();
  });

  it("holds the tree with its crash reports, where they are wanted", async () => {
    stage = await raise();
    const { socket, heard } = await connect(`${stage.server}&protocol=minaret`);
    await heard.until(({ type }) => type === "minaret.tree");
    await stage.lamp.ask({ type: "BOOM" }).catch(() => {});
    const tree = await heard.until(
      ({ type, crashes, children }) =>
        type === "minaret.tree" &&
        (crashes as unknown[]).length > 0 &&
        (children as { state: string }[]).every(({ state }) => state === "running"),
    );
    expect(tree.crashes).toMatchObject([{ path: "house/lamp", reason: "boom", state: "off" }]);
    expect(tree.children).toMatchObject([{ path: "house" }, { path: "house/lamp", restarts: 1 }]);
    socket.terminate();
  });

  it("is the last state even when it is too slow for those between", async () => {
    stage = await raise();
    const { socket, heard } = await connect(stage.server);
    const lamp = await heard.until(({ name }) => name === "house/lamp");
    socket.pause();
    const record = { status: "closed", text: "x".repeat(4_000) };
    const steps = 5_000;
    for (let n = 0; n < steps; n++) {
      stage.hub.entityStep({ name: "case", machine: caseMachine }, "7", { type: "CLOSE" }, record);
    }
    await stage.lamp.ask({ type: "SWITCH_ON", password: "" });
    socket.resume();
    await heard.until(
      ({ type, sessionId, snapshot }) =>
        type === "@xstate.actor" &&
        sessionId === lamp.sessionId &&
        (snapshot as { value: string }).value === "on",
    );
    expect(heard.lines.filter(({ type }) => type === "@xstate.event").length).toBeLessThan(steps);
    socket.terminate();
  });
});

describe("garbage", () => {
  it("of any kind harms neither the server nor the actors", async () => {
    const current = await raise();
    stage = current;
    const { socket, heard } = await connect(current.server);
    const { sessionId } = await heard.until(({ name }) => name === "house/lamp");
    const frame = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          type: fc.constantFrom("xstate.event", "@xstate.event"),
          event: fc.anything(),
          sessionId: fc.anything(),
        })
        .map(text),
      fc
        .record({ type: fc.constant("xstate.event"), event: fc.json(), service: fc.constant(sessionId) })
        .map(text),
    );
    fc.assert(
      fc.property(frame, (data) => socket.send(data)),
      { numRuns: 500 },
    );
    socket.send(Buffer.from([0xff, 0xfe, 0x00]), { binary: true });
    await current.lamp.ask({ type: "SWITCH_ON", password: "" });
    await heard.until(({ type, event }) => type === "@xstate.event" && (event as Line).type === "SWITCH_ON");
    expect(current.lamp.state()).toBe("on");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.send("x".repeat(100_000));
    await closed;
    const again = await connect(current.server);
    await again.heard.until(({ name }) => name === "house/lamp");
    again.socket.terminate();
  });
});

function text(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item)) ?? "";
}
