/** The canvas with the fonts of the house. Loaded when the first frame is drawn: it costs 30 MB. */
import { fileURLToPath } from "node:url";
import { type Canvas, createCanvas, GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import { screenHeight, screenWidth } from "./display.ts";

const fonts = [
  ["Inter", "@fontsource/inter/files/inter-latin-400-normal.woff2"],
  ["Inter", "@fontsource/inter/files/inter-latin-ext-400-normal.woff2"],
  ["InterBold", "@fontsource/inter/files/inter-latin-600-normal.woff2"],
  ["InterBold", "@fontsource/inter/files/inter-latin-ext-600-normal.woff2"],
  ["Amiri", "@fontsource/amiri/files/amiri-arabic-400-normal.woff2"],
  ["AmiriBold", "@fontsource/amiri/files/amiri-arabic-700-normal.woff2"],
] as const;

for (const [family, file] of fonts)
  GlobalFonts.registerFromPath(fileURLToPath(import.meta.resolve(file)), family);

export const ink = {
  ground: "#0b1f1c",
  glow: "#12332d",
  text: "#f3e9d2",
  quiet: "#9db0a4",
  accent: "#d8b365",
  line: "#24463f",
} as const;

export type Ink = (typeof ink)[keyof typeof ink];
export type Face = "plain" | "bold";

/** Latin first, Arabic where the letter is Arabic: one text may hold both. */
const families = { plain: "Inter, Amiri", bold: "InterBold, AmiriBold" } as const;

export class Sheet {
  readonly canvas: Canvas = createCanvas(screenWidth, screenHeight);
  readonly pen: SKRSContext2D = this.canvas.getContext("2d");

  clear(): void {
    const sky = this.pen.createLinearGradient(0, 0, 0, screenHeight);
    sky.addColorStop(0, ink.glow);
    sky.addColorStop(1, ink.ground);
    this.pen.fillStyle = sky;
    this.pen.fillRect(0, 0, screenWidth, screenHeight);
  }

  /** Centred unless `left` says where it begins; shrinks to fit, then loses its end. */
  text(
    words: string,
    y: number,
    size: number,
    look: { color?: Ink; face?: Face; left?: number; width?: number } = {},
  ): void {
    const { color = ink.text, face = "plain", left, width = screenWidth - 48 } = look;
    const { pen } = this;
    pen.fillStyle = color;
    pen.textBaseline = "alphabetic";
    pen.textAlign = left === undefined ? "center" : "left";
    let fitted = size;
    const measure = (text: string) => {
      pen.font = `${fitted}px ${families[face]}`;
      return pen.measureText(text).width;
    };
    while (fitted > size * 0.6 && measure(words) > width) fitted -= 1;
    let shown = words;
    while (shown.length > 1 && measure(shown) > width) shown = `${shown.slice(0, -2)}…`;
    measure(shown);
    pen.fillText(shown, left ?? screenWidth / 2, y);
  }

  bar(y: number, part: number, height = 6): void {
    const [left, width] = [40, screenWidth - 80];
    this.#pill(left, y, width, height, ink.line);
    if (part > 0) this.#pill(left, y, Math.max(height, width * Math.min(1, part)), height, ink.accent);
  }

  #pill(x: number, y: number, width: number, height: number, color: Ink): void {
    this.pen.fillStyle = color;
    this.pen.beginPath();
    this.pen.roundRect(x, y, width, height, height / 2);
    this.pen.fill();
  }

  rule(y: number): void {
    this.pen.fillStyle = ink.line;
    this.pen.fillRect(screenWidth / 2 - 60, y, 120, 1);
  }

  /** The arch of a mihrab, behind what calls to prayer. */
  arch(): void {
    const { pen } = this;
    pen.strokeStyle = ink.line;
    pen.lineWidth = 2;
    for (const inset of [0, 14]) {
      pen.beginPath();
      pen.moveTo(110 + inset, screenHeight);
      pen.lineTo(110 + inset, 150);
      pen.bezierCurveTo(110 + inset, 70 + inset, 200, 60 + inset, 240, 20 + inset * 1.4);
      pen.bezierCurveTo(280, 60 + inset, 370 - inset, 70 + inset, 370 - inset, 150);
      pen.lineTo(370 - inset, screenHeight);
      pen.stroke();
    }
  }
}
