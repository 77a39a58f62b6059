import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DomainError } from "../../machines/errors.ts";
import type { DisplayDriver, Frame } from "./display.ts";

interface Geometry {
  width: number;
  height: number;
  bits: 16 | 32;
  stride: number;
}

/** Linux's framebuffer, 16 or 32 bit; a panel of another size shows as much of the frame as fits. */
export class Framebuffer implements DisplayDriver {
  readonly name = "framebuffer";
  readonly #device: string;
  readonly #sysfs: string;
  #file: FileHandle | null = null;
  #geometry: Geometry | null = null;

  constructor(device = "/dev/fb0", sysfs = "/sys/class/graphics/fb0") {
    this.#device = device;
    this.#sysfs = sysfs;
  }

  async open(): Promise<void> {
    const value = async (name: string) => (await readFile(join(this.#sysfs, name), "utf8")).trim();
    const [width = 0, height = 0] = (await value("virtual_size")).split(",").map(Number);
    const bits = Number(await value("bits_per_pixel"));
    if (bits !== 16 && bits !== 32)
      throw new DomainError("unavailable", `a screen of ${bits} bits is not supported`);
    const stride = Number(await value("stride").catch(() => String((width * bits) / 8)));
    this.#geometry = { width, height, bits, stride };
    this.#file = await open(this.#device, "r+");
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async show(frame: Frame): Promise<void> {
    if (!this.#file || !this.#geometry) throw new DomainError("unavailable", "the screen is not open");
    const bytes = bytesFor(frame, this.#geometry);
    await this.#file.write(bytes, 0, bytes.length, 0);
  }
}

/** The frame in the panel's own format, in its upper left corner. */
export function bytesFor(frame: Frame, { width, height, bits, stride }: Geometry): Buffer {
  const bytes = Buffer.alloc(stride * height);
  const columns = Math.min(width, frame.width);
  for (let y = 0; y < Math.min(height, frame.height); y++) {
    for (let x = 0; x < columns; x++) {
      const from = (y * frame.width + x) * 4;
      const [red, green, blue] = [frame.pixels[from]!, frame.pixels[from + 1]!, frame.pixels[from + 2]!];
      const to = y * stride + (x * bits) / 8;
      if (bits === 16) bytes.writeUInt16LE(((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3), to);
      else bytes.writeUInt32LE(((red << 16) | (green << 8) | blue) >>> 0, to);
    }
  }
  return bytes;
}
