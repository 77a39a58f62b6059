import { useEffect, useState } from "react";
import type { PlaybackView } from "../../../machines/appliance/playback-view.ts";
import { Advance } from "./advance.tsx";
import { send } from "./api.ts";
import { Icon } from "./icons.tsx";
import { live } from "./state.ts";
import { clock, surahTitle } from "./words.ts";

/** The position of this moment, counted on from the last reading. */
function positionNow(status: PlaybackView): number {
  if (status.state !== "playing" || status.hifz?.waiting || !status.position_at) return status.position;
  const passed = Date.now() - Date.parse(status.position_at);
  const reckoned = status.position + Math.max(0, passed);
  return status.duration > 0 ? Math.min(reckoned, status.duration) : reckoned;
}

function titleOf(status: PlaybackView): string {
  if (status.adhan) return "Adhan";
  if (status.mode === "idle") return "Nothing is playing";
  if (status.surah_number > 0) return surahTitle(status.surah_number);
  return status.track || "Stream";
}

export function NowPlaying() {
  const { state } = live.use();
  const status = state.playback;
  const [, tick] = useState(0);
  const moving = status?.state === "playing";
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, [moving]);
  if (!status) return <section className="now" aria-busy="true" />;
  const position = positionNow(status);
  return (
    <section className="now" aria-label="Now playing">
      <div className="title">
        <h2>{titleOf(status)}</h2>
        <p className="muted">
          {status.hifz?.waiting ? "a pause between repetitions" : status.reciter || status.state}
          {status.state === "buffering" && " · buffering"}
        </p>
      </div>
      <Progress status={status} position={position} />
      <Transport status={status} />
      <Advance status={status} />
    </section>
  );
}

function Progress({ status, position }: { status: PlaybackView; position: number }) {
  const live = status.mode === "stream" && status.duration === 0;
  if (live) return <p className="live">live</p>;
  const seek = (value: number) => void send("POST", "/playback/seek", { position: value });
  return (
    <div className="progress">
      <span>{clock(position)}</span>
      <input
        type="range"
        aria-label="Position"
        min={0}
        max={Math.max(1, status.duration)}
        value={position}
        disabled={status.mode === "idle"}
        onChange={(event) => seek(Number(event.target.value))}
      />
      <span>{clock(status.duration)}</span>
    </div>
  );
}

function Transport({ status }: { status: PlaybackView }) {
  const command = (name: string) => () => void send("POST", `/playback/${name}`);
  const playing = status.state === "playing" || status.state === "buffering";
  return (
    <div className="transport">
      <button type="button" aria-label="Previous surah" onClick={command("prev")}>
        <Icon name="previous" />
      </button>
      <button
        type="button"
        className="main"
        aria-label={playing ? "Pause" : "Resume"}
        onClick={command(
          playing ? "pause" : status.state === "stopped" && status.hasResumeState ? "resume-saved" : "resume",
        )}
      >
        <Icon name={playing ? "pause" : "play"} />
      </button>
      <button type="button" aria-label="Next surah" onClick={command("next")}>
        <Icon name="next" />
      </button>
      <button type="button" aria-label="Stop" onClick={command("stop")}>
        <Icon name="stop" />
      </button>
      <label className="volume">
        <span>Volume</span>
        <input
          type="range"
          min={0}
          max={100}
          value={status.volume}
          onChange={(event) => void send("POST", "/playback/volume", { volume: Number(event.target.value) })}
        />
        <output>{status.volume}</output>
      </label>
    </div>
  );
}
