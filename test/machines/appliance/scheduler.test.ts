import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../machines/appliance/schedule.ts";
import { simulate } from "./scheduler-sim.ts";

const utc = (...parts: [number, number, number, number?, number?, number?]) =>
  Date.UTC(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0, parts[5] ?? 0) / 1000;
const planned = (id: string, hour: number, minute: number, days = 127): Schedule => ({
  id,
  hour,
  minute,
  days,
  target: { type: "resume" },
  volume: null,
  enabled: true,
  since: 0,
  done: null,
});
const from = (start: number, ...schedules: Schedule[]) => schedules.map((s) => ({ ...s, since: start }));
const berlin = "CET-1CEST,M3.5.0,M10.5.0/3";

describe("thirty days", () => {
  const month = 30 * 86_400;

  it("when the clock goes forward nothing is missed and nothing runs twice", () => {
    const start = utc(2026, 3, 14, 23);
    const times = [
      planned("night", 0, 0),
      planned("gap", 2, 30),
      planned("after", 3, 0),
      planned("evening", 23, 59),
    ];
    const sim = simulate(berlin, start, from(start, ...times));
    sim.pass(month);
    for (const { id } of times)
      expect(
        sim.runs.filter(({ key }) => key === id),
        id,
      ).toHaveLength(30);
    const dates = sim.runs.map(({ key, at }) => `${key} ${at.slice(0, 10)}`);
    expect(new Set(dates).size).toBe(120);
    const inGap = sim.runs.find(({ key, at }) => key === "gap" && at.startsWith("2026-03-29"));
    expect(inGap?.at).toBe("2026-03-29T03:00:00+02:00");
    expect(sim.missed).toEqual([]);
  });

  it("when the clock goes back nothing is missed and nothing runs twice", () => {
    const start = utc(2026, 10, 10, 21, 30);
    const times = [
      planned("night", 0, 0),
      planned("double", 2, 30),
      planned("edge", 3, 0),
      planned("day", 12, 5),
    ];
    const sim = simulate(berlin, start, from(start, ...times));
    sim.pass(month);
    for (const { id } of times)
      expect(
        sim.runs.filter(({ key }) => key === id),
        id,
      ).toHaveLength(30);
    const inFold = sim.runs.find(({ key, at }) => key === "double" && at.startsWith("2026-10-25"));
    expect(inFold?.at).toBe("2026-10-25T02:30:00+02:00");
    expect(sim.missed).toEqual([]);
  });

  it.each(["NZST-12NZDT,M9.5.0,M4.1.0/3", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "IST-1GMT0,M10.5.0,M3.5.0/1"])(
    "a year in %s has every minute's schedule once a day",
    (rule) => {
      const start = utc(2026, 1, 1, 12);
      const times = [planned("a", 0, 0), planned("b", 1, 30), planned("c", 2, 30), planned("d", 23, 30)];
      const sim = simulate(rule, start, from(start, ...times));
      sim.pass(365 * 86_400, 60);
      for (const { id } of times)
        expect(
          sim.runs.filter(({ key }) => key === id),
          id,
        ).toHaveLength(365);
      expect(sim.missed).toEqual([]);
    },
  );

  it("runs in the minute that was asked for, on the days that were asked for", () => {
    const start = utc(2026, 6, 1);
    const sim = simulate("UTC0", start, from(start, planned("week", 6, 15, 0b0100001)));
    sim.pass(month);
    // Bit 0 is Sunday, bit 5 Friday.
    expect(sim.runs.map(({ at }) => new Date(at).getUTCDay()).toSorted((a, b) => a - b)).toEqual([
      0, 0, 0, 0, 5, 5, 5, 5,
    ]);
    expect(sim.runs.every(({ at }) => at.includes("T06:15:00"))).toBe(true);
  });
});

describe("a schedule for once", () => {
  it("runs today when its time is still to come, then is disabled", () => {
    const start = utc(2026, 6, 1, 6);
    const sim = simulate("UTC0", start, from(start, planned("once", 7, 0, 0)));
    expect(sim.view()[0]).toMatchObject({ enabled: true, next_run: "2026-06-01T07:00:00+00:00" });
    sim.pass(3 * 86_400);
    expect(sim.runs.map(({ at }) => at)).toEqual(["2026-06-01T07:00:00+00:00"]);
    expect(sim.view()[0]).toMatchObject({ enabled: false, next_run: null });
    expect(sim.stored.get("once")).toMatchObject({ enabled: false });
  });

  it("runs tomorrow when its time is past today", () => {
    const start = utc(2026, 6, 1, 7, 0, 1);
    const sim = simulate("UTC0", start, from(start, planned("once", 7, 0, 0)));
    sim.pass(3 * 86_400);
    expect(sim.runs.map(({ at }) => at.slice(0, 16))).toEqual(["2026-06-02T07:00"]);
  });

  it("that was slept through is over, and can be enabled again", () => {
    const start = utc(2026, 6, 1, 6);
    const sim = simulate("UTC0", start, from(start, planned("once", 7, 0, 0)));
    sim.restart(2 * 86_400);
    expect([sim.runs, sim.missed.length, sim.view()[0]?.enabled]).toEqual([[], 1, false]);
    sim.ref.send({ type: "ENABLE", id: "1", key: "once", enabled: true });
    sim.pass(2 * 86_400);
    expect(sim.runs.map(({ at }) => at)).toEqual(["2026-06-03T07:00:00+00:00"]);
  });
});

describe("a clock that is set", () => {
  const start = utc(2026, 6, 1, 6, 50);
  const daily = from(start, planned("daily", 7, 0));

  it("forward over the time by more than two minutes skips it, with a word", () => {
    const sim = simulate("UTC0", start, daily);
    sim.jump(20 * 60);
    expect([sim.runs.length, sim.missed.length]).toEqual([0, 1]);
    expect(sim.view()[0]?.next_run).toBe("2026-06-02T07:00:00+00:00");
  });

  it("forward over the time by less runs it at once", () => {
    const sim = simulate("UTC0", start, daily);
    sim.jump(11 * 60);
    expect(sim.runs.map(({ at }) => at)).toEqual(["2026-06-01T07:01:00+00:00"]);
  });

  it("back after a run does not run it again that day, and the next day it runs", () => {
    const sim = simulate("UTC0", start, daily);
    sim.pass(15 * 60);
    sim.jump(-3_600);
    sim.pass(2 * 86_400 + 7_200);
    expect(sim.runs.map(({ at }) => at.slice(0, 16))).toEqual([
      "2026-06-01T07:00",
      "2026-06-02T07:00",
      "2026-06-03T07:00",
    ]);
  });

  it("back over midnight after a run does not run it again", () => {
    const late = utc(2026, 6, 1, 23, 50);
    const sim = simulate("UTC0", late, from(late, planned("midnight", 0, 5)));
    sim.pass(20 * 60);
    sim.jump(-30 * 60);
    sim.pass(86_400);
    expect(sim.runs.map(({ at }) => at.slice(0, 10))).toEqual(["2026-06-02"]);
  });

  it("back by a year leaves nothing silenced", () => {
    const sim = simulate("UTC0", start, daily);
    sim.pass(15 * 60);
    sim.jump(-365 * 86_400);
    sim.pass(2 * 86_400);
    expect(sim.runs.slice(1).map(({ at }) => at.slice(0, 10))).toEqual(["2025-06-02", "2025-06-03"]);
  });

  it("unknown runs nothing and shows no next run, until it is known", () => {
    const sim = simulate("UTC0", start, daily);
    sim.know(false);
    sim.pass(15 * 60);
    expect([sim.runs.length, sim.view()[0]?.next_run]).toEqual([0, null]);
    sim.know(true);
    expect(sim.view()[0]?.next_run).toBe("2026-06-02T07:00:00+00:00");
    sim.pass(86_400);
    expect(sim.runs).toHaveLength(1);
  });
});

describe("a restart", () => {
  const start = utc(2026, 6, 1, 6, 59);
  const daily = from(start, planned("daily", 7, 0));

  it("within two minutes around the time neither loses nor doubles it", () => {
    const sim = simulate("UTC0", start, daily);
    sim.restart(100);
    sim.restart(20);
    sim.pass(300);
    expect(sim.runs).toHaveLength(1);
    const after = simulate("UTC0", start, daily);
    after.pass(61);
    after.restart(1);
    after.pass(300);
    expect(after.runs).toHaveLength(1);
  });

  it("that took too long skips it, with a word", () => {
    const sim = simulate("UTC0", start, daily);
    sim.restart(182);
    sim.pass(300);
    expect([sim.runs.length, sim.missed.length]).toEqual([0, 1]);
  });
});

describe("an adhan", () => {
  const start = utc(2026, 6, 1, 6, 59);
  const daily = from(start, planned("a", 7, 0), planned("b", 7, 1));

  it("holds back what falls due, however long it takes, and then all of it runs in order", () => {
    const sim = simulate("UTC0", start, daily);
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: true, at: null } });
    sim.pass(600);
    expect(sim.runs).toEqual([]);
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: false, at: null } });
    expect(sim.runs.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(sim.missed).toEqual([]);
  });

  it("of the same minute goes first though it has not begun", () => {
    const sim = simulate("UTC0", start, daily.slice(0, 1));
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: false, at: start + 60 } });
    sim.pass(62, 1);
    expect(sim.runs).toEqual([]);
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: true, at: start + 9_000 } });
    sim.pass(200);
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: false, at: start + 9_000 } });
    expect(sim.runs).toHaveLength(1);
  });

  it("that never begins holds nothing back for long", () => {
    const sim = simulate("UTC0", start, daily.slice(0, 1));
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: false, at: start + 60 } });
    sim.pass(400, 1);
    expect(sim.runs).toHaveLength(1);
  });
});

describe("changes by people", () => {
  const start = utc(2026, 6, 1, 6, 59);

  it("a schedule made in its own minute runs tomorrow", () => {
    const sim = simulate("UTC0", start + 65);
    const { since: _, done: __, ...schedule } = planned("new", 7, 0);
    sim.ref.send({ type: "CREATE", id: "1", schedule });
    expect(sim.view()[0]?.next_run).toBe("2026-06-02T07:00:00+00:00");
    sim.pass(2 * 86_400);
    expect(sim.runs).toHaveLength(2);
  });

  it("one that is disabled or removed while an adhan holds it back does not run", () => {
    const sim = simulate("UTC0", start, from(start, planned("a", 7, 0), planned("b", 7, 0)));
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: true, at: null } });
    sim.pass(120);
    sim.ref.send({ type: "ENABLE", id: "1", key: "a", enabled: false });
    sim.ref.send({ type: "REMOVE", id: "2", key: "b" });
    sim.ref.send({ type: "ADHAN_CHANGED", adhan: { on: false, at: null } });
    expect([sim.runs, sim.view().map(({ id }) => id)]).toEqual([[], ["a"]]);
  });
});
