import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReaderEvent } from "../../../drivers/nfc/nfc.ts";
import { PcscReader } from "../../../drivers/nfc/pcsc.ts";
import { describeWith } from "../../real-part.ts";
import { type Pcscd, removePcscdFolder, startPcscd, VirtualCard } from "./pcscd.ts";

/** What the reader said, in order; each wait takes the first that fits and forgets what came before. */
class Heard {
  readonly all: ReaderEvent[] = [];
  readonly #events: ReaderEvent[] = [];
  #look = () => {};

  constructor(reader: PcscReader) {
    reader.listen((event) => {
      this.all.push(event);
      this.#events.push(event);
      this.#look();
    });
  }

  next(type: ReaderEvent["type"]): Promise<ReaderEvent> {
    return new Promise((resolve) => {
      this.#look = () => {
        const at = this.#events.findIndex((event) => event.type === type);
        if (at >= 0) resolve(this.#events.splice(0, at + 1).at(-1)!);
      };
      this.#look();
    });
  }

  /** All that is still unheard. */
  rest(): ReaderEvent[] {
    return this.#events.splice(0);
  }
}

const uid = "04A2B3C4D5E6F7";
let pcscd: Pcscd | undefined;
let reader: PcscReader;
let heard: Heard;

describeWith(["pcscd"], "a reader behind pcscd", () => {
  beforeEach(async () => {
    pcscd = await startPcscd();
    reader = new PcscReader({ retryMs: 50 });
    heard = new Heard(reader);
    await reader.open();
    await heard.next("reader_found");
  });
  afterEach(async () => {
    await reader.close();
    await pcscd?.stop();
  });
  afterAll(removePcscdFolder);

  it("tells a card's UID when it is laid down, and that it is gone", async () => {
    const card = await VirtualCard.lay(pcscd!.port(), uid);
    expect(await heard.next("seen")).toEqual({ type: "seen", uid });
    await card.remove();
    await heard.next("lost");
    expect(heard.rest()).toEqual([]);
  });

  it("sees a card that lay there before", async () => {
    const card = await VirtualCard.lay(pcscd!.port(), uid);
    await heard.next("seen");
    const late = new PcscReader();
    const lateHeard = new Heard(late);
    await late.open();
    expect(await lateHeard.next("seen")).toEqual({ type: "seen", uid });
    await late.close();
    await card.remove();
  });

  it("sees one card after the other", async () => {
    for (const each of ["11223344", uid, "0102030405060708090A"]) {
      const card = await VirtualCard.lay(pcscd!.port(), each);
      expect(await heard.next("seen")).toEqual({ type: "seen", uid: each });
      await card.remove();
      await heard.next("lost");
    }
  });

  it("takes a card that flaps without ever calling the reader lost", async () => {
    for (let flap = 0; flap < 4; flap++) await (await VirtualCard.lay(pcscd!.port(), uid)).remove();
    const card = await VirtualCard.lay(pcscd!.port(), uid);
    let last: ReaderEvent | undefined;
    // The flaps may have been seen or not; what counts is that the card which stays is the last thing told.
    do last = await heard.next("seen");
    while (heard.rest().some(({ type }) => type === "lost"));
    expect(last).toEqual({ type: "seen", uid });
    expect(heard.all.map(({ type }) => type)).not.toContain("reader_lost");
    await card.remove();
    await heard.next("lost");
  });

  it("does not see a card that has no UID", async () => {
    const nameless = await VirtualCard.lay(pcscd!.port(0), null);
    const card = await VirtualCard.lay(pcscd!.port(1), uid);
    expect(await heard.next("seen")).toEqual({ type: "seen", uid });
    await nameless.remove();
    await card.remove();
    await heard.next("lost");
  });

  it("does not lose the card of one reader when that of another is taken away", async () => {
    const other = await VirtualCard.lay(pcscd!.port(1), "11223344");
    await heard.next("seen");
    const card = await VirtualCard.lay(pcscd!.port(0), uid);
    await heard.next("seen");
    await other.remove();
    const again = await VirtualCard.lay(pcscd!.port(1), "55667788");
    expect(await heard.next("seen")).toEqual({ type: "seen", uid: "55667788" });
    expect(heard.rest()).toEqual([]);
    await again.remove();
    await card.remove();
  });

  it("finds its way back when pcscd dies and comes again", async () => {
    await pcscd!.stop();
    await heard.next("reader_lost");
    pcscd = await startPcscd();
    await heard.next("reader_found");
    const card = await VirtualCard.lay(pcscd.port(), uid);
    expect(await heard.next("seen")).toEqual({ type: "seen", uid });
    await card.remove();
  });

  it("may be closed twice, and says nothing afterwards", async () => {
    await reader.close();
    await reader.close();
    heard.rest();
    const card = await VirtualCard.lay(pcscd!.port(), uid);
    await card.remove();
    expect(heard.rest()).toEqual([]);
  });
});

describe("without pcscd", () => {
  it("a reader is refused as unavailable", async () => {
    await expect(new PcscReader().open()).rejects.toMatchObject({ code: "unavailable" });
  });
});
