/** The endpoint protection beside the platform, as the platform knows it. */

export type EdrAction = "isolate" | "unisolate" | "scan";

export interface SeenEndpoint {
  id: string;
  hostname: string;
  ip: string | null;
  os: string | null;
  /** Null when the adapter says something else, or nothing. */
  status: "online" | "offline" | "isolated" | null;
}

export interface Inventory {
  endpoints: SeenEndpoint[];
  /** Entries that could not be used. */
  skipped: number;
}

export type EdrAnswer =
  | { outcome: "confirmed"; receipt: unknown }
  /** Taken, not done yet: the inventory will tell. */
  | { outcome: "accepted"; receipt: unknown }
  /** It certainly did not happen. */
  | { outcome: "refused"; error: string }
  /** Nobody can say. */
  | { outcome: "unknown"; error: string };

export interface EdrCall {
  /** The same for every repetition of one request. */
  key: string;
  reason: string | null;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Edr {
  /** Throws `unavailable` when it cannot be had, or is none. */
  inventory(): Promise<Inventory>;
  /** Whether the adapter says that a repeated key does nothing twice; asks it when it has not said yet. */
  honoursKeys(): Promise<boolean>;
  act(endpointId: string, action: EdrAction, call: EdrCall): Promise<EdrAnswer>;
}
