import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A program that speaks mpv's IPC and says what a test wants, for orders of events that the real one shows
 * once in a thousand runs. `onLoad` is the body of a function of the load's number, with `say(…events)`.
 */
export function scriptedMpv(onLoad: string): { program: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "minaret-scripted-"));
  const script = join(folder, "mpv.mjs");
  writeFileSync(
    script,
    `import { Socket } from "node:net";
    import { createInterface } from "node:readline";
    const socket = new Socket({ fd: 3 });
    const say = (...events) => events.forEach((event) => socket.write(JSON.stringify(event) + "\\n"));
    const onLoad = (number) => { ${onLoad} };
    const values = { duration: 60, seekable: true, "partially-seekable": false, "time-pos": 0.5, "mpv-version": "x" };
    let loads = 0;
    createInterface({ input: socket }).on("line", (line) => {
      const { command: [name, argument], request_id } = JSON.parse(line);
      if (name === "seek") return;
      const data = name === "loadfile" ? { playlist_entry_id: ++loads } : (values[argument] ?? null);
      say({ request_id, error: "success", data });
      if (name === "loadfile") onLoad(loads);
    }).on("close", () => process.exit());`,
  );
  const program = join(folder, "mpv");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}"\n`);
  chmodSync(program, 0o755);
  return { program, remove: () => rmSync(folder, { recursive: true }) };
}
