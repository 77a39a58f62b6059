import { useEffect, useState } from "react";
import type { ReciterView, SurahSlot } from "../../../machines/appliance/library-listing.ts";
import { read, send } from "./api.ts";
import { live } from "./state.ts";
import { clock, megabytes } from "./words.ts";

/** The card: its reciters, and the surahs of the chosen one. */
export function Library() {
  const { state } = live.use();
  const reciters = state.library?.reciters ?? [];
  const [chosen, choose] = useState<string | null>(null);
  const reciter = reciters.find(({ name }) => name === chosen) ?? reciters[0];
  if (state.library?.present === false) return <p className="empty">There is no card in the device.</p>;
  if (!reciter) return <p className="empty">The card holds no recitations yet.</p>;
  return (
    <section className="library">
      <ul className="reciters">
        {reciters.map(({ name, surah_count, total_size }) => (
          <li key={name}>
            <button type="button" aria-pressed={name === reciter.name} onClick={() => choose(name)}>
              <strong dir="auto">{name}</strong>
              <span className="muted">
                {surah_count} surahs · {megabytes(total_size)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Surahs reciter={reciter} />
    </section>
  );
}

function Surahs({ reciter }: { reciter: ReciterView }) {
  const { state } = live.use();
  const [slots, setSlots] = useState<SurahSlot[]>([]);
  const [all, showAll] = useState(false);
  // The card's content is known by the reciter's own figures: read again when they change.
  const content = `${reciter.name}/${reciter.surah_count}/${reciter.total_size}`;
  useEffect(() => {
    let wanted = true;
    const name = content.slice(0, content.lastIndexOf("/", content.lastIndexOf("/") - 1));
    void read<{ surahs: SurahSlot[] }>(`/library/surahs?reciter=${encodeURIComponent(name)}`).then(
      (reply) => {
        if (wanted && reply) setSlots(reply.surahs);
      },
    );
    return () => {
      wanted = false;
    };
  }, [content]);
  const playing = state.playback?.reciter === reciter.name ? state.playback.surah_number : 0;
  const favorites = state.favorites?.favorites ?? [];
  const isFavorite = (surah: number) =>
    favorites.some((f) => f.type === "surah" && f.reciter === reciter.name && f.surah === surah);
  return (
    <div className="surahs">
      <label className="check">
        <input type="checkbox" checked={all} onChange={(event) => showAll(event.target.checked)} /> show all
        114
      </label>
      <ol>
        {slots
          .filter(({ available }) => all || available)
          .map((slot) => (
            <li key={slot.number} className={slot.number === playing ? "playing" : undefined}>
              <button
                type="button"
                className="row"
                disabled={!slot.available}
                onClick={() => void send("POST", "/playback/play", { path: slot.path })}
              >
                <span className="number">{slot.number}</span>
                <span>
                  {slot.name} <span className="muted">{slot.name_en}</span>
                </span>
                <span lang="ar" dir="rtl" className="arabic">
                  {slot.name_ar}
                </span>
                <span className="muted">{slot.duration > 0 ? clock(slot.duration) : ""}</span>
              </button>
              {slot.available && (
                <button
                  type="button"
                  className="star"
                  aria-label={`Favourite ${slot.name}`}
                  aria-pressed={isFavorite(slot.number)}
                  onClick={() =>
                    void send("POST", "/favorites/toggle", {
                      type: "surah",
                      reciter: reciter.name,
                      surah: slot.number,
                    })
                  }
                >
                  {isFavorite(slot.number) ? "★" : "☆"}
                </button>
              )}
            </li>
          ))}
      </ol>
    </div>
  );
}
