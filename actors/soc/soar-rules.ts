/** Automation rules: a part of the showcase, whose switches live in memory. Elsewhere there are none. */
import { sha256 } from "../../drivers/keys/ed25519.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Mode } from "../../machines/soc/modes.ts";
import { showcase } from "../../machines/soc/showcase.ts";
import { type Desk, isoNow } from "./desk.ts";
import type { List, ListQuery } from "./lists.ts";

export interface SoarRule {
  id: string;
  name: string;
  enabled: boolean;
  created_at: string;
}

export class SoarRules {
  readonly #mode: Mode;
  readonly #desk: Pick<Desk, "keys" | "now">;
  #rules: SoarRule[] | undefined;

  constructor(mode: Mode, desk: Pick<Desk, "keys" | "now">) {
    this.#mode = mode;
    this.#desk = desk;
  }

  list({ skip = 0, limit = 50 }: ListQuery): List<SoarRule> {
    const rules = this.#mode === "dummy" ? this.#all() : [];
    return { items: rules.slice(skip, skip + limit), total: rules.length, skip, limit, next_cursor: null };
  }

  toggle(id: string): SoarRule {
    if (this.#mode !== "dummy") {
      throw new DomainError("unavailable", `rules exist in dummy mode only; this is ${this.#mode}`);
    }
    const rule = this.#all().find((each) => each.id === id);
    if (!rule) throw new DomainError("not_found", `there is no rule ${id}`);
    rule.enabled = !rule.enabled;
    return { ...rule };
  }

  #all(): SoarRule[] {
    const { keys } = this.#desk;
    this.#rules ??= (
      showcase({ now: isoNow(this.#desk), sha256, sign: (hash) => keys.sign(hash) }).soar_rules ?? []
    ).map(({ id, name, enabled, created_at }) => ({ id, name, enabled, created_at }) as SoarRule);
    return this.#rules;
  }
}
