import { afterEach, expect, test } from "vitest";
import { openLog } from "../../drivers/log/log.ts";
import { startAppliance, type TestAppliance } from "./appliance/appliance.ts";

let appliance: TestAppliance;
afterEach(() => appliance.stop());

test("a line for each request holds what happened, and neither query, body nor credentials", async () => {
  const lines: string[] = [];
  const log = openLog("debug", { write: (line) => void lines.push(line) });
  appliance = await startAppliance({ log });
  const { token, url } = appliance;
  const headers = {
    authorization: `Bearer ${token.value}`,
    cookie: "session=hush-cookie",
    "content-type": "application/json",
    "x-request-id": "mine-1",
  };
  const body = JSON.stringify({ name: "hush-body", url: "http://192.0.2.1/hush-body" });
  await fetch(`${url}/api/radio/stations?key=hush-query`, { method: "POST", headers, body });
  await fetch(`${url}/api/radio/stations`, { method: "POST", headers, body: '{"hush-broken' });
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said.filter(({ msg }) => msg === "request")).toMatchObject([
    { id: "mine-1", method: "POST", path: "/api/radio/stations", status: 200 },
    { id: "mine-1", status: 400 },
  ]);
  expect(lines.join()).not.toMatch(new RegExp(`hush|${token.value}`));
});
