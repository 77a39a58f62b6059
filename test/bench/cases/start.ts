import { join } from "node:path";
import { fetchOnce, freePort, type Startable, startOnce } from "../first-answer.ts";
import { inFolder } from "../load.ts";
import { median, type Row, rotate, row } from "../measure.ts";

/** The appliance alone from nothing to its first answer, and what it holds then. */
export function measure(): Promise<Row[]> {
  return inFolder(async (home) => {
    const [ours, bare] = [await appliance(home), await bareKoa()];
    await startOnce(ours);
    const resident: [number[], number[]] = [[], []];
    const side = (startable: Startable, kept: number[]) => async () => {
      const { ms, mb } = await startOnce(startable);
      kept.push(mb);
      return ms;
    };
    const [mine, theirs] = await rotate(7, [side(ours, resident[0]), side(bare, resident[1])]);
    const times = { ours: median(mine!), baseline: median(theirs!) };
    const memory = { ours: median(resident[0]), baseline: median(resident[1]) };
    return [
      row(
        "appliance starts",
        "`minaret appliance` in a home that exists, plain http, silent audio, to the first GET status; bare Koa process",
        "ms",
        times,
        { atMost: 3 },
      ),
      row("appliance resident", "a second after the first answers; bare Koa process", "MB", memory, {
        atMost: 1.6,
      }),
    ];
  });
}

async function appliance(home: string): Promise<Startable> {
  const port = await freePort();
  return {
    program: {
      command: process.execPath,
      args: [join(import.meta.dirname, "../../../main.ts"), "appliance"],
      env: {
        MINARET_HOME: home,
        MINARET_LOG: "warn",
        APPLIANCE_LISTEN: `http://127.0.0.1:${port}`,
        APPLIANCE_AUDIO: "silent",
      },
    },
    ask: () => fetchOnce(`http://127.0.0.1:${port}/api/playback/status`),
  };
}

async function bareKoa(): Promise<Startable> {
  const port = await freePort();
  return {
    program: {
      command: process.execPath,
      args: [join(import.meta.dirname, "../sides/bare-koa.ts"), String(port)],
    },
    ask: () => fetchOnce(`http://127.0.0.1:${port}/`),
  };
}
