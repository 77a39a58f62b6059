import type { AudioDriver, AudioEvent } from "../../../drivers/audio/audio.ts";
import type { GuardPolicy } from "../../../drivers/stream-guard/address-rules.ts";

export const housePolicy: GuardPolicy = {
  schemes: ["http:", "https:"],
  allowPrivate: true,
  ownPorts: () => [],
};

/** Everything a driver reported, and a way to wait for the next report of a kind. */
export class Ear {
  readonly heard: AudioEvent[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(driver: AudioDriver) {
    driver.listen((event) => {
      this.heard.push(event);
      for (const check of [...this.#waiting]) check();
    });
  }

  /** The first report of this kind about this load, now or later. */
  on<T extends AudioEvent["type"]>(
    type: T,
    token?: string,
    nth = 1,
  ): Promise<Extract<AudioEvent, { type: T }>> {
    const { promise, resolve } = Promise.withResolvers<Extract<AudioEvent, { type: T }>>();
    const check = () => {
      const found = this.heard.filter(
        (event) =>
          event.type === type && (token === undefined || ("token" in event && event.token === token)),
      );
      if (found.length < nth) return;
      this.#waiting.delete(check);
      resolve(found[nth - 1] as Extract<AudioEvent, { type: T }>);
    };
    this.#waiting.add(check);
    check();
    return promise;
  }

  /** Whichever comes first: it plays, or it does not. */
  async verdict(token: string): Promise<"loaded" | string> {
    const event = await Promise.race([this.on("loaded", token), this.on("failed", token)]);
    return event.type === "loaded" ? "loaded" : event.reason;
  }
}
