/** Figures over what the platform holds now. */
import type { Store } from "../../drivers/store/store.ts";

export interface Tally {
  total: number;
  by_status: Record<string, number>;
}

export interface Overview {
  alerts: Tally & { by_severity: Record<string, number>; open: number };
  cases: Tally & { by_severity: Record<string, number>; open: number };
  approvals: Tally & { pending: number };
  executions: Tally & { running: number };
  endpoints: Tally & { isolated: number };
  playbooks: { total: number; enabled: number };
}

export interface Site {
  id: string;
  name: string;
  profile: { asset_classes: string[] };
}

/** A deleted case stays as a tombstone, and is none. */
const live = { where: { status: { not: "deleted" } } };

export class Stats {
  readonly #store: Store;

  constructor({ store }: { store: Store }) {
    this.#store = store;
  }

  async overview(): Promise<Overview> {
    const [alerts, cases, approvals, executions, endpoints] = await Promise.all(
      ["alerts", "cases", "approvals", "executions", "endpoints"].map((name) => this.#tally(name)),
    );
    const [alertSeverities, caseSeverities, playbooks, enabled] = await Promise.all([
      this.#by("alerts", "severity"),
      this.#by("cases", "severity"),
      this.#store.count("playbooks"),
      this.#store.count("playbooks", { where: { enabled: true } }),
    ]);
    return {
      alerts: { ...alerts!, by_severity: alertSeverities, open: open(alerts!, ["closed", "resolved"]) },
      cases: { ...cases!, by_severity: caseSeverities, open: open(cases!, ["closed", "resolved"]) },
      approvals: { ...approvals!, pending: approvals!.by_status.pending ?? 0 },
      executions: { ...executions!, running: executions!.by_status.running ?? 0 },
      endpoints: { ...endpoints!, isolated: endpoints!.by_status.isolated ?? 0 },
      playbooks: { total: playbooks, enabled },
    };
  }

  /** The sites that were declared. */
  async sites(): Promise<Site[]> {
    const sort = [{ field: "name", direction: "asc" }] as const;
    const { items } = await this.#store.find("sites", { sort, limit: 1_000 });
    return items.map(({ id, name, profile }) => ({ id, name, profile })) as Site[];
  }

  /** What is under way: executions, and the approvals that somebody waits for. */
  running(): Promise<unknown[]> {
    return this.#newest("executions", "running");
  }

  pending(): Promise<unknown[]> {
    return this.#newest("approvals", "pending");
  }

  async #newest(collection: string, status: string): Promise<unknown[]> {
    const sort = [{ field: "id", direction: "desc" }] as const;
    const { items } = await this.#store.find(collection, { where: { status }, sort, limit: 200 });
    return items.map(({ due: _, ...record }) => record);
  }

  async #tally(collection: string): Promise<Tally> {
    const by_status = await this.#by(collection, "status");
    return { total: Object.values(by_status).reduce((sum, n) => sum + n, 0), by_status };
  }

  async #by(collection: string, field: string): Promise<Record<string, number>> {
    return Object.fromEntries(await this.#store.countBy(collection, field, live));
  }
}

function open({ total, by_status }: Tally, ended: readonly string[]): number {
  return ended.reduce((left, status) => left - (by_status[status] ?? 0), total);
}
