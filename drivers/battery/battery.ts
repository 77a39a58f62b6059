/** One look at the battery; without one every other field reads zero. */
export interface BatteryDriver {
  readonly name: "sysfs" | "memory";
  read(): Promise<{ present: boolean; voltage: number; percentage: number; charging: boolean }>;
}

/** What stands in: a device on mains. */
export class MemoryBattery implements BatteryDriver {
  readonly name = "memory";
  reading = { present: false, voltage: 0, percentage: 0, charging: false };

  async read() {
    return this.reading;
  }
}
