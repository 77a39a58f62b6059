import { X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namesOfThisMachine, ownCertificate } from "../../../drivers/certificate/certificate.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "minaret-certificate-"));
  file = join(folder, "tls", "certificate.pem");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const day = 86_400_000;
const names = ["box", "minaret.local", "192.0.2.7", "2001:db8::7"];

test("a certificate is made once, for every name and address, and only its owner can read its key", async () => {
  const made = await ownCertificate(file, names);
  const certificate = new X509Certificate(made.cert);
  for (const name of ["box", "minaret.local"]) expect(certificate.checkHost(name)).toBe(name);
  for (const address of ["192.0.2.7", "2001:db8::7"]) expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkHost("elsewhere.example")).toBeUndefined();
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await ownCertificate(file, names)).toEqual(made);
});

test("a new name brings a new certificate, a lost one does not", async () => {
  const made = await ownCertificate(file, names);
  expect(await ownCertificate(file, names.slice(1))).toEqual(made);
  const renewed = await ownCertificate(file, [...names, "192.0.2.8"]);
  expect(renewed.cert).not.toBe(made.cert);
  expect(new X509Certificate(renewed.cert).checkIP("192.0.2.8")).toBe("192.0.2.8");
});

test("one that nears its end, or comes from a clock that was wrong, is renewed", async () => {
  const now = Date.now();
  const made = await ownCertificate(file, names, now);
  expect(await ownCertificate(file, names, now + 366 * day)).toEqual(made);
  const renewed = await ownCertificate(file, names, now + 368 * day);
  expect(renewed.cert).not.toBe(made.cert);
  expect((await ownCertificate(file, names, now)).cert).not.toBe(renewed.cert);
});

test("a damaged file is replaced", async () => {
  const made = await ownCertificate(file, names);
  const text = await readFile(file, "utf8");
  for (const damaged of [
    "",
    text.slice(0, 300),
    text.replace(/CERTIFICATE-----\n.{20}/, "CERTIFICATE-----\n"),
  ]) {
    await chmod(file, 0o600);
    await writeFile(file, damaged);
    const again = await ownCertificate(file, names);
    expect(again.cert).not.toBe(made.cert);
    expect(again.key).toContain("PRIVATE KEY");
  }
});

test("this machine answers to minaret.local and loopback at least", () => {
  expect(namesOfThisMachine()).toEqual(expect.arrayContaining(["minaret.local", "localhost", "127.0.0.1"]));
});
