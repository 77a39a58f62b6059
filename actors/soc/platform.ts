/** The platform put together: who answers, on the real store, in a preview, and for the showcase. */
import type { Keys } from "../../drivers/keys/keys.ts";
import type { Logger } from "../../drivers/log/log.ts";
import type { AdminFile } from "../../drivers/passwords/kept-admin.ts";
import type { Passwords } from "../../drivers/passwords/passwords.ts";
import type { Store } from "../../drivers/store/store.ts";
import type { Mode } from "../../machines/soc/modes.ts";
import { Effects } from "../effects.ts";
import type { EntityStep } from "../entity-step.ts";
import { Timers } from "../timers.ts";
import type { Alerts } from "./alerts.ts";
import { type ApiKeyListener, ApiKeys } from "./api-keys.ts";
import type { Approvals } from "./approvals.ts";
import { Audit } from "./audit.ts";
import type { CaseFile } from "./case-file.ts";
import { openCaseWork } from "./case-work.ts";
import type { Cases } from "./cases.ts";
import type { Desk } from "./desk.ts";
import type { Endpoints } from "./edr.ts";
import type { Executions } from "./executions.ts";
import { FirstAdmin, firstAdmin } from "./first-admin.ts";
import { Identity } from "./identity.ts";
import { RuntimeMode } from "./mode.ts";
import { previewDesk, showcaseDesk } from "./other-desks.ts";
import type { Playbooks } from "./playbooks.ts";
import { type Outside, openResponseWork, type ResponseWork } from "./response-work.ts";
import { SoarRules } from "./soar-rules.ts";
import { Stats } from "./stats.ts";
import { Tokens } from "./tokens.ts";
import { type UserListener, Users } from "./users.ts";

/** Who answers the platform's routes; a section adds its line. */
export interface PlatformActors {
  alerts: Alerts;
  cases: Cases;
  file: CaseFile;
  audit: Audit;
  users: Users;
  apiKeys: ApiKeys;
  stats: Stats;
  identity: Identity;
  mode: RuntimeMode;
  approvals: Approvals;
  playbooks: Playbooks;
  executions: Executions;
  endpoints: Endpoints;
  soarRules: SoarRules;
}

export interface PlatformOptions {
  mode: Mode;
  store: Store;
  keys: Keys;
  passwords: Passwords;
  adminFile: AdminFile;
  adminPassword?: string | undefined;
  log: Logger;
  now?: () => number;
  /** The parts of the world beside the platform. */
  outside: Outside;
  /** A password of the first administrator that was made just now. */
  announce(password: string): void;
}

type StepListener = (step: EntityStep) => void;

export class Platform {
  readonly mode: RuntimeMode;
  readonly desk: Desk;
  readonly identity: Identity;
  readonly firstAdmin: FirstAdmin;
  readonly actors: PlatformActors;
  readonly #passwords: Passwords;
  readonly #outside: Outside;
  readonly #soarRules: SoarRules;
  readonly #steps = new Set<StepListener>();
  #showcase: Promise<PlatformActors> | undefined;

  constructor(options: PlatformOptions) {
    const { store, keys, passwords, log, now = Date.now } = options;
    this.#passwords = passwords;
    this.#outside = options.outside;
    this.mode = new RuntimeMode(options.mode, store);
    this.desk = {
      store,
      keys,
      now,
      effects: new Effects(store, { log, now }),
      timers: new Timers(store, { log, now }),
      audit: new Audit({ store, keys, log, now }),
      onStep: (step) => {
        for (const listener of this.#steps) listener(step);
      },
    };
    const users = new Users(this.desk, passwords, (name, user) => this.#userChanged(name, user));
    const tokens = new Tokens(keys, now);
    const adminHash = () => this.firstAdmin.hash();
    const { desk, mode } = this;
    this.identity = new Identity({ desk, users, passwords, tokens, mode, adminHash });
    this.firstAdmin = new FirstAdmin({
      ...{ desk, users, passwords, file: options.adminFile, given: options.adminPassword },
      ...{ withoutStore: options.mode === "dummy", announce: options.announce },
    });
    this.#soarRules = new SoarRules(options.mode, desk);
    this.actors = this.#actorsOn(this.desk, users, this.identity.keyChanged);
  }

  /** Hears each step once it is stored. */
  watchSteps(listener: StepListener): () => void {
    this.#steps.add(listener);
    return () => this.#steps.delete(listener);
  }

  /** For one dry run: everything is looked up and refused as it would be, and nothing is kept. */
  preview(): PlatformActors {
    const desk = previewDesk(this.desk);
    return this.#actorsOn(desk, new Users(desk, this.#passwords));
  }

  /** Made when it is first needed, and then always the same. */
  showcase(): Promise<PlatformActors> {
    this.#showcase ??= showcaseDesk(this.desk).then((desk) =>
      this.#actorsOn(desk, new Users(desk, this.#passwords)),
    );
    return this.#showcase;
  }

  #actorsOn(desk: Desk, users: Users, keyChanged?: ApiKeyListener): PlatformActors {
    const { identity, mode } = this;
    const work = openCaseWork(desk, () => response.approvals);
    const response: ResponseWork = openResponseWork(desk, work, { ...this.#outside, mode: mode.mode });
    const { audit } = desk;
    const apiKeys = new ApiKeys(desk, keyChanged);
    const soarRules = this.#soarRules;
    return { ...work, ...response, audit, users, apiKeys, stats: new Stats(desk), identity, mode, soarRules };
  }

  readonly #userChanged: UserListener = (name, user) => {
    this.identity.userChanged(name, user);
    if (user && name === firstAdmin) this.firstAdmin.keep(user.password);
  };
}
