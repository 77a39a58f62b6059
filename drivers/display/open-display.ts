import { type DisplayDriver, NoPanel } from "./display.ts";

/** The real part only on a device; elsewhere nothing of the host is ever drawn on. */
export async function chooseDisplay(
  wanted: "auto" | "framebuffer" | "memory",
  device: boolean,
): Promise<DisplayDriver> {
  if (device && wanted !== "memory") return new (await import("./framebuffer.ts")).Framebuffer();
  return new NoPanel();
}
