/** Writers on the platform: alerts that are raised, and approvals that are asked for and decided. */
import { randomBytes } from "node:crypto";
import type { RunningService } from "../service.ts";
import type { Writer } from "./writers.ts";

async function call<T>(
  service: RunningService,
  token: string,
  path: string,
  body?: object,
): Promise<T & { id: string }> {
  const reply = await fetch(`${service.soc}/api/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
  return JSON.parse(text) as T & { id: string };
}

const login = async (service: RunningService, username: string, password: string) => {
  const session = await call<{ access_token: string }>(service, "", "/auth/token", { username, password });
  return session.access_token;
};

/** The administrator, and somebody else to decide: nobody decides on their own request. */
class People {
  #tokens: Promise<[admin: string, approver: string]> | undefined;

  tokens(service: RunningService): Promise<[admin: string, approver: string]> {
    this.#tokens ??= this.#enter(service);
    return this.#tokens;
  }

  async #enter(service: RunningService): Promise<[string, string]> {
    const admin = await login(service, "admin", service.adminPassword);
    const password = randomBytes(12).toString("hex");
    await call(service, admin, "/users", { username: "decider", password, role: "approver" });
    return [admin, await login(service, "decider", password)];
  }
}

/** What was promised of each record, by its id: a field and its value. */
class Promises {
  readonly #kept = new Map<string, string>();
  /** Those that no restart has confirmed yet; the older ones are sampled. */
  #fresh = new Set<string>();
  count = 0;

  keep(id: string, value: string): void {
    this.#kept.set(id, value);
    this.#fresh.add(id);
    this.count += 1;
  }

  forget(id: string): void {
    this.#kept.delete(id);
    this.#fresh.delete(id);
  }

  async broken(read: (id: string) => Promise<string>): Promise<string[]> {
    const known = [...this.#kept.keys()];
    const sample = Array.from({ length: 20 }, () => known[Math.floor(Math.random() * known.length)]);
    const asked = new Set([...this.#fresh, ...sample.filter((id) => id !== undefined)]);
    this.#fresh = new Set();
    const wrong = await Promise.all(
      [...asked].map(async (id) => {
        const found = await read(id).catch(String);
        return found === this.#kept.get(id) ? [] : [`${id} was ${this.#kept.get(id)}, is ${found}`];
      }),
    );
    return wrong.flat();
  }
}

function alertWriter(people: People): Writer {
  const promises = new Promises();
  let made = 0;
  return {
    name: "alerts",
    get promised() {
      return promises.count;
    },
    async write(service) {
      const [admin] = await people.tokens(service);
      const title = `alert ${++made}`;
      const { id } = await call(service, admin, "/alerts", { title, source: "fault", severity: "low" });
      promises.keep(id, title);
    },
    async broken(service) {
      const [admin] = await people.tokens(service);
      return promises.broken(
        async (id) => (await call<{ title: string }>(service, admin, `/alerts/${id}`)).title,
      );
    },
  };
}

function approvalWriter(people: People): Writer {
  const promises = new Promises();
  return {
    name: "approvals",
    get promised() {
      return promises.count;
    },
    async write(service) {
      const [admin, decider] = await people.tokens(service);
      const path = "/soar/playbooks/critical-review/execute";
      const { approval_id } = await call<{ approval_id: string }>(service, admin, path, {});
      promises.keep(approval_id, "pending");
      const approved = Math.random() < 0.5;
      try {
        await call(service, decider, `/approvals/${approval_id}/decide`, { approved, reason: "drill" });
      } catch (error) {
        // Whether it was decided is not known, so nothing is promised of it.
        promises.forget(approval_id);
        throw error;
      }
      promises.keep(approval_id, approved ? "approved" : "rejected");
    },
    async broken(service) {
      const [, decider] = await people.tokens(service);
      return promises.broken(
        async (id) => (await call<{ status: string }>(service, decider, `/approvals/${id}`)).status,
      );
    },
  };
}

export function platformWriters(): Writer[] {
  const people = new People();
  return [alertWriter(people), approvalWriter(people)];
}
