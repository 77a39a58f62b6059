/** Where the time comes from; `none` until it is known. */
export type TimeSource = "none" | "rtc" | "sntp" | "manual";

export type ClockEvent =
  /** The wall clock moved against the monotonic one: it was set, or the machine slept. */
  { type: "jumped"; byMs: number } | { type: "source"; source: TimeSource };

/** The appliance's own clock. `open` touches the world, `close` may be called twice. */
export interface ClockDriver {
  readonly name: "system" | "memory";
  open(): Promise<void>;
  close(): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  /** `now()` less the host's clock; always 0 where the host's clock is the appliance's. */
  readonly offsetMs: number;
  readonly source: TimeSource;
  /** Degrees Celsius; null without a chip that measures it. */
  readonly rtcTemperature: number | null;
  /** Sets the clock, and the real-time clock where there is one, to seconds since 1970. */
  setTime(epoch: number): Promise<void>;
  listen(listener: (event: ClockEvent) => void): () => void;
}
