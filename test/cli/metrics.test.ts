import { expect, it } from "vitest";
import { startService } from "../service.ts";

it("shows loop lag, restarts, ask times, stores and queues of a running process", async () => {
  const service = await startService("all");
  try {
    const text = await (await fetch(`${service.appliance}/metrics`)).text();
    for (const line of [
      "minaret_appliance_store_up 1",
      "minaret_appliance_store_pending 0",
      "minaret_soc_store_up 1",
      "minaret_soc_effects_in_flight 0",
      'minaret_restarts{child="appliance/stations"} 0',
    ])
      expect(text).toContain(line);
    for (const name of ["ask_seconds_count", "loop_lag_seconds", "appliance_request_seconds_count"])
      expect(text).toContain(`minaret_${name}`);
  } finally {
    await service.discard();
  }
});
