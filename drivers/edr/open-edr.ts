import type { Edr } from "./edr.ts";
import { HttpEdr } from "./http-edr.ts";

/** Null when none is configured: then its actions are refused. */
export function openEdr(config: { url: string; token: string | undefined } | null): Edr | null {
  return config && new HttpEdr(config);
}
