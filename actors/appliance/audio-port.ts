import type { AudioDriver, AudioEvent, AudioSource, LoadOptions } from "../../drivers/audio/audio.ts";
import { DomainError } from "../../machines/errors.ts";

/** What playback hears of the output: the driver's reports, and that there is a driver or none. */
export type PortEvent =
  | Exclude<AudioEvent, { type: "died" }>
  | { type: "up" }
  | { type: "down"; reason: string };

/**
 * The way from playback to whichever driver lives now. The audio child attaches its open driver and detaches
 * it when it ends; playback speaks with the port and never holds a driver.
 */
export class AudioPort {
  #driver: AudioDriver | null = null;
  #deafen: () => void = () => {};
  #lastMs = 0;
  readonly #listeners = new Set<(event: PortEvent) => void>();

  get up(): boolean {
    return this.#driver !== null;
  }

  /** Gives the output its driver, already open; the returned function takes it away again, and may be called twice. */
  attach(driver: AudioDriver): (reason?: string) => void {
    this.#detach("another driver took over");
    this.#driver = driver;
    const detach = (reason = "the audio output was closed") => {
      if (this.#driver === driver) this.#detach(reason);
    };
    this.#deafen = driver.listen((event) =>
      event.type === "died" ? detach(event.reason) : this.#tell(event),
    );
    this.#tell({ type: "up" });
    return detach;
  }

  listen(listener: (event: PortEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The position of this moment; without a driver, where the last one was when it went. */
  positionMs(): number {
    return this.#driver?.positionMs() ?? this.#lastMs;
  }

  async load(source: AudioSource, options: LoadOptions): Promise<void> {
    await this.#current().load(source, options);
  }

  async pause(): Promise<void> {
    await this.#driver?.pause();
  }

  async resume(): Promise<void> {
    await this.#driver?.resume();
  }

  async stop(): Promise<void> {
    await this.#driver?.stop();
  }

  async seek(ms: number): Promise<void> {
    await this.#driver?.seek(ms);
  }

  async setVolume(volume: number): Promise<void> {
    await this.#driver?.setVolume(volume);
  }

  #current(): AudioDriver {
    if (this.#driver === null) throw new DomainError("unavailable", "the audio output is down");
    return this.#driver;
  }

  #detach(reason: string): void {
    if (this.#driver === null) return;
    this.#lastMs = this.#driver.positionMs();
    this.#deafen();
    this.#driver = null;
    this.#tell({ type: "down", reason });
  }

  #tell(event: PortEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
