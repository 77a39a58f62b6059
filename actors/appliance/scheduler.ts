import { createActor } from "xstate";
import type { ClockDriver } from "../../drivers/clock/clock.ts";
import type { Store } from "../../drivers/store/store.ts";
import type { Schedule } from "../../machines/appliance/schedule.ts";
import {
  refusalOfScheduler,
  type SchedulerCommand,
  type SchedulerReplies,
  type ScheduleView,
  schedulerMachine,
  viewOfScheduler,
} from "../../machines/appliance/scheduler.ts";
import type { AdhanOutlook, Write } from "../../machines/appliance/scheduler-context.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { steadyClock, type TreeClock } from "../supervisor-spec.ts";
import { tell } from "../tell.ts";
import { admitTarget, type TargetChecks } from "./admit-target.ts";
import type { Playback } from "./playback.ts";
import type { Prayer } from "./prayer.ts";
import { notStored, put, readAll } from "./record-list.ts";
import { runTarget } from "./run-target.ts";
import { onTimeChange, secondsOf, shown, zoneNow } from "./time-of-day.ts";

export type Scheduler = Client<SchedulerCommand, readonly ScheduleView[], SchedulerReplies>;

export interface SchedulerDeps extends TargetChecks {
  store: Store;
  clock: ClockDriver;
  timers?: TreeClock;
}

const collection = "schedules";

/** Runs the schedules; how far each has come is stored after its run, so that a restart neither loses nor doubles one. */
export function startScheduler({ store, clock, timers = steadyClock, ...checks }: SchedulerDeps): Start {
  return async ({ inspect, log, tree }) => {
    const playback: Playback = tree.client("appliance/playback");
    const prayer: Prayer = tree.client("appliance/prayer");
    const schedules = await readAll<Schedule>(store, collection);

    const perform = async ({ record, created, fresh, remove }: Write): Promise<Schedule | null> => {
      if (remove !== null) await store.delete(collection, remove);
      if (record === null) return null;
      if (created) await admitTarget(tree, record.target, checks);
      const stamped = fresh ? { ...record, since: clock.now() / 1000 } : record;
      await put(store, collection, stamped);
      return stamped;
    };
    const machine = schedulerMachine.provide({
      actions: {
        readClock: () => ref.send({ type: "TIME_READ", now: secondsOf(clock) }),
        runTarget: (_, { key, target, volume }) => {
          log.info({ schedule: key, target: target.type }, "a schedule runs");
          runTarget(tree, target, volume ?? undefined).then(
            () => tell(ref, { type: "TARGET_RUN" }),
            (error: unknown) => {
              log.warn({ err: error, schedule: key }, "a schedule could not be run");
              tell(ref, { type: "TARGET_FAILED" });
            },
          );
        },
        write: (_, write) => {
          perform(write).then(
            (record) => tell(ref, { type: "WRITTEN", record }),
            (error: unknown) => {
              log.warn({ err: error }, "a schedule could not be stored");
              tell(ref, { type: "WRITE_FAILED", refusal: refusalFrom(error, notStored) });
            },
          );
        },
        noteMissed: (_, { missed }) => {
          for (const { key, at } of missed)
            log.warn(
              { schedule: key, due: new Date(at * 1000).toISOString() },
              "a schedule was missed and skipped",
            );
        },
      },
    });
    const ref = createActor(machine, { input: { schedules, zone: zoneNow(tree) }, inspect, clock: timers });
    ref.start();

    let told: AdhanOutlook = { on: false, at: null };
    const look = () => {
      const on = shown(playback, ({ adhan }) => adhan === true) ?? false;
      const at = shown(prayer, ({ called_at, next_adhan }) => called_at ?? next_adhan) ?? null;
      if (on === told.on && at === told.at) return;
      told = { on, at };
      ref.send({ type: "ADHAN_CHANGED", adhan: told });
    };
    const endings = [
      playback.watch(look),
      prayer.watch(look),
      onTimeChange(tree, {
        clockChanged: () => ref.send({ type: "CLOCK_CHANGED" }),
        zoneSet: (zone) => ref.send({ type: "ZONE_SET", zone }),
      }),
    ];
    look();
    return {
      ref,
      speech: {
        refusalOf: refusalOfScheduler,
        viewOf: viewOfScheduler,
        waits: ["CREATE", "ENABLE", "REMOVE"],
      },
      close: () => {
        for (const end of endings) end();
      },
    };
  };
}
