import type { FormEvent } from "react";
import type { Favorite } from "../../../machines/appliance/favorites.ts";
import type { SurahSlot } from "../../../machines/appliance/library-listing.ts";
import { notify } from "../shared/notices.tsx";
import { read, send } from "./api.ts";
import { live } from "./state.ts";
import { surahTitle } from "./words.ts";

async function playFavorite(favorite: Favorite): Promise<void> {
  if (favorite.type === "stream") return void send("POST", "/playback/play", { url: favorite.url });
  const map = await read<{ surahs: SurahSlot[] }>(
    `/library/surahs?reciter=${encodeURIComponent(favorite.reciter)}`,
  );
  const path = map?.surahs.find(({ number }) => number === favorite.surah)?.path;
  if (path) await send("POST", "/playback/play", { path });
  else if (map) notify("That surah is not on the card.");
}

/** Saved radio stations, and what people marked as favourite. */
export function Streams() {
  const { state } = live.use();
  const stations = state.stations?.stations ?? [];
  const favorites = state.favorites?.favorites ?? [];
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const added = await send("POST", "/radio/stations", Object.fromEntries(new FormData(form)));
    if (added) form.reset();
  };
  return (
    <div className="columns">
      <section>
        <h3>Stations</h3>
        <ul className="list">
          {stations.map(({ id, name, url }) => (
            <li key={id}>
              <button
                type="button"
                className="row"
                onClick={() => void send("POST", "/playback/play", { url })}
              >
                <span dir="auto">{name}</span>
                <span className="muted">{new URL(url).host}</span>
              </button>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => void send("DELETE", `/radio/stations/${id}`)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        <form className="inline" onSubmit={(event) => void add(event)}>
          <input name="name" required maxLength={200} placeholder="Name" aria-label="Name of the station" />
          <input name="url" required type="url" placeholder="https://…" aria-label="Address of the station" />
          <button type="submit">Add</button>
        </form>
      </section>
      <section>
        <h3>Favourites</h3>
        {favorites.length === 0 && <p className="empty">Mark a surah with the star, and it waits here.</p>}
        <ul className="list">
          {favorites.map((favorite) => (
            <li key={favorite.id}>
              <button type="button" className="row" onClick={() => void playFavorite(favorite)}>
                <span dir="auto">
                  {favorite.type === "surah" ? surahTitle(favorite.surah) : favorite.name}
                </span>
                <span className="muted">
                  {favorite.type === "surah" ? favorite.reciter : "stream"} · played {favorite.play_count} ×
                </span>
              </button>
              <button
                type="button"
                aria-label="Remove"
                onClick={() => void send("DELETE", `/favorites/${favorite.id}`)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
