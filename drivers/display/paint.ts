/** Draws each screen. Knows how things look, not when they are shown. */
import type { Screen } from "../../machines/appliance/screen.ts";
import { ink, Sheet } from "./canvas.ts";
import { type Frame, screenHeight, screenWidth } from "./display.ts";

type Painters = { [K in Screen["kind"]]: (sheet: Sheet, screen: Extract<Screen, { kind: K }>) => void };

const painters: Painters = {
  sleep: (sheet) => {
    sheet.pen.fillStyle = "#000000";
    sheet.pen.fillRect(0, 0, screenWidth, screenHeight);
  },
  update: (sheet, { status, progress }) => {
    sheet.text("Updating", 120, 34, { face: "bold" });
    sheet.text(status, 156, 18, { color: ink.quiet });
    sheet.bar(190, progress / 100, 10);
    sheet.text(`${progress} %`, 234, 20);
    sheet.text("Keep the device powered", 292, 15, { color: ink.quiet });
  },
  adhan: (sheet, { prayer }) => {
    sheet.arch();
    sheet.text("الأذان", 168, 72, { face: "bold", color: ink.accent });
    sheet.text(capital(prayer === "test" ? "" : prayer), 222, 28, { face: "bold" });
  },
  card: (sheet, { name, uid }) => {
    sheet.pen.strokeStyle = ink.accent;
    sheet.pen.lineWidth = 3;
    sheet.pen.beginPath();
    sheet.pen.roundRect(190, 60, 100, 68, 10);
    sheet.pen.stroke();
    sheet.text(name, 190, 32, { face: "bold" });
    sheet.text(uid, 226, 16, { color: ink.quiet });
  },
  gap: (sheet, { title, title_ar, done, target, pause_s }) => {
    sheet.text(title_ar, 100, 54, { face: "bold" });
    sheet.text(title, 140, 22, { color: ink.quiet });
    sheet.text("· · ·", 196, 40, { color: ink.accent });
    sheet.text(target === 0 ? `${done} times` : `${done} of ${target}`, 242, 26, { face: "bold" });
    sheet.text(`a pause of ${pause_s} s`, 280, 16, { color: ink.quiet });
  },
  playing: (sheet, screen) => {
    const { title, title_ar, subtitle, state, position, duration, volume, drill } = screen;
    if (title_ar) sheet.text(title_ar, 104, 60, { face: "bold" });
    sheet.text(title, title_ar ? 150 : 120, title_ar ? 24 : 32, { face: "bold" });
    sheet.text(subtitle, 182, 18, { color: ink.quiet });
    if (duration > 0) {
      sheet.bar(216, position / duration);
      sheet.text(clockText(position), 248, 16, { color: ink.quiet, left: 40 });
      sheet.pen.textAlign = "right";
      sheet.pen.fillText(clockText(duration), screenWidth - 40, 248);
    } else {
      sheet.text(state === "buffering" ? "buffering" : "live", 236, 18, { color: ink.accent });
    }
    const words = [state === "paused" ? "paused" : "", drill, `volume ${volume}`]
      .filter(Boolean)
      .join("   ·   ");
    sheet.text(words, 290, 16, { color: ink.quiet });
  },
  prayer: (sheet, { name, time, minutes, hijri }) => {
    sheet.arch();
    sheet.text(capital(name), 140, 44, { face: "bold", color: ink.accent });
    sheet.text(time, 190, 34);
    sheet.text(minutes <= 1 ? "in a minute" : `in ${minutes} minutes`, 226, 20, { color: ink.quiet });
    sheet.text(hijri, 296, 16, { color: ink.quiet });
  },
  clock: (sheet, { time, date, hijri, hijri_ar, next }) => {
    sheet.text(time, 158, 92, { face: "bold" });
    sheet.text(date, 198, 18, { color: ink.quiet });
    sheet.rule(220);
    if (hijri) sheet.text(`${hijri}   ${hijri_ar}`, 256, 22);
    if (next) sheet.text(capital(next), 292, 18, { color: ink.accent });
  },
};

const sheet = new Sheet();

export function paint(screen: Screen): Frame {
  sheet.clear();
  painters[screen.kind](sheet, screen as never);
  const { data } = sheet.pen.getImageData(0, 0, screenWidth, screenHeight);
  return { width: screenWidth, height: screenHeight, pixels: new Uint8Array(data.buffer) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function clockText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first = 0, ...rest] = parts[0] ? parts : parts.slice(1);
  return [String(first), ...rest.map((part) => String(part).padStart(2, "0"))].join(":");
}
