import { prayerMachine, viewOfPrayer } from "../../../machines/appliance/prayer.ts";
import { configured, defaultPrayerConfig } from "../../../machines/appliance/prayer-config.ts";
import { prayerDay } from "../../../machines/appliance/prayer-times.ts";
import { daysFromCivil, parseZone } from "../../../machines/appliance/timezone.ts";
import { walkPlan } from "../../walker/walk.ts";

const zone = parseZone("AST-3");
const place = { lat: 21.4225, lng: 39.8262 };
const config = configured(defaultPrayerConfig, {
  ...place,
  method: 3,
  adhan: { enabled: true, path: "adhan.mp3" },
});
const dhuhr = prayerDay(place, config, daysFromCivil(2026, 6, 1)).times.dhuhr;
const refusal = { code: "unavailable", message: "no" } as const;

export const plan = walkPlan({
  name: "prayer",
  machine: prayerMachine,
  inputs: [
    { config, zone, called: null, since: dhuhr - 600 },
    { config: defaultPrayerConfig, zone, called: null, since: dhuhr - 600 },
  ],
  cases: {
    CONFIGURE: [
      { id: "1", patch: { lat: 1 } },
      { id: "2", patch: place },
    ],
    TEST_ADHAN: [{ id: "3" }],
    CONFIG_STORED: [{ config }],
    WRITE_FAILED: [{ refusal }],
    TIME_READ: [{ now: null }, { now: dhuhr - 60 }, { now: dhuhr }, { now: dhuhr + 600 }],
    ZONE_SET: [{ zone: parseZone("UTC0") }],
    ADHAN_REFUSED: [{ refusal }],
  },
  keyOf: ({ value, context }) => {
    const { now, called, due, tester, sounding, changes, config: known } = context;
    return JSON.stringify([
      value,
      now,
      called,
      due?.at,
      tester,
      sounding,
      changes.length > 1,
      changes[0]?.id,
      known.lat,
    ]);
  },
  invariant: (snapshot) => {
    const { sounding } = viewOfPrayer(snapshot);
    const on = snapshot.matches({ calling: "starting" }) || snapshot.matches({ calling: "sounding" });
    if (on !== (sounding !== null)) throw new Error("an adhan sounds unseen");
  },
  limit: 20_000,
});
