import type { RunningTree } from "../actors/tree.ts";
import type { Logger } from "../drivers/log/log.ts";
import type { Upgrade } from "../gateway/gateway.ts";
import { newInspectorKey } from "../gateway/inspector/access.ts";
import { inspectorAddress, inspectorHub } from "../gateway/inspector/hub.ts";
import type { Page } from "../gateway/outside.ts";
import type { Branch } from "./branch.ts";

/** The live view of the tree, on every listener of this process, for whoever sits at this machine and holds the key. */
export function openInspector(mode: "read" | "write", log: Logger) {
  const key = newInspectorKey();
  const hub = inspectorHub({
    key,
    mode,
    onSend: (sent) => log.warn({ inspector: sent }, "an event was sent by hand"),
  });
  const upgrades: ReadonlyMap<string, Upgrade> = new Map([[inspectorAddress, hub.upgrade.bind(hub)]]);
  return {
    hub,
    upgrades,
    pages: [] as readonly Page[],
    inspect: hub.inspect.bind(hub),
    attach: (tree: RunningTree) => hub.attach(tree),
    lines: (branches: readonly Branch[]): [string, string][] => {
      const origins = branches.flatMap((branch) => branch.origins());
      // Plain where there is one: then nobody has to accept our own certificate first.
      const origin = origins.find((url) => url.startsWith("http:")) ?? origins[0] ?? "";
      const address = origin.replace(/^http/, "ws");
      return [["inspector", `${address}${inspectorAddress}?key=${key}`]];
    },
  };
}
