import { Worker } from "node:worker_threads";
import { DomainError } from "../../machines/errors.ts";
import { searchesIn } from "./sqlite-reader.ts";
import { pick, valueAt, wordsOf, wordsOfDoc } from "./words.ts";

/** What a thread says first: that it is ready, or that the file is of a newer layout. */
interface Greeting {
  ready?: true;
  newer?: number;
}

type Reply = { n: number; value?: unknown; error?: string };

/** A long turn is not waited out: the thread syncs the first jobs while the loop still makes the others. */
const enough = 16;

/** One worker thread as the main loop sees it: promises, and few messages, not one for each job. */
export class WorkerLink<TJob extends { op: string }> {
  /** Resolves when the thread can work; rejects when it ends before that. */
  readonly ready: Promise<void>;
  readonly worker: Worker;
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private readonly limit: number;
  private readonly ended: Promise<void>;
  private count = 0;
  private turn: { n: number; job: TJob }[] = [];
  private over = false;
  private failure: Error | undefined;

  /** `run` is sent as text: it may use nothing but its arguments. */
  constructor(run: (...args: never[]) => void, data: { file: string }, limit: number) {
    this.limit = limit;
    this.worker = new Worker(sourceOf(run), { eval: true, workerData: data, stderr: false });
    this.ready = new Promise((resolve, reject) => {
      this.worker.once("message", (greeting: Greeting) => {
        if (greeting.newer === undefined) return resolve();
        const sentence = `${data.file} is of layout ${greeting.newer}, which is newer than this program`;
        reject(new DomainError("conflict", sentence));
      });
      this.worker.once("exit", () => reject(this.lost()));
    });
    this.ready.catch(() => {});
    this.worker.on("message", (replies: Reply[] | Greeting) => {
      if (Array.isArray(replies)) for (const reply of replies) this.settle(reply);
    });
    this.worker.on("error", (error) => {
      this.failure = error instanceof Error ? error : new Error(String(error));
    });
    this.ended = new Promise((resolve) => {
      this.worker.once("exit", () => {
        this.over = true;
        for (const { reject } of this.waiting.values()) reject(this.lost());
        this.waiting.clear();
        resolve();
      });
    });
  }

  get pending(): number {
    return this.waiting.size;
  }

  /** Told why. */
  onEnd(listener: (why: string) => void): void {
    void this.ended.then(() => listener(this.failure?.message ?? "its thread ended"));
  }

  call(job: TJob): Promise<unknown> {
    if (this.over) return Promise.reject(this.lost());
    if (this.waiting.size >= this.limit && job.op !== "close")
      return Promise.reject(new DomainError("overloaded", "too many operations wait for the store"));
    return new Promise((resolve, reject) => {
      this.count += 1;
      this.waiting.set(this.count, { resolve, reject });
      const gathered = this.turn.push({ n: this.count, job });
      if (gathered === 1) setImmediate(() => this.send());
      else if (gathered >= enough) this.send();
    });
  }

  /** What was asked before is still done. */
  async close(): Promise<void> {
    if (!this.over) await this.call({ op: "close" } as TJob).catch(() => {});
    await this.ended;
  }

  private send(): void {
    if (this.turn.length === 0) return;
    this.worker.postMessage(this.turn);
    this.turn = [];
  }

  private settle({ n, value, error }: Reply): void {
    const caller = this.waiting.get(n);
    this.waiting.delete(n);
    if (error === undefined) caller?.resolve(value);
    else caller?.reject(new DomainError("unavailable", `the store failed: ${error}`));
  }

  private lost(): DomainError {
    return new DomainError("unavailable", "the store is not available", { cause: this.failure });
  }
}

function sourceOf(run: (...args: never[]) => void): string {
  return `const { parentPort, receiveMessageOnPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
${[valueAt, wordsOf, wordsOfDoc, pick, searchesIn].join("\n")}
(${run})(DatabaseSync, parentPort, receiveMessageOnPort, { wordsOfDoc, searchesIn, pick }, workerData);`;
}
