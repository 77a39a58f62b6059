import { once } from "node:events";
import { DomainError } from "../machines/errors.ts";
import type { ErrorShape } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { ServerSentEvent } from "./route.ts";

const heartbeatMs = 15_000;

/** Sends server-sent events as they come. The source is returned when the client leaves or the service drains. */
export async function sendEvents(
  exchange: Exchange<unknown, unknown>,
  events: AsyncIterable<ServerSentEvent>,
  errors: ErrorShape,
  longCalls: Set<() => void>,
): Promise<void> {
  const { response } = exchange;
  const source = events[Symbol.asyncIterator]();
  const left = new AbortController();
  const leave = () => left.abort();
  const heartbeat = setInterval(() => response.write(": still here\n\n"), heartbeatMs);
  response.once("close", leave);
  longCalls.add(leave);
  // Its connection is of no further use to a drain that began meanwhile.
  exchange.begin(200, ["Content-Type", "text/event-stream; charset=utf-8", "Connection", "close"]);
  try {
    const gone = once(left.signal, "abort").then(() => ({ done: true as const, value: undefined }));
    for (;;) {
      const next = await Promise.race([source.next(), gone]);
      if (next.done || left.signal.aborted) break;
      const text = `event: ${next.value.event}\ndata: ${JSON.stringify(next.value.data)}\n\n`;
      if (!response.write(text)) await Promise.race([once(response, "drain"), gone]);
    }
  } catch (error) {
    const message = error instanceof DomainError ? error.message : "something went wrong inside";
    response.write(`event: error\ndata: ${JSON.stringify(errors.body(message))}\n\n`);
  } finally {
    clearInterval(heartbeat);
    longCalls.delete(leave);
    response.off("close", leave).end();
    leave();
    // Not awaited: a source that hangs must not hold up the reply.
    void Promise.resolve(source.return?.()).catch(() => {});
  }
}
