import type { Battery } from "../../actors/appliance/battery.ts";
import type { Clock } from "../../actors/appliance/clock.ts";
import type { Display } from "../../actors/appliance/display.ts";
import type { Favorites } from "../../actors/appliance/favorites.ts";
import type { Library } from "../../actors/appliance/library.ts";
import type { Network } from "../../actors/appliance/network.ts";
import type { Cards, Nfc } from "../../actors/appliance/nfc.ts";
import type { Ota } from "../../actors/appliance/ota.ts";
import type { Playback } from "../../actors/appliance/playback.ts";
import type { Power } from "../../actors/appliance/power.ts";
import type { Prayer } from "../../actors/appliance/prayer.ts";
import type { Scheduler } from "../../actors/appliance/scheduler.ts";
import type { Settings } from "../../actors/appliance/settings.ts";
import type { Stations } from "../../actors/appliance/stations.ts";
import type { System } from "../../actors/appliance/system.ts";
import type { Tree } from "../../actors/client.ts";

/** The actors that answer the appliance's routes; each section adds its line here and below. */
export interface ApplianceActors {
  battery: Battery;
  cards: Cards;
  clock: Clock;
  display: Display;
  favorites: Favorites;
  library: Library;
  network: Network;
  nfc: Nfc;
  ota: Ota;
  playback: Playback;
  power: Power;
  prayer: Prayer;
  scheduler: Scheduler;
  settings: Settings;
  stations: Stations;
  system: System;
}

/** Clients by name; they survive restarts, so they are made once. */
export function applianceActors(tree: Tree): ApplianceActors {
  return {
    battery: tree.client("appliance/battery"),
    cards: tree.client("appliance/cards"),
    clock: tree.client("appliance/clock"),
    display: tree.client("appliance/display"),
    favorites: tree.client("appliance/favorites"),
    library: tree.client("appliance/library"),
    network: tree.client("appliance/network"),
    nfc: tree.client("appliance/nfc"),
    ota: tree.client("appliance/ota"),
    playback: tree.client("appliance/playback"),
    power: tree.client("appliance/power"),
    prayer: tree.client("appliance/prayer"),
    scheduler: tree.client("appliance/scheduler"),
    settings: tree.client("appliance/settings"),
    stations: tree.client("appliance/stations"),
    system: tree.client("appliance/system"),
  };
}
