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
  if (kind === "mpv" || (kind === "auto" && (await findMpv()))) {
    const { MpvAudio } = await import("./mpv.ts");
    return new MpvAudio({ policy, ...(ao ? { ao } : {}) });
  }
  const [{ SilentAudio }, { readDurationMs }] = await Promise.all([
    import("./silent.ts"),
    import("../library/read-tags.ts"),
  ]);
  return new SilentAudio({ policy, durationOf: readDurationMs });
}

/** Where mpv is on this machine, or null. */
export async function findMpv(): Promise<string | null> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const program = join(folder, "mpv");
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && found) return program;
  }
  return null;
}
