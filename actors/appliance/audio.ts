import type { AudioDriver } from "../../drivers/audio/audio.ts";
import type { Start } from "../client.ts";
import { startResource } from "../resource.ts";
import type { AudioPort } from "./audio-port.ts";

export interface AudioDeps {
  port: AudioPort;
  /** Makes a driver that is not open yet; each incarnation of the child has one of its own. */
  choose(): Promise<AudioDriver>;
}

/** Owns the player: opens it, lends it to the port, and crashes when it dies so that the supervisor opens another. */
export function startAudio({ port, choose }: AudioDeps): Start {
  return (context) => {
    let driver: AudioDriver | null = null;
    let detach: (reason?: string) => void = () => {};
    return startResource({
      async open({ log }, fail) {
        driver = await choose();
        driver.listen((event) => {
          if (event.type !== "died") return;
          log.warn({ reason: event.reason }, "the player died");
          detach(event.reason);
          fail(new Error(event.reason));
        });
        await driver.open();
        detach = port.attach(driver);
        log.info({ driver: driver.name }, "audio is ready");
      },
      async close() {
        detach("the audio output was closed");
        await driver?.close();
      },
    })(context);
  };
}
