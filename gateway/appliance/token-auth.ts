import { timingSafeEqual } from "node:crypto";
import { DomainError } from "../../machines/errors.ts";
import type { Exchange } from "../exchange.ts";
import type { ApplianceActors } from "./actors.ts";
import type { ApplianceCaller } from "./policy.ts";
import type { ApplianceRoute } from "./table.ts";

/** Asks for the device's token where a row wants it. The token comes from a function, since a factory reset makes a new one. */
export function checkToken(token: () => string) {
  return (exchange: Exchange<ApplianceActors, ApplianceCaller>, { policy }: ApplianceRoute): void => {
    if (policy.auth === "public") return;
    if (!holds(exchange.request.headers.authorization, token())) {
      exchange.addHeader("WWW-Authenticate", "Bearer");
      throw new DomainError("unauthorized", "the device's token is missing or wrong");
    }
    exchange.caller = "device";
  };
}

function holds(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (given === undefined || token === "") return false;
  const a = Buffer.from(given);
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
