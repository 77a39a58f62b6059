import { createActor } from "xstate";
import type { BatteryDriver } from "../../drivers/battery/battery.ts";
import {
  type BatteryReading,
  powerSourceMachine,
  viewOfBattery,
} from "../../machines/appliance/power-source.ts";
import type { Client, Start } from "../client.ts";

export type Battery = Client<never, BatteryReading>;

/** Looks at the battery every half minute. */
export function startBattery(battery: BatteryDriver): Start {
  return ({ inspect, log }) => {
    const machine = powerSourceMachine.provide({
      actions: {
        read: () => {
          battery.read().then(
            (reading) => ref.send({ type: "READ", reading }),
            (error) => {
              log.warn({ err: error }, "the battery could not be read");
              ref.send({ type: "READ_FAILED" });
            },
          );
        },
      },
    });
    const ref = createActor(machine, { inspect }).start();
    return { ref, speech: { refusalOf: () => null, viewOf: viewOfBattery, waits: [] } };
  };
}
