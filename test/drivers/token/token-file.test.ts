import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeToken, readOrMakeToken, tokenWasShown } from "../../../drivers/token/token-file.ts";

const fresh = () => join(mkdtempSync(join(tmpdir(), "minaret-token-")), "deep", "token");

it("makes a token of 32 random bytes on the first boot, readable by its owner only", () => {
  const file = fresh();
  const first = readOrMakeToken(file);
  expect(first).toEqual({ token: expect.stringMatching(/^[0-9a-f]{64}$/), unseen: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("finds the same token at the next boot, and does not show it again", () => {
  const file = fresh();
  const { token } = readOrMakeToken(file);
  tokenWasShown(file);
  expect(readOrMakeToken(file)).toEqual({ token, unseen: false });
});

it("is still to be shown when the first boot was cut short", () => {
  const file = fresh();
  const { token } = readOrMakeToken(file);
  expect(readOrMakeToken(file)).toEqual({ token, unseen: true });
});

it("replaces a token on request, and one whose file is damaged", () => {
  const file = fresh();
  const { token } = readOrMakeToken(file);
  expect(makeToken(file)).not.toBe(token);
  writeFileSync(file, "short");
  expect(readOrMakeToken(file).unseen).toBe(true);
});
