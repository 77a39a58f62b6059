import { createActor } from "xstate";
import { checkPull, openPull, type PullOptions } from "../../drivers/ota/pull.ts";
import { readPointer } from "../../drivers/ota/slots.ts";
import type { Report, Updater } from "../../drivers/ota/updater.ts";
import {
  type OtaCommand,
  type OtaReplies,
  type OtaView,
  otaMachine,
  refusalOfOta,
  viewOfOta,
} from "../../machines/appliance/ota.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { tell } from "../tell.ts";

export type Ota = Client<OtaCommand, OtaView, OtaReplies>;

export interface OtaParts {
  home: string;
  updater: Updater;
  pull: PullOptions;
  /** Boots what was written; on a device this process does not live to see it resolve. */
  reboot(): Promise<unknown>;
}

/** How much of the whole each step is, in percent. */
const share = { receive: [0, 70], verify: [70, 80], write: [80, 100] } as const;

/** Takes one update at a time through its steps. */
export function startOta({ home, updater, pull, reboot }: OtaParts): Start {
  return async ({ inspect, log }) => {
    await updater.open();
    const { rolledBack } = await readPointer(home);
    const ending = new AbortController();
    let url = "";
    let shown = 0;

    const progress = (step: keyof typeof share): Report => {
      const [from, to] = share[step];
      return (fraction) => {
        const percent = Math.min(to, Math.floor(from + fraction * (to - from)));
        if (percent === shown) return;
        shown = percent;
        tell(ref, { type: "PROGRESSED", progress: percent });
      };
    };
    const failed = (error: unknown) => {
      if (ending.signal.aborted) return;
      log.warn({ err: error }, "the update failed");
      tell(ref, { type: "STEP_FAILED", refusal: refusalFrom(error, "the update failed on the device") });
    };
    const receive = async (image: { bytes: AsyncIterable<Uint8Array>; length: number | null }) => {
      shown = 0;
      const { version } = await updater.receive(image.bytes, image.length, progress("receive"));
      log.info({ version }, "an update was received");
    };
    const machine = otaMachine.provide({
      actions: {
        receiveImage: (_, { image }) => {
          receive(image).then(() => tell(ref, { type: "RECEIVED" }), failed);
        },
        checkUrl: (_, params) => {
          url = params.url;
          checkPull(url, pull).then(() => tell(ref, { type: "URL_ACCEPTED" }), failed);
        },
        downloadImage: () => {
          openPull(url, pull, ending.signal)
            .then(receive)
            .then(() => tell(ref, { type: "RECEIVED" }), failed);
        },
        verifyImage: () => {
          updater.verify(progress("verify")).then(() => tell(ref, { type: "VERIFIED" }), failed);
        },
        writeImage: () => {
          updater.write(progress("write")).then(() => tell(ref, { type: "WRITTEN" }), failed);
        },
        reboot: () => {
          reboot().then(() => tell(ref, { type: "REBOOTED" }), failed);
        },
      },
    });
    const input = {
      rolledBack: rolledBack && `version ${rolledBack.version} was given up: ${rolledBack.reason}`,
    };
    const ref = createActor(machine, { input, inspect }).start();
    return {
      ref,
      speech: { refusalOf: refusalOfOta, viewOf: viewOfOta, waits: ["UPLOAD", "PULL"] },
      close: async () => {
        ending.abort();
        await updater.close();
      },
    };
  };
}
