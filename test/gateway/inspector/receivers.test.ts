import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { type Line, raise, type Stage, Transcript } from "./stage.ts";

let stage: Stage | undefined;
let receiver: ChildProcess | undefined;

afterEach(async () => {
  receiver?.kill();
  receiver = undefined;
  await stage?.close();
  stage = undefined;
});

/** Both packages are meant for a program of their own, and the older one brings its own XState. */
function receive(script: URL, server: string): Transcript {
  const heard = new Transcript();
  receiver = spawn(process.execPath, [fileURLToPath(script), server], { stdio: ["pipe", "pipe", "inherit"] });
  createInterface({ input: receiver.stdout! }).on("line", (line) => heard.add(JSON.parse(line)));
  return heard;
}

const password = "correct horse";

describe("@statelyai/inspect's own receiver", () => {
  it("is shown the tree, events and snapshots, with secrets hidden", async () => {
    stage = await raise();
    const heard = receive(new URL("./stately-receiver.ts", import.meta.url), stage.server);
    const lamp = await heard.until((line) => line.type === "@xstate.actor" && line.name === "house/lamp");
    const house = await heard.until((line) => line.type === "@xstate.actor" && line.name === "house");
    expect(lamp).toMatchObject({
      parentId: house.sessionId,
      _version: "0.7.2",
      snapshot: { status: "active", value: "off", context: { n: 0, token: "[redacted]" } },
    });
    const chart = JSON.parse(String(lamp.definition));
    expect(Object.keys(chart.states)).toEqual(["off", "on"]);
    expect(chart.states.off.on.SWITCH_ON[0]).toMatchObject({
      target: ["#lamp.on"],
      guard: { type: "isNew" },
    });

    await stage.lamp.ask({ type: "SWITCH_ON", password });
    const event = await heard.until((line) => line.type === "@xstate.event" && of(lamp)(line));
    expect(event.event).toEqual({ type: "SWITCH_ON", password: "[redacted]" });
    const snapshot = await heard.until((line) => line.type === "@xstate.snapshot" && of(lamp)(line));
    expect(snapshot.snapshot).toMatchObject({ value: "on", context: { n: 1, token: "[redacted]" } });
    const all = JSON.stringify(heard.lines);
    expect(all).not.toContain("s3cret-token");
    expect(all).not.toContain(password);
  });
});

function of(actor: Line): (line: Line) => boolean {
  return ({ sessionId }) => sessionId === actor.sessionId;
}

describe("@xstate/inspect's own receiver", () => {
  it("is shown charts that XState 4 runs, states and events, and sends an event that reaches the actor", async () => {
    stage = await raise();
    const heard = receive(new URL("./xstate4/receiver.ts", import.meta.url), stage.server);
    const lamp = await heard.until((line) => line.type === "service.register" && line.id === "house/lamp");
    expect(lamp).toMatchObject({
      states: ["off", "on"],
      value: "off",
      next: ["BOOM", "SWITCH_ON"],
      context: { n: 0, token: "[redacted]" },
    });
    const event = { name: "SWITCH_ON", data: { type: "SWITCH_ON", password }, $$type: "scxml" };
    const line = { type: "xstate.event", event: JSON.stringify(event), service: lamp.sessionId };
    receiver!.stdin!.write(`${JSON.stringify(line)}\n`);

    const seen = await heard.until(
      ({ type, sessionId }) => type === "service.event" && sessionId === lamp.sessionId,
    );
    expect(seen.event).toMatchObject({ name: "SWITCH_ON", data: { password: "[redacted]" } });
    await heard.until(({ type, value }) => type === "service.state" && value === "on");
    expect(stage.lamp.state()).toBe("on");

    await stage.lamp.ask({ type: "BOOM" }).catch(() => {});
    await heard.until(({ type, sessionId }) => type === "service.stop" && sessionId === lamp.sessionId);
    const next = await heard.until(
      ({ type, id, sessionId }) =>
        type === "service.register" && id === "house/lamp" && sessionId !== lamp.sessionId,
    );
    expect(next.value).toBe("off");
    const all = JSON.stringify(heard.lines);
    expect(all).not.toContain("s3cret-token");
    expect(all).not.toContain(password);
  });
});
