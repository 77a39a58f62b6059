import type { FormEvent } from "react";
import type { ScheduleView } from "../../../machines/appliance/scheduler.ts";
import { send } from "./api.ts";
import { live } from "./state.ts";
import { dayNames, daysInWords, surahTitle } from "./words.ts";

function targetInWords({ target }: ScheduleView): string {
  switch (target.type) {
    case "surah":
      return `${surahTitle(target.surah)} by ${target.reciter}`;
    case "file":
      return target.path;
    case "stream":
      return target.name ?? target.url;
    case "resume":
      return "go on where it stopped";
    case "favorite":
    case "station":
    case "stop":
      return target.type;
  }
}

/** What the device does at a time of its own. */
export function Schedules() {
  const { state } = live.use();
  const schedules = state.schedules?.schedules ?? [];
  const reciters = state.library?.reciters ?? [];
  const create = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [hour = 0, minute = 0] = String(form.get("time")).split(":").map(Number);
    const days = dayNames.reduce((mask, name, day) => mask | (form.get(name) ? 1 << day : 0), 0);
    const reciter = String(form.get("reciter"));
    const target = reciter
      ? { type: "surah", reciter, surah: Number(form.get("surah")) }
      : { type: form.get("what") };
    const volume = String(form.get("volume"));
    void send("POST", "/schedules", {
      hour,
      minute,
      days,
      target,
      ...(volume && { volume: Number(volume) }),
    });
  };
  return (
    <div className="columns">
      <section>
        <h3>Schedules</h3>
        {schedules.length === 0 && <p className="empty">Nothing is scheduled.</p>}
        <ul className="list">
          {schedules.map((schedule) => (
            <li key={schedule.id}>
              <span className="row">
                <strong>
                  {String(schedule.hour).padStart(2, "0")}:{String(schedule.minute).padStart(2, "0")}
                </strong>
                <span>{targetInWords(schedule)}</span>
                <span className="muted">{daysInWords(schedule.days)}</span>
              </span>
              <label className="check">
                <input
                  type="checkbox"
                  checked={schedule.enabled}
                  onChange={(event) =>
                    void send("POST", `/schedules/${schedule.id}/enable`, { enabled: event.target.checked })
                  }
                />
                on
              </label>
              <button
                type="button"
                aria-label="Remove"
                onClick={() => void send("DELETE", `/schedules/${schedule.id}`)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      </section>
      <form className="fields" onSubmit={create}>
        <h3>A new one</h3>
        <label>
          Time
          <input name="time" type="time" required defaultValue="06:30" />
        </label>
        <div className="chips">
          {dayNames.map((name) => (
            <label key={name} className="check">
              <input name={name} type="checkbox" /> {name}
            </label>
          ))}
        </div>
        <label>
          Reciter
          <select name="reciter">
            {reciters.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
            <option value="">none: do this instead</option>
          </select>
        </label>
        <label>
          Surah
          <input name="surah" type="number" min={1} max={114} defaultValue={1} />
        </label>
        <label>
          Without a reciter
          <select name="what">
            <option value="resume">go on where it stopped</option>
            <option value="stop">stop</option>
          </select>
        </label>
        <label>
          Volume (empty: as it is)
          <input name="volume" type="number" min={0} max={100} />
        </label>
        <button type="submit">Add</button>
      </form>
    </div>
  );
}
