/** A certificate of the device's own: made on the first boot, renewed when a name is missing or its end is near. */
import { randomBytes, webcrypto, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { writeSecret } from "../token/token-file.ts";

export interface Certificate {
  key: string;
  cert: string;
}

const day = 86_400_000;
/** Browsers refuse certificates that last longer. */
const lifetimeDays = 397;
const renewBeforeDays = 30;

/** Host, `minaret.local`, loopback and every address at which this machine can be reached. */
export function namesOfThisMachine(): string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.startsWith("fe80:"));
  return [...new Set([hostname(), "minaret.local", "localhost", "127.0.0.1", "::1", ...addresses])];
}

/** The certificate in this file, or a new one in its place. Key and certificate are one file, so they always fit. */
export async function ownCertificate(
  file: string,
  names = namesOfThisMachine(),
  now = Date.now(),
): Promise<Certificate> {
  const kept = await readCertificate(file);
  if (kept && isGood(kept.cert, names, now)) return kept;
  const made = await makeCertificate(names, now);
  writeSecret(file, `${made.key}\n${made.cert}\n`);
  return made;
}

function isGood(pem: string, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(pem);
  const covers = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name));
  return (
    certificate.validFromDate.getTime() <= now &&
    certificate.validToDate.getTime() - now > renewBeforeDays * day &&
    names.every(covers)
  );
}

async function readCertificate(file: string): Promise<Certificate | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [key, cert] = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  try {
    if (key && cert && new X509Certificate(cert)) return { key, cert };
  } catch {
    // A damaged file is replaced like a missing one.
  }
  return null;
}

async function makeCertificate(names: readonly string[], now: number): Promise<Certificate> {
  const x509 = await loadX509();
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // A leading zero bit keeps the number positive.
    serialNumber: `4d${randomBytes(15).toString("hex")}`,
    name: "CN=Minaret",
    notBefore: new Date(now - day),
    notAfter: new Date(now + lifetimeDays * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? "ip" : "dns", value })),
      ),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY"), cert: certificate.toString("pem") };
}

/** The library's container asks for a metadata polyfill of which it uses three functions, and never stores much. */
async function loadX509() {
  const metadata = new WeakMap<object, Map<unknown, unknown>>();
  const read = (key: unknown, target: object) => metadata.get(target)?.get(key);
  const write = (key: unknown, value: unknown, target: object) => {
    metadata.set(target, (metadata.get(target) ?? new Map()).set(key, value));
  };
  if (!("getMetadata" in Reflect)) {
    Object.assign(Reflect, { getMetadata: read, getOwnMetadata: read, defineMetadata: write });
  }
  return await import("@peculiar/x509");
}
