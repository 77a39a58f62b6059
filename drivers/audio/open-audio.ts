import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { GuardPolicy } from "../stream-guard/address-rules.ts";
import type { AudioDriver } from "./audio.ts";

export interface AudioChoice {
  kind: "auto" | "mpv" | "silent";
  policy: GuardPolicy;
  /** mpv's audio output; chosen by what the machine has when left out. */
  ao?: string;
}

/** The driver that the configuration names, not yet open; `auto` is mpv where it is installed. */
export async function chooseAudio({ kind, policy, ao }: AudioChoice): Promise<AudioDriver> {
  if (kind === "mpv" || (kind === "auto" && (await isInstalled()))) {
    const { MpvAudio } = await import("./mpv.ts");
    return new MpvAudio({ policy, ...(ao ? { ao } : {}) });
  }
  const [{ SilentAudio }, { readDurationMs }] = await Promise.all([
    import("./silent.ts"),
    import("../library/read-tags.ts"),
  ]);
  return new SilentAudio({ policy, durationOf: readDurationMs });
}

async function isInstalled(): Promise<boolean> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.map((folder) => access(join(folder, "mpv"), constants.X_OK));
  return Promise.any(found).then(
    () => true,
    () => false,
  );
}
