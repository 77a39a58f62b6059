import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeImage, makeKey, releaseParts } from "../drivers/ota/make-image.ts";
import manifest from "../package.json" with { type: "json" };
import { board } from "./appliance-parts.ts";

const help = `minaret image --key FILE --out FILE [--version V] [--board B]   pack this release and sign it
minaret image --make-key FILE                                 a new signing key; FILE.pub is for the devices`;

const root = join(import.meta.dirname, "..");

/** Makes and signs an update image of the release that this command belongs to. */
export async function image(operands: string[]): Promise<number> {
  const { values } = parseArgs({
    args: operands,
    options: {
      help: { type: "boolean", short: "h" },
      "make-key": { type: "string" },
      key: { type: "string" },
      out: { type: "string" },
      version: { type: "string", default: manifest.version },
      board: { type: "string", default: board },
    },
  });
  const { "make-key": newKey, key, out } = values;
  if (newKey) {
    await makeKey(newKey, `${newKey}.pub`);
    console.log(`${newKey} signs images; lay ${newKey}.pub on the devices as ota.pub.`);
    return 0;
  }
  if (values.help || !key || !out) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  await import("../gateway/dashboard/build.ts");
  const made = await makeImage({
    root,
    include: [...releaseParts, "package-lock.json", ...(await modules())],
    exclude: ["gateway/dashboard/appliance", "gateway/dashboard/soc", "gateway/dashboard/shared"],
    version: values.version,
    board: values.board,
    keyFile: key,
    out,
  });
  console.log(`${out}: version ${made.version} for ${made.board}, ${(made.size / 1_048_576).toFixed(1)} MB`);
  return 0;
}

/** What the release needs at run time, by the lock. The device brings its own Node. */
async function modules(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional, link }]) =>
        /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && !devOptional && !link,
    )
    .map(([path]) => path)
    .filter((path) => !path.startsWith("node_modules/node-linux-") && existsSync(join(root, path)));
}
