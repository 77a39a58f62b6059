import { assign, type SnapshotFrom, setup } from "xstate";

/** The battery as it was last read; it is looked at again and again. */
export interface BatteryReading {
  present: boolean;
  /** Volts. */
  voltage: number;
  percentage: number;
  charging: boolean;
}

export type PowerSourceEvent = { type: "READ"; reading: BatteryReading } | { type: "READ_FAILED" };

/** Without a battery every other field reads zero. */
const noBattery: BatteryReading = { present: false, voltage: 0, percentage: 0, charging: false };

export const powerSourceMachine = setup({
  types: { context: {} as { reading: BatteryReading }, events: {} as PowerSourceEvent },
  delays: { interval: 30_000 },
  actions: {
    read: () => {}, // effect
    show: assign({
      reading: ({ context, event }) => (event.type === "READ" ? event.reading : context.reading),
    }),
    showNone: assign({ reading: noBattery }),
  },
}).createMachine({
  id: "battery",
  context: { reading: noBattery },
  initial: "reading",
  states: {
    reading: {
      entry: "read",
      on: {
        READ: { target: "resting", actions: "show" },
        READ_FAILED: { target: "resting", actions: "showNone" },
      },
    },
    resting: { after: { interval: "reading" } },
  },
});

export function viewOfBattery({ context }: SnapshotFrom<typeof powerSourceMachine>): BatteryReading {
  return context.reading;
}
