import { createActor } from "xstate";
import type { ClockDriver } from "../../drivers/clock/clock.ts";
import {
  type ClockCommand,
  type ClockReading,
  type ClockReplies,
  type ClockView,
  clockMachine,
  refusalOfClock,
  viewOfClock,
} from "../../machines/appliance/clock.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";

export type Clock = Client<ClockCommand, ClockView, ClockReplies>;

/** Keeps the appliance's clock, and tells everybody who waits for a time when it jumps. */
export function startClock(driver: ClockDriver): Start {
  return async ({ inspect, log }) => {
    await driver.open();
    const reading = (): ClockReading => ({
      source: driver.source,
      offsetMs: driver.offsetMs,
      rtcTemperature: driver.rtcTemperature,
    });
    const machine = clockMachine.provide({
      actions: {
        setTime: (_, { id, epoch }) => {
          driver.setTime(epoch).then(
            () => ref.send({ type: "TIME_SET", id, reading: reading() }),
            (error) => {
              log.error({ err: error }, "the clock could not be set");
              ref.send({ type: "SET_FAILED", id, refusal: refusalFrom(error, "the clock could not be set") });
            },
          );
        },
      },
    });
    const ref = createActor(machine, { input: reading(), inspect });
    ref.start();
    const deaf = driver.listen((event) => {
      if (event.type === "source") return ref.send({ type: "SOURCE_CHANGED", reading: reading() });
      log.info({ by_ms: Math.round(event.byMs) }, "the clock jumped");
      ref.send({ type: "CLOCK_JUMPED", byMs: event.byMs, reading: reading() });
    });
    return {
      ref,
      speech: { refusalOf: refusalOfClock, viewOf: viewOfClock, waits: ["SET_TIME"] },
      close: () => {
        deaf();
        return driver.close();
      },
    };
  };
}
