import { createActor } from "xstate";
import type { Hotspot, NetworkDriver } from "../../drivers/network/network.ts";
import {
  type NetworkCommand,
  type NetworkView,
  networkMachine,
  refusalOfNetwork,
  viewOfNetwork,
} from "../../machines/appliance/network.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Client, Start } from "../client.ts";
import { tell } from "../tell.ts";
import type { Settings } from "./settings.ts";

export type Network = Client<NetworkCommand, NetworkView>;

export interface NetworkParts {
  driver: NetworkDriver;
  /** Opens a hotspot where no network is known; only on a device. */
  hotspot: boolean;
  /** Tells the person at the device how to reach it; not the log. */
  announce(hotspot: Hotspot): void;
}

/** Joins wireless networks, goes back when one is not joined, and remembers the name of the last. */
export function startNetwork({ driver, hotspot, announce }: NetworkParts): Start {
  return async ({ inspect, log, tree }) => {
    await driver.open();
    const failed = (type: "JOIN_FAILED" | "STEP_FAILED") => (error: unknown) => {
      log.warn({ err: error }, "the wireless network did not do what was asked");
      tell(ref, { type, reason: error instanceof DomainError ? error.message : "the network failed" });
    };
    const machine = networkMachine.provide({
      actions: {
        look: () => {
          driver.look().then((found) => tell(ref, { type: "FOUND", ...found }), failed("STEP_FAILED"));
        },
        join: (_, { ssid, password }) => {
          driver.join(ssid, password).then(() => tell(ref, { type: "JOINED", ssid }), failed("JOIN_FAILED"));
        },
        giveUpJoining: () => {
          driver.abandon().catch((error) => log.warn({ err: error }, "an attempt could not be ended"));
        },
        goBack: (_, { ssid }) => {
          driver.goBack(ssid).then(() => tell(ref, { type: "RESTORED" }), failed("STEP_FAILED"));
        },
        openHotspot: () => {
          driver.openHotspot().then((opened) => {
            announce(opened);
            tell(ref, { type: "HOTSPOT_OPENED", ssid: opened.ssid });
          }, failed("STEP_FAILED"));
        },
      },
    });
    const ref = createActor(machine, { input: { hotspot }, inspect }).start();
    const keepName = async (ssid: string) => {
      const settings: Settings = tree.client("appliance/settings");
      // The same network at every start is not worth a write each time.
      if (settings.view().ssid !== ssid) await settings.ask({ type: "CHANGE", patch: { ssid } });
    };
    let remembered: string | null = null;
    ref.subscribe({
      next: (snapshot) => {
        const { state, ssid } = viewOfNetwork(snapshot);
        if (state !== "online" || ssid === remembered) return;
        remembered = ssid;
        keepName(ssid).catch((error) => log.warn({ err: error }, "the network's name was not kept"));
      },
      error: () => {},
    });
    const deafen = driver.listen((ssid) => tell(ref, { type: "LINK_CHANGED", ssid }));
    return {
      ref,
      speech: { refusalOf: refusalOfNetwork, viewOf: viewOfNetwork, waits: [] },
      close: async () => {
        deafen();
        await driver.close();
      },
    };
  };
}
