/** Approvals, runs and endpoints with cases and alerts: one process on a store, with a clock of its own. */
import { pino } from "pino";
import { Effects } from "../../../actors/effects.ts";
import type { EntityStep } from "../../../actors/entity-step.ts";
import { Audit } from "../../../actors/soc/audit.ts";
import { type CaseWork, openCaseWork } from "../../../actors/soc/case-work.ts";
import { socCollections } from "../../../actors/soc/collections.ts";
import type { Desk } from "../../../actors/soc/desk.ts";
import type { NewPlaybook } from "../../../actors/soc/playbooks.ts";
import { type Outside, openResponseWork, type ResponseWork } from "../../../actors/soc/response-work.ts";
import { Timers } from "../../../actors/timers.ts";
import { guardedCaller } from "../../../drivers/http-adapter/guarded-call.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { MemoryStore } from "../../../drivers/store/memory.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { PlaybookStep } from "../../../machines/soc/execution-record.ts";
import type { Mode } from "../../../machines/soc/modes.ts";

const log = pino({ level: "silent" });
const keys = new MemoryKeys();
export const responder = { actor: "responder", cause: "req-1" };
export const manager = { actor: "manager" };
export const start = Date.parse("2026-03-01T10:00:00.000Z");

export interface ProcessOptions extends Partial<Outside> {
  clock?: { now: number };
  mode?: Mode;
}

export class ResponseProcess {
  readonly desk: Desk;
  readonly work: CaseWork;
  readonly response: ResponseWork;
  readonly clock: { now: number };
  readonly steps: EntityStep[] = [];

  constructor(store: Store, { clock = { now: start }, mode = "real", ...outside }: ProcessOptions = {}) {
    this.clock = clock;
    const now = () => this.clock.now;
    const effects = new Effects(store, { log, now, backoffMs: () => 0 });
    const timers = new Timers(store, { log, now });
    const audit = new Audit({ store, keys, log, now });
    const onStep = (step: EntityStep) => void this.steps.push(step);
    this.desk = { store, effects, timers, audit, keys, now, onStep };
    this.work = openCaseWork(this.desk, () => this.response.approvals);
    const callGuarded = guardedCaller({ schemes: ["http:"], allowPrivate: true, ownPorts: () => [] });
    const world = { edr: null, notifier: null, callGuarded, ...outside };
    this.response = openResponseWork(this.desk, this.work, { ...world, mode });
    effects.start();
    timers.start();
  }

  get approvals() {
    return this.response.approvals;
  }
  get executions() {
    return this.response.executions;
  }
  get endpoints() {
    return this.response.endpoints;
  }

  /** Everything that is outstanding is performed, and what follows from it. */
  async settle(): Promise<void> {
    const { effects, store } = this.desk;
    do {
      await effects.sweep();
      while (effects.inFlight > 0) await new Promise((resolve) => setImmediate(resolve));
    } while ((await store.count("outstanding", { where: { at: { gte: 0 } } })) > 0);
  }

  /** Lets time pass: deadlines are told, and what follows is done. */
  async pass(seconds: number): Promise<void> {
    this.clock.now += seconds * 1000;
    await this.desk.timers.sweep();
    await this.settle();
  }

  async write(steps: readonly Partial<PlaybookStep>[], more: Partial<NewPlaybook> = {}): Promise<string> {
    const usual = { name: "Test", description: "", critical: false, enabled: true, trigger: "manual" };
    const all = steps.map((step, index) => ({
      ...{ id: `s${index + 1}`, name: `step ${index + 1}`, type: "comment" as const },
      ...{ params: {}, on_error: "stop" as const, timeout_s: 10 },
      ...step,
    }));
    return (await this.response.playbooks.create({ ...usual, steps: all, ...more }, manager)).id;
  }

  /** A run of these steps, as far as it comes by itself. */
  async run(steps: readonly Partial<PlaybookStep>[], wish: object = {}): Promise<string> {
    const { execution_id } = await this.executions.execute(await this.write(steps), wish, responder);
    await this.settle();
    return execution_id;
  }

  async stop(): Promise<void> {
    await Promise.all([this.desk.effects.stop(), this.desk.timers.stop()]);
  }
}

export async function openStore(): Promise<MemoryStore> {
  const store = new MemoryStore(socCollections);
  await store.open();
  return store;
}
