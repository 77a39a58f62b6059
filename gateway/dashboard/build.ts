/** Builds the pages when they are missing or older than their sources; quiet when there is nothing to do. */
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const stamp = join(here, "dist", "stamp");

function fingerprint(): string {
  const hash = createHash("sha256");
  const sources = globSync("{appliance,soc,shared}/**/*.*", { cwd: here }).sort();
  for (const file of [...sources, "build.ts", "../../package-lock.json"]) {
    hash.update(file).update(readFileSync(join(here, file)));
  }
  return hash.digest("hex");
}

function isFresh(wanted: string): boolean {
  try {
    return readFileSync(stamp, "utf8") === wanted;
  } catch {
    return false;
  }
}

const wanted = fingerprint();
if (!isFresh(wanted)) {
  console.log("building the pages …");
  const [{ build }, { default: react }] = await Promise.all([import("vite"), import("@vitejs/plugin-react")]);
  for (const page of ["appliance", "soc"]) {
    await build({
      root: join(here, page),
      base: "/",
      configFile: false,
      logLevel: "warn",
      plugins: [react()],
      // The pages' content security policy allows no data: fonts or scripts.
      build: { outDir: join(here, "dist", page), emptyOutDir: true, assetsInlineLimit: 0 },
    });
  }
  mkdirSync(join(here, "dist"), { recursive: true });
  writeFileSync(stamp, wanted);
}
