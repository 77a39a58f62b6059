import { createActor } from "xstate";
import type { Store } from "../../drivers/store/store.ts";
import {
  defaultSettings,
  type SettingsCommand,
  type SettingsReplies,
  type Settings as SettingsValues,
  settingsMachine,
  settingsOf,
} from "../../machines/appliance/settings.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { tell } from "../tell.ts";
import { notStored, put } from "./record-list.ts";

export type Settings = Client<SettingsCommand, SettingsValues, SettingsReplies>;

/** The device's settings, read once and stored at every change before it is answered. */
export function startSettings(store: Store): Start {
  return async ({ inspect }) => {
    const { id: _, version: __, ...kept } = (await store.get("settings", "device")) ?? {};
    const values = { ...defaultSettings, ...(kept as Partial<SettingsValues>) };
    const machine = settingsMachine.provide({
      actions: {
        storeSettings: (_, { values: changed }) => {
          put(store, "settings", { id: "device", ...changed }).then(
            () => tell(ref, { type: "STORED" }),
            (error) => tell(ref, { type: "WRITE_FAILED", refusal: refusalFrom(error, notStored) }),
          );
        },
      },
    });
    const ref = createActor(machine, { input: { values }, inspect }).start();
    return { ref, speech: { refusalOf: () => null, viewOf: settingsOf, waits: ["CHANGE"] } };
  };
}
