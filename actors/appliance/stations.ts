import type { Store } from "../../drivers/store/store.ts";
import type { Start } from "../client.ts";
import { type RecordList, startRecordList } from "./record-list.ts";

export interface Station {
  id: string;
  name: string;
  url: string;
}

export type Stations = RecordList<Station>;

/** The saved radio stations; `checkUrl` throws naming `url`. */
export const startStations = (store: Store, checkUrl: (url: string) => Promise<unknown>): Start =>
  startRecordList<Station>(store, "stations", { admit: async ({ url }) => void (await checkUrl(url)) });
