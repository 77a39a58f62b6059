/** An appliance's gateway with a card, favorites and the checks of streams, for the tests of those routes. */
import { startFavorites } from "../../../actors/appliance/favorites.ts";
import { startLibrary } from "../../../actors/appliance/library.ts";
import { checkStreamUrl } from "../../../drivers/stream-guard/check-url.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";

const names: Record<string, string> = { "radio.example": "93.184.216.34", "evil.example": "169.254.169.254" };

export async function startWithCard(card: string): Promise<TestAppliance> {
  const policy = {
    schemes: ["http:", "https:"] as const,
    allowPrivate: true,
    ownPorts: () => [8443],
    resolve: async (host: string) => [{ address: names[host] ?? "0.0.0.0", family: 4 }],
  };
  const checkUrl = async (url: string) => (await checkStreamUrl(url, policy)).href;
  return startAppliance({
    children: (store) => [
      { id: "library", start: startLibrary({ card, store, demo: false }), restart: "permanent" },
      {
        id: "favorites",
        start: startFavorites({ store, checkUrl, now: () => Date.now() }),
        restart: "permanent",
      },
    ],
  });
}

/** One call of the API with the token; `body` undefined sends none. */
export function caller(appliance: () => TestAppliance) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${appliance().url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${appliance().token.value}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
}
