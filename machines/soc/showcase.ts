/** The showcase: what dummy mode shows without a store. Played on the real charts, so that it holds together. */
import { alertMachine, alertOf, dedupInput } from "./alert.ts";
import type { Sha256 } from "./ledger.ts";
import { replay } from "./replay.ts";
import { showCases } from "./showcase-cases.ts";
import { showResponse } from "./showcase-response.ts";
import { raised, storyAlerts, storyCaseId, storySites, workOn } from "./showcase-story.ts";

export interface ShowcaseDoc {
  id: string;
  version: number;
  [field: string]: unknown;
}

/** Documents by collection. */
export type Showcase = Record<string, ShowcaseDoc[]>;

export interface ShowcaseOptions {
  /** The story ends here; nothing in it is later. */
  now: string;
  sha256: Sha256;
  sign(hash: string): string;
}

/** What the parts of the story need to be told. */
export interface Stage extends Pick<ShowcaseOptions, "sha256" | "sign"> {
  /** The time so many minutes before the end. */
  at(minutes: number): string;
  by(actor: string, minutes: number): { by: string; at: string };
  put(collection: string, doc: object): void;
  /** The id of an alert of the story. */
  alertId(slug: string): string;
}

export function showcase({ now, sha256, sign }: ShowcaseOptions): Showcase {
  const data: Showcase = {};
  const alerts = new Map<string, { id: string; hash: string }>();
  for (const { slug, title, source, iocs } of storyAlerts) {
    const hash = sha256(dedupInput(title, source, iocs));
    alerts.set(slug, { id: `alert-${hash.slice(0, 32)}`, hash });
  }
  const at = (minutes: number) => new Date(Date.parse(now) - minutes * 60_000).toISOString();
  const stage: Stage = {
    sha256,
    sign,
    at,
    by: (actor, minutes) => ({ by: actor, at: at(minutes) }),
    put: (collection, doc) => {
      data[collection] ??= [];
      data[collection].push({ version: 1, ...(doc as { id: string }) });
    },
    alertId: (slug) => alerts.get(slug)?.id ?? "",
  };
  for (const site of storySites) stage.put("sites", { ...site, created_at: at(60 * 24 * 30) });
  for (const alert of storyAlerts) {
    const { id, hash } = alerts.get(alert.slug) as { id: string; hash: string };
    const input = raised(alert, id, hash, at(alert.minutes));
    stage.put("alerts", replay(alertMachine, alertOf, input, workOn(alert, storyCaseId, at)).record);
  }
  showCases(stage);
  showResponse(stage);
  return data;
}
