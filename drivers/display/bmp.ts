import type { Frame } from "./display.ts";

const headerBytes = 54;

/** A frame as a 24-bit BMP: rows from the bottom, blue first, each padded to four bytes. */
export function bmpOf({ width, height, pixels }: Frame): Uint8Array {
  const stride = (width * 3 + 3) & ~3;
  const bmp = Buffer.alloc(headerBytes + stride * height);
  bmp.write("BM", 0, "latin1");
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(headerBytes, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(width, 18);
  bmp.writeInt32LE(height, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  bmp.writeUInt32LE(stride * height, 34);
  bmp.writeInt32LE(2835, 38);
  bmp.writeInt32LE(2835, 42);
  for (let y = 0; y < height; y++) {
    let to = headerBytes + stride * (height - 1 - y);
    for (let from = y * width * 4; from < (y + 1) * width * 4; from += 4, to += 3) {
      bmp[to] = pixels[from + 2]!;
      bmp[to + 1] = pixels[from + 1]!;
      bmp[to + 2] = pixels[from]!;
    }
  }
  return bmp;
}
