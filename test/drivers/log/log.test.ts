import { expect, it } from "vitest";
import { openLog } from "../../../drivers/log/log.ts";

it.each([
  "token",
  "access_token",
  "password",
  "psk",
  "authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "private_key",
  "secret",
])("hides what stands under %s, up to two levels down", (name) => {
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  log.info({ [name]: "hush", req: { [name]: "hush", headers: { [name]: "hush", host: "seen" } } }, "said");
  expect(lines.join()).not.toContain("hush");
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: "said", req: { headers: { host: "seen" } } });
});

it("says nothing below its level", () => {
  const lines: string[] = [];
  const log = openLog("warn", { write: (line) => void lines.push(line) });
  log.info("quiet");
  log.warn("heard");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["heard"]);
});
