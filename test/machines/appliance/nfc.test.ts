import { expect, it } from "vitest";
import { createActor, SimulatedClock } from "xstate";
import { goneAfterMs, nfcMachine } from "../../../machines/appliance/nfc.ts";

function reader() {
  const clock = new SimulatedClock();
  const actor = createActor(nfcMachine, { clock, input: { virtual: true } });
  const heard: string[] = [];
  actor.on("tapped", ({ uid }) => heard.push(`tapped ${uid}`));
  actor.on("removed", ({ uid }) => heard.push(`removed ${uid}`));
  actor.start();
  const see = (uid: string) => actor.send({ type: "CARD_SEEN", uid, at: clock.now() });
  const lose = () => actor.send({ type: "CARD_LOST" });
  return { actor, clock, heard, see, lose };
}

it("takes a flapping card as one tap", () => {
  const { heard, see, lose, clock } = reader();
  for (let flap = 0; flap < 20; flap++) {
    see("A");
    lose();
    clock.increment(goneAfterMs - 1);
  }
  expect(heard).toEqual(["tapped A"]);
});

it("reports a removal once the card stayed away, and the next tap as a new one", () => {
  const { heard, see, lose, clock } = reader();
  see("A");
  lose();
  clock.increment(goneAfterMs);
  see("A");
  expect(heard).toEqual(["tapped A", "removed A", "tapped A"]);
});

it("takes another card at once, without a removal between", () => {
  const { heard, see, lose } = reader();
  see("A");
  lose();
  see("B");
  see("C");
  expect(heard).toEqual(["tapped A", "tapped B", "tapped C"]);
});

it("takes the card away with a reader that is unplugged", () => {
  const { actor, heard, see, clock } = reader();
  see("A");
  actor.send({ type: "READER_LOST", reason: "unplugged" });
  clock.increment(goneAfterMs);
  expect(heard).toEqual(["tapped A", "removed A"]);
  expect(actor.getSnapshot().context.reader).toBe("down");
});
