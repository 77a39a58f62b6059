import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bmpOf } from "../../../drivers/display/bmp.ts";
import { Framebuffer } from "../../../drivers/display/framebuffer.ts";
import { paint } from "../../../drivers/display/paint.ts";
import type { Screen } from "../../../machines/appliance/screen.ts";

/** Two rows of red, green and blue, then white, black and grey. */
const tiny = {
  width: 3,
  height: 2,
  pixels: Uint8Array.from([
    255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255, 128, 128, 128, 255,
  ]),
};

it("writes a BMP from the bottom row, blue first, rows padded to four bytes", () => {
  const bmp = Buffer.from(bmpOf(tiny));
  expect(bmp.toString("latin1", 0, 2)).toBe("BM");
  expect([bmp.readUInt32LE(2), bmp.readInt32LE(18), bmp.readInt32LE(22), bmp.readUInt16LE(28)]).toEqual([
    78, 3, 2, 24,
  ]);
  expect([...bmp.subarray(54)]).toEqual([
    255, 255, 255, 0, 0, 0, 128, 128, 128, 0, 0, 0, 0, 0, 255, 0, 255, 0, 255, 0, 0, 0, 0, 0,
  ]);
});

describe("the framebuffer", () => {
  function panel(bits: number, size: string, stride: number) {
    const folder = mkdtempSync(join(tmpdir(), "minaret-fb-"));
    for (const [name, value] of Object.entries({ virtual_size: size, bits_per_pixel: bits, stride }))
      writeFileSync(join(folder, name), `${value}\n`);
    const device = join(folder, "fb0");
    writeFileSync(device, "");
    return { device, driver: new Framebuffer(device, folder) };
  }

  it("gets 16-bit pixels in rows of its own stride", async () => {
    const { device, driver } = panel(16, "3,2", 8);
    await driver.open();
    await driver.show(tiny);
    await driver.close();
    const bytes = readFileSync(device);
    expect(bytes.length).toBe(16);
    expect([0, 2, 4, 8].map((at) => bytes.readUInt16LE(at))).toEqual([0xf800, 0x07e0, 0x001f, 0xffff]);
  });

  it("gets 32-bit pixels, and only what fits", async () => {
    const { device, driver } = panel(32, "2,1", 8);
    await driver.open();
    await driver.show(tiny);
    await driver.close();
    const bytes = readFileSync(device);
    expect([bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.length]).toEqual([0xff0000, 0x00ff00, 8]);
  });

  it("is refused when its depth is not known", async () => {
    await expect(panel(24, "3,2", 9).driver.open()).rejects.toThrow("24 bits");
  });
});

it("draws Arabic joined, not letter by letter", () => {
  const screen = (title_ar: string): Screen => ({
    kind: "gap",
    title: "",
    title_ar,
    done: 0,
    target: 0,
    pause_s: 0,
  });
  const lit = (text: string) => {
    const { pixels } = paint(screen(text));
    let columns = 0;
    for (let x = 0; x < 480; x++) {
      let bright = false;
      for (let y = 40; y < 120; y++) bright ||= pixels[(y * 480 + x) * 4]! > 200;
      if (bright) columns++;
    }
    return columns;
  };
  // A joined word is narrower than the same letters kept apart.
  expect(lit("محمد")).toBeGreaterThan(20);
  expect(lit("محمد")).toBeLessThan(lit("م‌ح‌م‌د"));
});
