import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe } from "vitest";
import { has } from "../real-part.ts";

/** A MongoDB of the tests' own; `kill` is the hard way, `restart` brings it back on the same port and data. */
export interface TestMongo {
  /** An address with a database of its own. */
  url: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

const here = import.meta.dirname;
const cache = join(here, "../../node_modules/.cache/minaret-mongo-server");

const kind = process.env.MONGODB_URL
  ? "given"
  : has("mongod")
    ? "mongod"
    : has("java") && has("mvn")
      ? "java"
      : "none";

/** A suite that needs a MongoDB. Under CI a missing one fails the suite; elsewhere it is skipped, and says why. */
export function describeWithMongo(title: string, suite: () => void, { killable = false } = {}): void {
  const missing =
    kind === "none"
      ? "neither MONGODB_URL, mongod, nor java with mvn"
      : killable && kind === "given"
        ? "the server of MONGODB_URL is not ours to kill"
        : null;
  if (missing === null || (process.env.CI === "true" && kind === "none")) describe(title, suite);
  else describe.skip(`${title} (skipped: ${missing})`, suite);
}

export async function startMongo(): Promise<TestMongo> {
  const name = `minaret_${randomUUID().slice(0, 8)}`;
  if (kind === "given") {
    const [head, options = ""] = process.env.MONGODB_URL!.split("?");
    const nothing = async () => {};
    const url = `${head!.replace(/^([^:]+:\/\/[^/]+)\/?.*/, "$1")}/${name}${options && `?${options}`}`;
    return { url, stop: nothing, kill: nothing, restart: nothing };
  }
  if (kind === "none") throw new Error("no MongoDB can be started: set MONGODB_URL, or install java and mvn");
  const home = mkdtempSync(join(tmpdir(), "minaret-mongo-"));
  const start = kind === "mongod" ? startMongod : startJava;
  let { child, port } = await start(home, 0);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  return {
    url: `mongodb://127.0.0.1:${port}/${name}`,
    kill: () => end("SIGKILL"),
    restart: async () => {
      await end("SIGTERM");
      ({ child, port } = await start(home, port));
    },
    stop: async () => {
      await end("SIGKILL");
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function startMongod(home: string, wanted: number): Promise<{ child: ChildProcess; port: number }> {
  const port = wanted || (await freePort());
  const child = spawn("mongod", ["--dbpath", home, "--port", String(port), "--bind_ip", "127.0.0.1"]);
  await lineOf(child, /Waiting for connections/i);
  return { child, port };
}

async function startJava(home: string, wanted: number): Promise<{ child: ChildProcess; port: number }> {
  const jars = join(fetchJars(), "*");
  const source = join(here, "TestMongo.java");
  const child = spawn("java", ["-Xmx256m", "-cp", jars, source, String(wanted), join(home, "data.mv")]);
  const line = await lineOf(child, /^listening (\d+)/);
  return { child, port: Number(line[1]) };
}

/** Fetched once, into a folder that appears only when it is whole: two test files may start at once. */
function fetchJars(): string {
  const jars = join(cache, "jars-1.47.0");
  if (existsSync(jars)) return jars;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "fetch-"));
  cpSync(join(here, "pom.xml"), join(work, "pom.xml"));
  const copy = ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"];
  execFileSync("mvn", copy, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
  try {
    renameSync(join(work, "jars"), jars);
  } catch (error) {
    if (!existsSync(jars)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return jars;
}

async function lineOf(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  let said = "";
  child.stderr!.on("data", (text) => {
    said = `${said}${text}`.slice(-2_000);
  });
  for await (const line of createInterface({ input: child.stdout! })) {
    const found = wanted.exec(line);
    if (!found) continue;
    child.stdout!.resume();
    return found;
  }
  throw new Error(`the database did not start: ${said}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
