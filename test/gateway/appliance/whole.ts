/** The whole appliance as it boots on a desk, every child of it, in a home of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plantTree, type RunningTree } from "../../../actors/tree.ts";
import { applianceBranch } from "../../../cli/appliance-branch.ts";
import { readConfig } from "../../../config.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { Metrics } from "../../../gateway/metrics.ts";
import { Listening } from "../listener.ts";

/** `broken` are children that can never start. */
export async function startWhole(env: Record<string, string> = {}, broken: readonly string[] = []) {
  const home = await mkdtemp(join(tmpdir(), "minaret-whole-"));
  const config = readConfig({
    MINARET_HOME: home,
    MINARET_LIMITS: "off",
    APPLIANCE_LISTEN: "http://127.0.0.1:0",
    APPLIANCE_AUDIO: "silent",
    ...env,
  });
  let tree: RunningTree | undefined;
  let rebuilds = 0;
  const log = openLog("silent");
  const branch = await applianceBranch({
    config,
    log,
    metrics: new Metrics(),
    failures: () => tree?.failures() ?? [],
    watchFailures: (changed) => tree!.watchStatus(changed),
    rebuild: () => rebuilds++,
    upgrades: new Map(),
    pages: [],
    entityStep: undefined,
  });
  const children = branch.spec.children.map((child) =>
    broken.includes(child.id)
      ? { ...child, start: () => Promise.reject(new Error("it is not there")) }
      : child,
  );
  const appliance = { ...branch.spec, children };
  tree = plantTree(() => ({ id: "root", strategy: "one_for_one", children: [appliance] }), { log });
  await tree.booted;
  const [url = ""] = branch.origins();
  const token = new Map(branch.secrets()).get("device token") ?? "";
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const raw = body instanceof Uint8Array;
    const reply = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && !raw && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    const isJson = reply.headers.get("content-type")?.startsWith("application/json");
    // biome-ignore lint/suspicious/noExplicitAny: replies of many shapes, each checked where it is used
    const value: any = isJson ? JSON.parse(bytes.toString()) : bytes;
    return { status: reply.status, headers: reply.headers, body: value };
  };
  return {
    url,
    home,
    tree,
    call,
    rebuilds: () => rebuilds,
    listen: async (path = "/ws") => {
      const listener = new Listening(`${url}${path}`);
      await listener.hello();
      return listener;
    },
    stop: async () => {
      await tree.drain(2_000);
      await rm(home, { recursive: true, force: true });
    },
  };
}

export type WholeAppliance = Awaited<ReturnType<typeof startWhole>>;
