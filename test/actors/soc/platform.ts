/** Alerts and cases on a store of their own, with a way to kill the process between any two writes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { Effects } from "../../../actors/effects.ts";
import type { EntityStep } from "../../../actors/entity-step.ts";
import { entityCollections } from "../../../actors/outstanding.ts";
import { Audit } from "../../../actors/soc/audit.ts";
import { type CaseWork, caseWorkCollections, openCaseWork } from "../../../actors/soc/case-work.ts";
import type { ApprovalPort, Desk } from "../../../actors/soc/desk.ts";
import { Timers } from "../../../actors/timers.ts";
import type { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { SqliteStore } from "../../../drivers/store/sqlite.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { DomainError } from "../../../machines/errors.ts";

const log = pino({ level: "silent" });
export const analyst = { actor: "analyst", cause: "req-1" };

export class ApprovalsOnPaper implements ApprovalPort {
  readonly asked = new Map<string, Parameters<ApprovalPort["request"]>[0]>();
  readonly cancelled: string[] = [];

  async request(input: Parameters<ApprovalPort["request"]>[0]): Promise<void> {
    this.asked.set(input.id, input);
  }

  async cancelForCase(case_id: string, _by: string, scope: string): Promise<void> {
    this.cancelled.push(`${scope} ${case_id}`);
  }
}

/** One process on the store; `dies` says after how many writes it is killed. */
export class Process implements CaseWork {
  readonly desk: Desk;
  readonly steps: EntityStep[] = [];
  readonly approvals = new ApprovalsOnPaper();
  readonly alerts: CaseWork["alerts"];
  readonly cases: CaseWork["cases"];
  readonly file: CaseWork["file"];
  clock: () => number = Date.now;

  constructor(store: Store, keys: MemoryKeys, dies = Number.POSITIVE_INFINITY) {
    const mortal = dies === Number.POSITIVE_INFINITY ? store : mortalStore(store, dies);
    const now = () => this.clock();
    const effects = new Effects(mortal, { log, now });
    const timers = new Timers(mortal, { log, now });
    const audit = new Audit({ store: mortal, keys, log, now });
    const onStep = (step: EntityStep) => void this.steps.push(step);
    this.desk = { store: mortal, effects, timers, audit, keys, now, onStep };
    const work = openCaseWork(this.desk, () => this.approvals);
    this.alerts = work.alerts;
    this.cases = work.cases;
    this.file = work.file;
    effects.start();
  }

  /** Everything that is outstanding is performed. */
  async settle(): Promise<void> {
    const { effects, store } = this.desk;
    do {
      await effects.sweep();
      while (effects.inFlight > 0) await new Promise((resolve) => setImmediate(resolve));
    } while ((await store.count("outstanding")) > 0);
  }

  async stop(): Promise<void> {
    await this.desk.effects.stop();
  }
}

/** Lets so many writes through; whatever is asked after that never gets an answer from the store. */
export function mortalStore(store: Store, writes: number): Store {
  let left = writes;
  const writing = new Set(["insert", "commit", "delete", "insertMany"]);
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "listen") return () => {};
        if (left <= 0) return Promise.reject(new DomainError("unavailable", "the process is dead"));
        if (writing.has(String(name))) left -= 1;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

export const platformCollections = [...caseWorkCollections, ...entityCollections([])];

/** A store in a folder of its own. */
export async function openPlatformStore(): Promise<{ store: Store; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "minaret-soc-"));
  const store = new SqliteStore(join(folder, "soc.db"), platformCollections);
  await store.open();
  return {
    store,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
