import { type FormEvent, useState } from "react";
import { notify } from "../shared/notices.tsx";
import { savedToken, saveToken, send, upload } from "./api.ts";
import { live, type SettingsShown } from "./state.ts";

/** The device itself: its token, its settings, updates, and how it is. */
export function SettingsPage() {
  const { state } = live.use();
  return (
    <div className="columns">
      <section>
        <Token />
        {state.settings && (
          <DeviceSettings key={JSON.stringify({ ...state.settings, time: "" })} settings={state.settings} />
        )}
      </section>
      <section>
        <Update />
        <About />
      </section>
    </div>
  );
}

function Token() {
  const [token, setToken] = useState(savedToken);
  const save = (event: FormEvent) => {
    event.preventDefault();
    saveToken(token.trim());
    notify("The token is kept in this browser.", "done");
  };
  return (
    <form className="inline" onSubmit={save}>
      <label>
        Device token
        <input
          type="password"
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          placeholder="64 characters, printed on the console"
        />
      </label>
      <button type="submit">Keep</button>
    </form>
  );
}

function DeviceSettings({ settings }: { settings: SettingsShown }) {
  const set = (path: string, body: object) => void send("POST", `/settings/${path}`, body);
  return (
    <div className="fields">
      <h3>Settings</h3>
      <label>
        Brightness
        <input
          type="range"
          min={0}
          max={255}
          defaultValue={settings.brightness}
          onPointerUp={(event) => set("brightness", { brightness: Number(event.currentTarget.value) })}
          onKeyUp={(event) => set("brightness", { brightness: Number(event.currentTarget.value) })}
        />
      </label>
      <label>
        Timezone (POSIX rule)
        <input
          defaultValue={settings.timezone}
          onBlur={(event) =>
            event.target.value !== settings.timezone && set("timezone", { timezone: event.target.value })
          }
        />
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.time_format_24h}
          onChange={(event) => set("time-format", { time_format_24h: event.target.checked })}
        />{" "}
        24-hour clock
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.auto_resume}
          onChange={(event) => set("auto-resume", { enabled: event.target.checked })}
        />{" "}
        Go on by itself after a restart
      </label>
      <label>
        Sleep when idle (minutes, 0: never)
        <input
          type="number"
          min={0}
          max={240}
          defaultValue={settings.auto_off_minutes}
          onBlur={(event) => set("auto-off", { auto_off_minutes: Number(event.target.value) })}
        />
      </label>
      {settings.auto_off_remaining != null && (
        <p className="muted">sleeps in {settings.auto_off_remaining} min</p>
      )}
      <label>
        When an NFC card is taken away
        <select
          value={settings.card_removal}
          onChange={(event) => set("card-removal", { policy: event.target.value })}
        >
          <option value="continue">go on</option>
          <option value="pause">pause</option>
          <option value="stop">stop</option>
        </select>
      </label>
      <p className="muted">
        Time {new Date(settings.time).toLocaleString()} ({settings.time_source}){" "}
        <button type="button" onClick={() => set("time", { epoch: Math.floor(Date.now() / 1000) })}>
          Set from this computer
        </button>
      </p>
      <WifiForm ssid={settings.ssid} />
    </div>
  );
}

function WifiForm({ ssid }: { ssid: string }) {
  const join = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void send("POST", "/settings/wifi", Object.fromEntries(new FormData(event.currentTarget)));
  };
  return (
    <form className="inline" onSubmit={join}>
      <input
        name="ssid"
        required
        maxLength={32}
        defaultValue={ssid}
        placeholder="Wi-Fi network"
        aria-label="Wi-Fi network"
      />
      <input
        name="password"
        type="password"
        maxLength={63}
        placeholder="Password"
        aria-label="Wi-Fi password"
        autoComplete="off"
      />
      <button type="submit">Join</button>
    </form>
  );
}

function Update() {
  const ota = live.use().state.ota;
  const choose = (file: File | undefined) => {
    if (file) void upload("/ota/upload", file);
  };
  return (
    <div className="fields">
      <h3>Update</h3>
      {ota?.in_progress && <progress max={100} value={ota.progress} aria-label="Update progress" />}
      {ota && (
        <p className="muted">
          {ota.status}
          {ota.error ? `: ${ota.error}` : ""}
        </p>
      )}
      <label>
        Signed image
        <input type="file" onChange={(event) => choose(event.target.files?.[0])} />
      </label>
    </div>
  );
}

function About() {
  const { system, battery } = live.use().state;
  const reset = () => {
    const sure = confirm(
      "Clear everything but the card? The device gets a new token, printed on its console.",
    );
    if (sure) void send("POST", "/reset");
  };
  return (
    <div className="fields">
      <h3>About</h3>
      {system && (
        <p>
          Minaret {system.version}, up {Math.floor(system.uptime / 60)} min
        </p>
      )}
      {battery?.present && (
        <p>
          Battery {battery.percentage} %{battery.charging ? ", charging" : ""}
        </p>
      )}
      <ul>
        {system?.boot_failures.map(({ component, error }) => (
          <li key={component}>
            {component}: {error}
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" onClick={() => void send("POST", "/system/sleep")}>
          Sleep now
        </button>
        <button type="button" className="danger" onClick={reset}>
          Factory reset
        </button>
      </div>
    </div>
  );
}
