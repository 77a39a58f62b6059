import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpEdr } from "../../../drivers/edr/http-edr.ts";
import { readInventory } from "../../../drivers/edr/inventory.ts";

let server: http.Server;
let answer: (response: ServerResponse) => void;
let edr: HttpEdr;
let paths: string[];
beforeEach(async () => {
  paths = [];
  server = http.createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  edr = new HttpEdr({ url: `http://127.0.0.1:${port}/edr/`, inventoryTimeoutMs: 200 });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const says = (status: number, body: unknown) => {
  answer = (response) =>
    void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
};
const act = (action: "isolate" | "unisolate" | "scan") =>
  edr.act("a/b", action, { key: "k", reason: null, timeoutMs: 300 });

describe("an inventory", () => {
  it("is taken as far as it makes sense", () => {
    const { endpoints, skipped, idempotent } = readInventory({
      endpoints: [
        { id: "ep-1", hostname: "web\u0000-1", ip: "10.0.0.1", os: "Linux", status: "isolated" },
        { id: "ep-1", hostname: "again", status: "online" },
        { id: "ep-2", hostname: 7, ip: {}, status: "on fire" },
        { id: "../etc/passwd", hostname: "x" },
        { hostname: "no id" },
        null,
        "text",
      ],
    });
    expect(endpoints).toEqual([
      { id: "ep-1", hostname: "web-1", ip: "10.0.0.1", os: "Linux", status: "isolated" },
      { id: "ep-2", hostname: "ep-2", ip: null, os: null, status: null },
    ]);
    expect([skipped, idempotent]).toEqual([5, false]);
  });

  it.each([
    ["text"],
    [null],
    [{}],
    [{ endpoints: {} }],
    [{ endpoints: Array.from({ length: 20_001 }, () => 1) }],
  ])("that is none is refused", (body) => {
    expect(() => readInventory(body)).toThrow("inventory");
  });

  it.each<[string, () => void]>([
    ["fails", () => says(500, {})],
    ["is not JSON", () => says(200, "<html>")],
    ["does not come", () => (answer = () => {})],
    ["redirects", () => says(302, {})],
  ])("that %s says that the adapter is not available", async (_, prepare) => {
    prepare();
    await expect(edr.inventory()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("says whether keys are honoured; who does not say it does not", async () => {
    says(200, { endpoints: [] });
    expect(await edr.honoursKeys()).toBe(false);
    says(200, { endpoints: [], idempotency_keys: true });
    await edr.inventory();
    expect(await edr.honoursKeys()).toBe(true);
    expect(paths).toEqual(["GET /edr/endpoints", "GET /edr/endpoints"]);
  });
});

describe("an action", () => {
  it.each([
    ["isolate", 200, { status: "isolated" }, "confirmed"],
    ["isolate", 200, {}, "confirmed"],
    ["isolate", 204, "", "confirmed"],
    ["isolate", 200, { status: "online" }, "unknown"],
    ["isolate", 200, { status: "isolating" }, "accepted"],
    ["isolate", 202, {}, "accepted"],
    ["isolate", 200, { success: false }, "refused"],
    ["isolate", 200, { error: "no agent" }, "refused"],
    ["isolate", 200, [], "unknown"],
    ["isolate", 200, "yes", "unknown"],
    ["isolate", 404, {}, "refused"],
    ["isolate", 504, {}, "unknown"],
    ["unisolate", 200, { status: "online" }, "confirmed"],
    ["unisolate", 200, { status: "isolated" }, "unknown"],
    ["scan", 202, { id: 1 }, "confirmed"],
    ["scan", 200, { status: "scanning" }, "confirmed"],
  ] as const)("%s answered with %d %j is %s", async (action, status, body, outcome) => {
    says(status, body);
    expect(await act(action)).toMatchObject({ outcome });
    expect(paths).toEqual([`POST /edr/endpoints/a%2Fb/${action}`]);
  });

  it("that is not answered may have happened", async () => {
    answer = (response) => void response.destroy();
    expect(await act("isolate")).toMatchObject({ outcome: "unknown" });
  });
});
