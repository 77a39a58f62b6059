/** A scheduler on a simulated clock, with a world that answers at once. */
import { createActor, SimulatedClock } from "xstate";
import type { Schedule } from "../../../machines/appliance/schedule.ts";
import type { RunOrder } from "../../../machines/appliance/scheduler.ts";
import { schedulerMachine, viewOfScheduler } from "../../../machines/appliance/scheduler.ts";
import type { DueSchedule } from "../../../machines/appliance/scheduler-context.ts";
import { parseZone } from "../../../machines/appliance/timezone.ts";
import { isoAt } from "../../../machines/appliance/timezone-civil.ts";

export function simulate(rule: string, start: number, initial: readonly Schedule[] = []) {
  const zone = parseZone(rule);
  const timers = new SimulatedClock();
  const runs: { key: string; at: string; order: RunOrder }[] = [];
  const missed: DueSchedule[] = [];
  const stored = new Map<string, Schedule>(initial.map((schedule) => [schedule.id, schedule]));
  let offset = start;
  let known = true;
  const now = () => (known ? Math.floor(offset + timers.now() / 1000) : null);

  const boot = () => {
    const machine = schedulerMachine.provide({
      actions: {
        readClock: () => ref.send({ type: "TIME_READ", now: now() }),
        runTarget: (_, order) => {
          runs.push({ key: order.key, at: isoAt(zone, now() ?? 0), order });
          ref.send({ type: "TARGET_RUN" });
        },
        write: (_, { record, fresh, remove }) => {
          const written = record && (fresh ? { ...record, since: now() ?? 0 } : record);
          if (written) stored.set(written.id, written);
          if (remove) stored.delete(remove);
          ref.send({ type: "WRITTEN", record: written });
        },
        noteMissed: (_, params) => void missed.push(...params.missed),
      },
    });
    const ref = createActor(machine, { input: { schedules: [...stored.values()], zone }, clock: timers });
    ref.start();
    return ref;
  };

  let ref = boot();
  return {
    runs,
    missed,
    stored,
    get ref() {
      return ref;
    },
    now,
    view: () => viewOfScheduler(ref.getSnapshot()),
    pass(seconds: number, step = 10) {
      for (let left = seconds; left > 0; left -= step) timers.increment(Math.min(step, left) * 1000);
    },
    /** The clock is set: it moves, the timers do not. */
    jump(seconds: number) {
      offset += seconds;
      ref.send({ type: "CLOCK_CHANGED" });
    },
    know(knows: boolean) {
      known = knows;
      ref.send({ type: "CLOCK_CHANGED" });
    },
    restart(downSeconds: number) {
      ref.stop();
      timers.increment(downSeconds * 1000);
      ref = boot();
    },
  };
}
