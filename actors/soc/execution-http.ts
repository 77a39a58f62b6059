/** The step `http_request`: one call to an address that the playbook names. */
import type { CallGuarded } from "../../drivers/http-adapter/guarded-call.ts";
import type { AdapterReply } from "../../drivers/http-adapter/http-adapter.ts";
import { jsonOf } from "../../drivers/http-adapter/outcome.ts";
import type { Execution, RunStep } from "../../machines/soc/execution-record.ts";
import { filledUrl } from "../../machines/soc/playbooks.ts";

/** Repeating these changes nothing, whatever the server thinks of keys (RFC 9110, 9.2.2). */
const idempotentMethods = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"];
const keptText = 4_000;

export function httpCall(
  call: CallGuarded,
  { step, run, signal }: { step: RunStep; run: Execution; signal: AbortSignal },
  params: Record<string, unknown>,
) {
  const { case_id, alert_id, id: execution_id } = run;
  const url = filledUrl(String(params.url ?? ""), { ...run.parameters, case_id, alert_id, execution_id });
  const method = typeof params.method === "string" ? params.method : "POST";
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries((params.headers ?? {}) as Record<string, unknown>)) {
    headers[name.toLowerCase()] = String(value);
  }
  headers["idempotency-key"] = step.key;
  const body = params.body === undefined ? undefined : textOf(params.body, headers);
  return {
    /** The playbook's author says it on the server's behalf. */
    honoursKeys: params.idempotent === true || idempotentMethods.includes(method),
    ask: (timeoutMs: number) =>
      call({ method, url, headers, timeoutMs, signal, ...(body === undefined ? {} : { body }) }),
  };
}

function textOf(body: unknown, headers: Record<string, string>): string {
  if (typeof body === "string") return body;
  headers["content-type"] ??= "application/json";
  return JSON.stringify(body);
}

/** As much of a reply as a run's record should carry. */
export function answerOf(reply: AdapterReply): { status: number; body: unknown } {
  const { status, text } = reply;
  return { status, body: text.length <= keptText ? (jsonOf(reply) ?? text) : text.slice(0, keptText) };
}
