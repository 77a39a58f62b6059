import { type FormEvent, useState } from "react";
import type { PlaybackView } from "../../../machines/appliance/playback-view.ts";
import { send } from "./api.ts";

const modes = {
  off: "Stop after this surah",
  continuous: "Go on with the next",
  repeat_one: "Repeat this surah",
  hifz_repeat: "Memorise: repeat this surah",
  hifz_ab: "Memorise: a range of surahs",
} as const;

/** What happens at the end of a track, and the drills for memorisation. */
export function Advance({ status }: { status: PlaybackView }) {
  const [mode, setMode] = useState<keyof typeof modes | null>(null);
  const shown = mode ?? status.advance_mode;
  const hifz = shown === "hifz_repeat" || shown === "hifz_ab";
  const choose = (next: keyof typeof modes) => {
    if (next.startsWith("hifz")) return setMode(next);
    setMode(null);
    void send("POST", "/playback/mode", { mode: next });
  };
  const begin = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const number = (name: string) => Number(form.get(name));
    const ab = shown === "hifz_ab" && { ab: { from: number("from"), to: number("to") } };
    await send("POST", "/playback/mode", {
      mode: shown,
      repeat: number("repeat"),
      pause_s: number("pause_s"),
      ...ab,
    });
    setMode(null);
  };
  return (
    <form className="advance" onSubmit={(event) => void begin(event)}>
      <label>
        At the end
        <select value={shown} onChange={(event) => choose(event.target.value as keyof typeof modes)}>
          {Object.entries(modes).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {hifz && (
        <>
          <label>
            Times
            <input
              name="repeat"
              type="number"
              min={shown === "hifz_ab" ? 1 : 0}
              max={1000}
              defaultValue={status.hifz?.repeat_target ?? 3}
            />
          </label>
          <label>
            Pause (s)
            <input name="pause_s" type="number" min={0} max={600} defaultValue={status.hifz?.pause_s ?? 5} />
          </label>
        </>
      )}
      {shown === "hifz_ab" && (
        <>
          <label>
            From
            <input name="from" type="number" min={1} max={114} defaultValue={status.hifz?.ab_start ?? 112} />
          </label>
          <label>
            To
            <input name="to" type="number" min={1} max={114} defaultValue={status.hifz?.ab_end ?? 114} />
          </label>
        </>
      )}
      {hifz && <button type="submit">Begin</button>}
      {status.hifz && (
        <p className="muted">
          {status.hifz.repeat_done} of {status.hifz.repeat_target === 0 ? "∞" : status.hifz.repeat_target}{" "}
          done
        </p>
      )}
    </form>
  );
}
