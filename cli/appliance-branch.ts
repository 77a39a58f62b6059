import { join } from "node:path";
import { applianceCollections } from "../actors/appliance/collections.ts";
import { startSettings } from "../actors/appliance/settings.ts";
import { startStations } from "../actors/appliance/stations.ts";
import { startResource } from "../actors/resource.ts";
import type { ChildSpec } from "../actors/supervisor-spec.ts";
import { ownCertificate } from "../drivers/certificate/certificate.ts";
import { openStore } from "../drivers/store/open-store.ts";
import { readOrMakeToken } from "../drivers/token/token-file.ts";
import { openAppliance } from "../gateway/appliance/service.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Branch, Surroundings } from "./branch.ts";
import { storeFile } from "./homes.ts";

const pages = join(import.meta.dirname, "../gateway/dashboard/dist/appliance");

/** The appliance as a branch of the tree, from top to bottom as it boots. */
export async function applianceBranch(around: Surroundings): Promise<Branch> {
  const { config, log, metrics } = around;
  const { home, listen } = config.appliance;
  const token = readOrMakeToken(join(home, "token"));
  const store = await openStore(join(home, storeFile), applianceCollections);
  let gateway: Gateway | undefined;

  const essential = { restart: "permanent", essential: true } as const;
  const children: ChildSpec[] = [
    { id: "store", start: startResource({ open: () => {}, close: () => store.close() }), ...essential },
    { id: "settings", start: startSettings(store), ...essential },
    { id: "stations", start: startStations(store), restart: "permanent" },
    {
      id: "gateway",
      start: startResource({
        async open({ tree }) {
          gateway = await openAppliance({
            tree,
            token: () => token.token,
            log,
            metrics,
            limits: config.limits,
            pages,
            upgrades: around.upgrades,
            morePages: around.pages,
            listeners: listen,
            identity: () => ownCertificate(join(home, "certificate.pem")),
          });
        },
        close: () => gateway?.close(),
      }),
      ...essential,
    },
  ];
  return {
    spec: { id: "appliance", strategy: "one_for_one", children },
    lines: () => [
      ["appliance page", (gateway?.urls ?? []).join("  ")],
      ["appliance API", `${gateway?.urls.at(-1) ?? ""}/api`],
    ],
    secrets: () => (token.made ? [["device token", token.token]] : []),
  };
}
