/** Builds the pages when they are missing or older than their sources; quiet when there is nothing to do. */
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const dist = join(here, "dist");
const stamp = join(dist, "stamp");
/** Built aside and put in place whole: two builds at once, or one that is interrupted, leave nothing mixed. */
const draft = join(here, "../../node_modules/.cache/minaret", `pages-${process.pid}`);

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

function putInPlace(): void {
  for (;;) {
    rmSync(dist, { recursive: true, force: true });
    try {
      renameSync(draft, dist);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    }
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
      build: { outDir: join(draft, page), emptyOutDir: true, assetsInlineLimit: 0 },
    });
  }
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, "stamp"), wanted);
  putInPlace();
}
