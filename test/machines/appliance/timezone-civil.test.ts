import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { daysFromCivil, parseZone } from "../../../machines/appliance/timezone.ts";
import {
  civilAt,
  dateText,
  faceText,
  instantOf,
  isoAt,
  timeText,
} from "../../../machines/appliance/timezone-civil.ts";

const berlin = parseZone("CET-1CEST,M3.5.0,M10.5.0/3");
const at = (y: number, mo: number, d: number, h: number, m: number) => ({
  day: daysFromCivil(y, mo, d),
  second: h * 3600 + m * 60,
});

describe("local time", () => {
  it("every instant comes back from its local time, or is the second of a fold", () => {
    const zones = ["CET-1CEST,M3.5.0,M10.5.0/3", "NZST-12NZDT,M9.5.0,M4.1.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1"];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 4e9 }), (rule, epoch) => {
        const zone = parseZone(rule);
        const instant = instantOf(zone, civilAt(zone, epoch));
        const repeated = instant.kind === "fold" && instant.epoch === epoch - 3600;
        return instant.epoch === epoch || repeated;
      }),
      { numRuns: 2_000 },
    );
  });

  it("a time in the gap is the first minute after it", () => {
    const instant = instantOf(berlin, at(2026, 3, 29, 2, 30));
    expect(instant).toEqual({ epoch: Date.UTC(2026, 2, 29, 1, 0) / 1000, kind: "gap" });
  });

  it("a gap that ends inside a minute is over at the next whole minute", () => {
    const zone = parseZone("AAA0BBB-1,M3.5.0/2:00:20,M10.5.0");
    const instant = instantOf(zone, at(2026, 3, 29, 2, 30));
    expect(instant).toEqual({ epoch: Date.UTC(2026, 2, 29, 2, 1) / 1000, kind: "gap" });
  });

  it("a time in the doubled hour is its first occurrence", () => {
    const instant = instantOf(berlin, at(2026, 10, 25, 2, 30));
    expect(instant).toEqual({ epoch: Date.UTC(2026, 9, 25, 0, 30) / 1000, kind: "fold" });
  });

  it("is written as ISO 8601 with the offset of its moment", () => {
    const summer = Date.UTC(2026, 6, 1, 12, 0, 5) / 1000;
    expect(isoAt(berlin, summer)).toBe("2026-07-01T14:00:05+02:00");
    expect(isoAt(parseZone("<-0330>3:30"), summer)).toBe("2026-07-01T08:30:05-03:30");
  });

  it("an offset that ISO 8601 cannot say is written so that the instant stays exact", () => {
    const epoch = Date.UTC(2026, 6, 1, 12, 0, 5) / 1000;
    for (const rule of ["LMT0:25:21", "LMT-0:25:21", "XXX23:59:59", "XXX24", "XXX-24"])
      expect(Date.parse(isoAt(parseZone(rule), epoch)) / 1000).toBe(epoch);
  });

  it("is shown on a face of 12 or 24 hours", () => {
    const face = (h: number, m: number, hours24: boolean) => faceText(at(2026, 1, 1, h, m), hours24);
    expect([face(0, 5, false), face(12, 0, false), face(23, 59, false), face(9, 7, false)]).toEqual([
      "12:05 AM",
      "12:00 PM",
      "11:59 PM",
      "9:07 AM",
    ]);
    expect([face(0, 5, true), face(14, 5, true)]).toEqual(["00:05", "14:05"]);
    expect(timeText(at(2026, 1, 1, 7, 3))).toBe("07:03");
    expect(dateText(daysFromCivil(2026, 2, 9))).toBe("2026-02-09");
  });
});
