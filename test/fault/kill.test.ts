import { describe, expect, it } from "vitest";
import { type RunningService, startService } from "../service.ts";
import { platformWriters } from "./platform-writers.ts";
import { applianceWriters, type Writer } from "./writers.ts";

const ci = process.env.CI === "true";
const rounds = Number(process.env.FAULT_ROUNDS ?? (ci ? 200 : 6));
/** Half of them for each service. */
const each = Math.ceil(rounds / 2);
/** So that one write waits for its answer while another is committed and a third is read. */
const atOnce = 4;
const roundMs = 8_000;

/** Writes until the process is gone; the kill comes after so many answers and a random moment more. */
async function writeUntilKilled(service: RunningService, writers: readonly Writer[]): Promise<void> {
  const enough = 1 + Math.floor(Math.random() * 40);
  let answered = 0;
  let killed: Promise<void> | undefined;
  const kill = () => {
    killed = service.kill();
  };
  const write = async (writer: Writer) => {
    for (;;) {
      try {
        await writer.write(service);
      } catch (error) {
        if (killed === undefined) throw error;
        return;
      }
      answered += 1;
      if (answered === enough) setTimeout(kill, Math.random() * 10);
    }
  };
  await Promise.all(writers.flatMap((writer) => Array.from({ length: atOnce }, () => write(writer))));
  await killed;
}

async function killAgainAndAgain(which: "appliance" | "soc", writers: readonly Writer[]): Promise<void> {
  const env = { MINARET_LIMITS: "off" };
  let service = await startService(which, { env });
  try {
    for (let round = 1; round <= each; round++) {
      await writeUntilKilled(service, writers);
      const { home, token, adminPassword } = service;
      service = await startService(which, { env, home, token, adminPassword });
      for (const writer of writers)
        expect(await writer.broken(service), `${writer.name} after kill ${round}`).toEqual([]);
    }
  } finally {
    await service.discard();
  }
  for (const { name, promised } of writers) expect(promised, name).toBeGreaterThan(0);
}

describe(`killed ${rounds} times at random moments, every answered write is there`, () => {
  it("on the appliance", () => killAgainAndAgain("appliance", applianceWriters()), each * roundMs);

  it("on the platform", () => killAgainAndAgain("soc", platformWriters()), each * roundMs);
});
