import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnyStateMachine } from "xstate";
import { startEffects } from "../actors/effects.ts";
import { startResource } from "../actors/resource.ts";
import { startAudit } from "../actors/soc/audit.ts";
import { socCollections } from "../actors/soc/collections.ts";
import { startEdrPoller } from "../actors/soc/edr-poller.ts";
import { Platform } from "../actors/soc/platform.ts";
import { startPlaybookSeeder } from "../actors/soc/playbook-seeder.ts";
import type { Outside } from "../actors/soc/response-work.ts";
import { startStore } from "../actors/store.ts";
import type { ChildSpec } from "../actors/supervisor-spec.ts";
import { startTimers } from "../actors/timers.ts";
import type { Edr } from "../drivers/edr/edr.ts";
import { openEdr } from "../drivers/edr/open-edr.ts";
import { guardedCaller } from "../drivers/http-adapter/guarded-call.ts";
import { FileKeys } from "../drivers/keys/file-keys.ts";
import { openNotifier } from "../drivers/notify/http-notifier.ts";
import { AdminFile } from "../drivers/passwords/kept-admin.ts";
import { ScryptPasswords } from "../drivers/passwords/scrypt.ts";
import { openStore } from "../drivers/store/open-store.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { openSoc } from "../gateway/soc/service.ts";
import { alertMachine } from "../machines/soc/alert.ts";
import { approvalMachine } from "../machines/soc/approval.ts";
import { caseMachine } from "../machines/soc/case.ts";
import { endpointMachine } from "../machines/soc/edr-endpoint.ts";
import { executionMachine } from "../machines/soc/execution.ts";
import { type Branch, measureStore, type Surroundings } from "./branch.ts";
import { storeFile } from "./homes.ts";

const pages = join(import.meta.dirname, "../gateway/dashboard/dist/soc");

/** The charts of what is stored, for the inspector. */
const charts: Record<string, AnyStateMachine> = {
  alert: alertMachine,
  case: caseMachine,
  approval: approvalMachine,
  execution: executionMachine,
  endpoint: endpointMachine,
};

/** The platform as a branch of the tree, from top to bottom as it boots. */
export async function socBranch(around: Surroundings): Promise<Branch> {
  const { config, log, metrics } = around;
  const { home, listen, mode, tls } = config.soc;
  const address = config.soc.store === "sqlite" ? join(home, storeFile) : config.soc.store;
  const store = await openStore(address, socCollections);
  const keys = new FileKeys(config.soc.keys);
  await keys.open();
  let gateway: Gateway | undefined;
  const edr = mode === "dummy" ? null : openEdr(config.soc.edr);
  const outside: Outside = {
    edr,
    notifier: mode === "dummy" ? null : openNotifier(config.soc.notifyUrl),
    // A playbook reaches what the network holds, but not this platform itself, nor a cloud's metadata.
    callGuarded: guardedCaller({
      schemes: ["http:", "https:"],
      allowPrivate: true,
      ownPorts: () => (gateway?.urls ?? []).map((url) => Number(new URL(url).port)),
    }),
  };
  const secret = { made: "", greeted: false };
  const platform: Platform = new Platform({
    ...{ mode, store, keys, log, outside, adminPassword: config.soc.adminPassword },
    passwords: new ScryptPasswords(),
    adminFile: new AdminFile(join(home, "first-admin.json")),
    announce: (password) => {
      secret.made = password;
      // The store was away at the start: whoever watches the console is told now.
      if (secret.greeted) showLate();
    },
  });
  const showLate = () => {
    console.log(`\n  admin password  ${secret.made}`);
    platform.firstAdmin.shown();
  };
  const { desk, identity, firstAdmin, actors } = platform;
  measureStore(metrics, "soc", store);
  metrics.gauge("soc_effects_in_flight", "effects taken on and not finished", () => desk.effects.inFlight);
  const poller = (edr: Edr): ChildSpec => ({
    id: "edr",
    start: startEdrPoller({ edr, endpoints: actors.endpoints, now: desk.now }),
    restart: "permanent",
  });
  platform.watchSteps(({ kind, event, record }) => {
    const machine = charts[kind];
    if (machine) around.entityStep?.({ name: kind, machine }, record.id, event, record);
  });
  const essential = { restart: "permanent", essential: true } as const;
  const children: ChildSpec[] = [
    { id: "store", start: startStore(store), ...essential },
    { id: "audit", start: startAudit(desk.audit), ...essential },
    {
      id: "identity",
      start: startResource({
        async open() {
          await firstAdmin.open();
          await identity.open();
        },
        close() {
          firstAdmin.close();
          identity.close();
        },
      }),
      ...essential,
    },
    { id: "effects", start: startEffects(desk.effects), ...essential },
    { id: "timers", start: startTimers(desk.timers), ...essential },
    { id: "playbooks", start: startPlaybookSeeder(actors.playbooks, store), restart: "permanent" },
    ...(edr ? [poller(edr)] : []),
    {
      id: "gateway",
      start: startResource({
        async open() {
          gateway = await openSoc({
            ...{ platform, log, metrics, limits: config.limits, pages },
            upgrades: around.upgrades,
            morePages: around.pages,
            listeners: listen,
            ...(tls && { identity: () => certificateOf(tls) }),
          });
        },
        close: () => gateway?.close(),
      }),
      ...essential,
    },
  ];
  return {
    spec: { id: "soc", strategy: "one_for_one", children },
    origins: () => gateway?.urls ?? [],
    lines: () => [
      ["platform page", (gateway?.urls ?? []).join("  ")],
      ["platform API", `${gateway?.urls.at(-1) ?? ""}/api/v1`],
      ["platform mode", mode],
    ],
    secrets: () => (secret.made === "" ? [] : [["admin password", secret.made]]),
    secretsShown: () => {
      secret.greeted = true;
      if (secret.made !== "") firstAdmin.shown();
      secret.made = "";
    },
  };
}

async function certificateOf({ cert, key }: { cert: string; key: string }) {
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}
