import type { Store } from "../../drivers/store/store.ts";
import type { Start } from "../client.ts";
import { type RecordList, startRecordList } from "./record-list.ts";

export interface Station {
  id: string;
  name: string;
  url: string;
}

export type Stations = RecordList<Station>;

/** The saved radio stations. */
export const startStations = (store: Store): Start => startRecordList<Station>(store, "stations");
