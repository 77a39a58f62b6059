import { type FormEvent, useEffect, useState } from "react";
import type { HijriDate } from "../../../machines/appliance/hijri.ts";
import type { PrayerReport } from "../../../machines/appliance/prayer-view.ts";
import { send } from "./api.ts";
import { live } from "./state.ts";
import { clock } from "./words.ts";

const prayers = ["fajr", "sunrise", "dhuhr", "asr", "maghrib", "isha"] as const;
const methods = ["Muslim World League", "ISNA", "Egyptian", "Umm al-Qura", "Karachi"];

/** Today's times, the next prayer, and where and how they are reckoned. */
export function PrayerPage() {
  const prayer = live.use().state.prayer;
  if (!prayer) return null;
  return (
    <div className="columns">
      <section>
        {prayer.hijri && <Hijri date={prayer.hijri} />}
        {prayer.times ? (
          <Times prayer={prayer} times={prayer.times} />
        ) : (
          <p className="empty">Set the location, and the times appear here.</p>
        )}
      </section>
      <Reckoning key={JSON.stringify(prayer.config)} prayer={prayer} />
    </div>
  );
}

function Hijri({ date }: { date: HijriDate }) {
  return (
    <h3>
      {date.day} {date.month_name} {date.year}{" "}
      <span lang="ar" dir="rtl" className="arabic">
        {date.month_name_ar}
      </span>
    </h3>
  );
}

function Times({ prayer, times }: { prayer: PrayerReport; times: Record<string, string> }) {
  return (
    <>
      <table className="times">
        <tbody>
          {prayers.map((name) => (
            <tr key={name} className={prayer.next?.name === name ? "next" : undefined}>
              <th scope="row">{name}</th>
              <td>{times[name]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {prayer.next && (
        <Countdown
          key={`${prayer.next.name}${prayer.next.in_seconds}`}
          name={prayer.next.name}
          seconds={prayer.next.in_seconds}
        />
      )}
      {prayer.qibla !== null && <p className="muted">Qibla {prayer.qibla.toFixed(1)}° from north</p>}
      {prayer.estimated && <p className="muted">The sun gives no times here today; they are estimated.</p>}
    </>
  );
}

function Countdown({ name, seconds }: { name: string; seconds: number }) {
  const [end] = useState(() => Date.now() + seconds * 1000);
  const [left, setLeft] = useState(seconds * 1000);
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.max(0, end - Date.now())), 1000);
    return () => clearInterval(timer);
  }, [end]);
  return (
    <p>
      <strong>{name}</strong> in {clock(left)}
    </p>
  );
}

function Reckoning({ prayer }: { prayer: PrayerReport }) {
  const { config } = prayer;
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const mask = prayers.reduce((bits, name, bit) => bits | (form.get(name) ? 1 << bit : 0), 0);
    void send("POST", "/prayer/config", {
      lat: Number(form.get("lat")),
      lng: Number(form.get("lng")),
      method: Number(form.get("method")),
      asr_hanafi: form.get("asr_hanafi") !== null,
      adhan: {
        enabled: form.get("enabled") !== null,
        prayer_mask: mask,
        volume: Number(form.get("volume")),
        path: String(form.get("path")),
      },
    });
  };
  return (
    <form className="fields" onSubmit={save}>
      <h3>Location and adhan</h3>
      <label>
        Latitude
        <input
          name="lat"
          type="number"
          step="any"
          min={-90}
          max={90}
          required
          defaultValue={config.lat ?? ""}
        />
      </label>
      <label>
        Longitude
        <input
          name="lng"
          type="number"
          step="any"
          min={-180}
          max={180}
          required
          defaultValue={config.lng ?? ""}
        />
      </label>
      <label>
        Method
        <select name="method" defaultValue={config.method}>
          {methods.map((name, value) => (
            <option key={name} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="check">
        <input name="asr_hanafi" type="checkbox" defaultChecked={config.asr_hanafi} /> Hanafi asr
      </label>
      <label className="check">
        <input name="enabled" type="checkbox" defaultChecked={config.adhan.enabled} /> Call the adhan for
      </label>
      <div className="chips">
        {prayers.map((name, bit) =>
          name === "sunrise" ? null : (
            <label key={name} className="check">
              <input
                name={name}
                type="checkbox"
                defaultChecked={(config.adhan.prayer_mask & (1 << bit)) !== 0}
              />{" "}
              {name}
            </label>
          ),
        )}
      </div>
      <label>
        Adhan volume (0: as it is)
        <input name="volume" type="number" min={0} max={100} defaultValue={config.adhan.volume} />
      </label>
      <label>
        Adhan file on the card
        <input name="path" defaultValue={config.adhan.path} placeholder="the built-in chime" />
      </label>
      <div className="actions">
        <button type="submit">Save</button>
        <button type="button" onClick={() => void send("POST", "/prayer/test-adhan")}>
          Hear it now
        </button>
      </div>
    </form>
  );
}
