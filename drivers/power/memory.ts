import type { PowerDriver, WakeCause } from "./power.ts";

const maxTimer = 2 ** 31 - 1;

/** Plays a device that sleeps: wakes when the time has come or somebody touches it. */
export class MemoryPower implements PowerDriver {
  readonly name = "memory";
  reboots = 0;
  private wakeUp: ((cause: WakeCause) => void) | null = null;

  get sleeping(): boolean {
    return this.wakeUp !== null;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.wakeUp?.("button");
  }

  sleep(wakeInMs: number | null): Promise<WakeCause> {
    this.wakeUp?.("button");
    const { promise, resolve } = Promise.withResolvers<WakeCause>();
    const timer =
      wakeInMs === null
        ? undefined
        : setTimeout(() => this.wakeUp?.("due"), Math.min(maxTimer, wakeInMs)).unref();
    this.wakeUp = (cause) => {
      clearTimeout(timer);
      this.wakeUp = null;
      resolve(cause);
    };
    return promise;
  }

  wake(): void {
    this.wakeUp?.("touch");
  }

  async reboot(): Promise<void> {
    this.reboots++;
  }
}
