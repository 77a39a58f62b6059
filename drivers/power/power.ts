export type WakeCause = "due" | "touch" | "button";

/** Sleeping, waking and rebooting. `open` touches the world, `close` may be called twice. */
export interface PowerDriver {
  readonly name: "system" | "memory";
  open(): Promise<void>;
  close(): Promise<void>;
  /** Sleeps, and resolves when the device is awake again. The alarm is relative, so a set clock does not move it. */
  sleep(wakeInMs: number | null): Promise<WakeCause>;
  /** Ends a sleep that can be ended from inside; a device that really sleeps has nobody to call this. */
  wake(): void;
  reboot(): Promise<void>;
}
