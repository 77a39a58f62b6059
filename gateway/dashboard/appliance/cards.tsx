import { type FormEvent, useCallback, useEffect, useState } from "react";
import { read, savedToken, send } from "./api.ts";
import { live } from "./state.ts";

interface Card {
  uid: string;
  name: string;
  binding: { type: string; [field: string]: unknown };
}

/** NFC cards and what a tap of each does. */
export function Cards() {
  const { state } = live.use();
  const [cards, setCards] = useState<Card[] | null>(null);
  const count = state.cards?.count;
  const load = useCallback(() => {
    if (savedToken())
      void read<{ cards: Card[] }>("/rfid/cards").then((reply) => reply && setCards(reply.cards));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count says that the list changed
  useEffect(load, [load, count]);
  const register = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const binding = { type: "surah", reciter: form.get("reciter"), surah: Number(form.get("surah")) };
    void send("POST", "/rfid/cards", { uid: form.get("uid"), name: form.get("name"), binding });
  };
  return (
    <div className="columns">
      <section>
        <h3>Cards</h3>
        {!savedToken() && <p className="empty">Enter the device token under Settings to see the cards.</p>}
        <ul className="list">
          {cards?.map(({ uid, name, binding }) => (
            <li key={uid}>
              <span className="row">
                <strong dir="auto">{name}</strong>
                <span className="muted">
                  {uid} · {binding.type} {String(binding.surah ?? binding.name ?? binding.path ?? "")}
                </span>
              </span>
              <button type="button" onClick={() => void send("POST", "/rfid/virtual/tap", { uid })}>
                Tap
              </button>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => void send("DELETE", `/rfid/cards/${uid}`)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        <button type="button" onClick={() => void send("POST", "/rfid/virtual/remove")}>
          Take the card off the reader
        </button>
      </section>
      <form className="fields" key={state.nfc?.uid} onSubmit={register}>
        <h3>Register a card</h3>
        <label>
          UID (filled in by a tap)
          <input name="uid" required defaultValue={state.nfc?.uid ?? ""} />
        </label>
        <label>
          Name
          <input name="name" required maxLength={200} />
        </label>
        <label>
          Reciter
          <select name="reciter" required>
            {state.library?.reciters.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Surah
          <input name="surah" type="number" min={1} max={114} defaultValue={1} required />
        </label>
        <button type="submit">Register</button>
      </form>
    </div>
  );
}
