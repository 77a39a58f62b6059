import { useEffect, useState } from "react";
import { Notices } from "../shared/notices.tsx";
import { Cards } from "./cards.tsx";
import { Library } from "./library.tsx";
import { NowPlaying } from "./now-playing.tsx";
import { PrayerPage } from "./prayer.tsx";
import { Schedules } from "./schedules.tsx";
import { SettingsPage } from "./settings.tsx";
import { live } from "./state.ts";
import { Streams } from "./streams.tsx";

const pages = {
  library: ["Recitations", Library],
  streams: ["Radio & favourites", Streams],
  prayer: ["Prayer", PrayerPage],
  schedules: ["Schedules", Schedules],
  cards: ["Cards", Cards],
  settings: ["Settings", SettingsPage],
} as const;

type PageName = keyof typeof pages;

function pageOfHash(): PageName {
  const name = location.hash.slice(1);
  return name in pages ? (name as PageName) : "library";
}

export function App() {
  const { connected } = live.use();
  const [page, setPage] = useState(pageOfHash);
  useEffect(() => {
    const follow = () => setPage(pageOfHash());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const Page = pages[page][1];
  return (
    <>
      {!connected && <p className="offline">Waiting for the device …</p>}
      <header>
        <h1>Minaret</h1>
        <nav>
          {Object.entries(pages).map(([name, [title]]) => (
            <a key={name} href={`#${name}`} aria-current={name === page ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <NowPlaying />
        <Page />
      </main>
      <Notices />
    </>
  );
}
