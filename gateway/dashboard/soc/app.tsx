import { type FormEvent, useEffect, useState } from "react";
import { Notices } from "../shared/notices.tsx";
import { Alerts } from "./alerts.tsx";
import { call } from "./api.ts";
import { Approvals } from "./approvals.tsx";
import { CasePanel, Cases } from "./cases.tsx";
import type { Profile, Truth } from "./records.ts";
import { stream } from "./stream.ts";

export function App() {
  const [profile, setProfile] = useState<Profile | null | undefined>(undefined);
  useEffect(() => {
    void fetch("/api/v1/users/me", { credentials: "same-origin" })
      .then(async (response) => setProfile(response.ok ? ((await response.json()) as Profile) : null))
      .catch(() => setProfile(null));
    const leave = () => setProfile(null);
    addEventListener("minaret-logout", leave);
    return () => removeEventListener("minaret-logout", leave);
  }, []);
  if (profile === undefined) return null;
  return (
    <>
      {profile ? <Desk profile={profile} onLeave={() => setProfile(null)} /> : <Login onEnter={setProfile} />}
      <Notices />
    </>
  );
}

function Login({ onEnter }: { onEnter: (profile: Profile) => void }) {
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget));
    if (!(await call("POST", "/auth/token", form))) return;
    const profile = await call<Profile>("GET", "/users/me");
    if (profile) onEnter(profile);
  };
  return (
    <form className="login" onSubmit={(event) => void enter(event)}>
      <h1>Minaret</h1>
      <label>
        User
        <input name="username" autoComplete="username" required defaultValue="admin" />
      </label>
      <label>
        Password
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit">Log in</button>
    </form>
  );
}

function Desk({ profile, onLeave }: { profile: Profile; onLeave: () => void }) {
  const [open, setOpen] = useState<string | null>(null);
  const { connected } = stream.use();
  useEffect(() => {
    stream.connect();
    return () => stream.close();
  }, []);
  const leave = () => void call("POST", "/auth/logout").then(onLeave);
  return (
    <>
      <header>
        <h1>Minaret</h1>
        <Mode />
        <span className="muted">{connected ? "live" : "reconnecting …"}</span>
        <span className="who">
          {profile.username} ({profile.role})
        </span>
        <button type="button" onClick={leave}>
          Log out
        </button>
      </header>
      <main>
        <Alerts onOpenCase={setOpen} />
        <div className="side">
          <Approvals />
          <Cases onOpen={setOpen} />
        </div>
      </main>
      {open && <CasePanel id={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function Mode() {
  const [truth, setTruth] = useState<Truth | null>(null);
  useEffect(() => void call<Truth>("GET", "/system/mode").then(setTruth), []);
  if (!truth) return null;
  return (
    <span className={`mode ${truth.mode}`}>
      {truth.mode} mode{truth.uses_showcase_data && ", showcase data"}
      {truth.read_data_source === "unavailable" && ", the database is unavailable"}
    </span>
  );
}
