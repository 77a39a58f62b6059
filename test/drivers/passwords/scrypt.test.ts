import { expect, test } from "vitest";
import { ScryptPasswords } from "../../../drivers/passwords/scrypt.ts";
import type { DomainError } from "../../../machines/errors.ts";

const cheap = { N: 2 ** 10, r: 8, p: 1 };
const passwords = new ScryptPasswords(cheap);

test("a password matches its own hash and no other one", async () => {
  const hash = await passwords.hash("correct horse battery");
  expect(await passwords.matches("correct horse battery", hash)).toBe(true);
  expect(await passwords.matches("correct horse batterz", hash)).toBe(false);
  expect(await passwords.matches("", hash)).toBe(false);
});

test("two hashes of one password differ, and neither shows it", async () => {
  const [first, second] = await Promise.all([
    passwords.hash("a long password"),
    passwords.hash("a long password"),
  ]);
  expect(first).not.toBe(second);
  expect(first).not.toContain("long");
});

test("a hash made at another cost is still read", async () => {
  const hash = await new ScryptPasswords({ N: 2 ** 11, r: 4, p: 2 }).hash("ten characters");
  expect(await passwords.matches("ten characters", hash)).toBe(true);
});

test("a composed and a decomposed spelling are the same password", async () => {
  expect(await passwords.matches("pa\u0308sswordlong", await passwords.hash("p\u00e4sswordlong"))).toBe(true);
});

test("what is no hash matches nothing", async () => {
  for (const hash of ["", "scrypt", "plain$1$2$3$4$5", "scrypt$1024$8$1$$"]) {
    expect(await passwords.matches("anything at all", hash)).toBe(false);
  }
});

test("the main loop goes on while passwords are checked", async () => {
  const slow = new ScryptPasswords();
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 1);
  await Promise.all([slow.hash("one password"), slow.hash("two passwords"), slow.hash("three passwords")]);
  clearInterval(turning);
  expect(turns).toBeGreaterThan(5);
});

test("a flood beyond the queue is refused, and those before it are answered", async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 230 }, () => passwords.hash("flooded again")),
  );
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused.length).toBe(230 - 202);
  for (const { reason } of refused) expect((reason as DomainError).code).toBe("overloaded");
  expect(await passwords.hash("after the flood")).toContain("scrypt$");
});
