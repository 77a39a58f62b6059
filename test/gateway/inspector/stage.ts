import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { WebSocket } from "ws";
import { assign, createActor, setup } from "xstate";
import type { Start } from "../../../actors/client.ts";
import { type RunningTree, startTree } from "../../../actors/tree.ts";
import {
  type HubOptions,
  type InspectorHub,
  inspectorAddress,
  inspectorHub,
} from "../../../gateway/inspector/hub.ts";
import { DomainError } from "../../../machines/errors.ts";

export const key = "a key of this test";

type LampEvent = { type: "SWITCH_ON"; password: string } | { type: "SWITCH_OFF" } | { type: "BOOM" };

const lampMachine = setup({
  types: { context: {} as { n: number; token: string }, events: {} as LampEvent },
  guards: { isNew: ({ context }) => context.n < 100 },
  actions: {
    explode: () => {
      throw new Error("boom");
    },
  },
}).createMachine({
  id: "lamp",
  context: { n: 0, token: "s3cret-token" },
  initial: "off",
  on: { BOOM: { actions: "explode" } },
  states: {
    off: {
      on: {
        SWITCH_ON: { guard: "isNew", target: "on", actions: assign({ n: ({ context }) => context.n + 1 }) },
      },
    },
    on: { on: { SWITCH_OFF: "off" }, after: { 3600000: "off" } },
  },
});

const startLamp: Start = ({ inspect }) => ({
  ref: createActor(lampMachine, { inspect }).start(),
  speech: {
    refusalOf: (snapshot, command) =>
      command.type === "SWITCH_ON" && snapshot.value === "on"
        ? { code: "conflict", message: "it is on already" }
        : null,
    viewOf: (snapshot) => snapshot.value,
    waits: [],
  },
});

export interface Stage {
  hub: InspectorHub;
  tree: RunningTree;
  /** `127.0.0.1:<port>/inspector/ws?key=…` */
  server: string;
  lamp: { ask(event: LampEvent): Promise<unknown>; state(): unknown };
  close(): Promise<void>;
}

/** A tree with one lamp, its hub, and a server whose upgrades the hub takes. */
export async function raise(options: Partial<HubOptions> = {}): Promise<Stage> {
  const hub = inspectorHub({ key, mode: "write", ...options });
  const tree = await startTree(
    {
      id: "root",
      strategy: "one_for_one",
      children: [
        {
          id: "house",
          strategy: "one_for_one",
          children: [{ id: "lamp", restart: "permanent", start: startLamp }],
        },
      ],
    },
    { log: pino({ level: "silent" }), inspect: hub.inspect },
  );
  hub.attach(tree);
  const http = createServer().on("upgrade", (request, socket, head) => {
    try {
      hub.upgrade(request, socket, head);
    } catch (error) {
      socket.end(`HTTP/1.1 403 ${error instanceof DomainError ? error.code : "internal"}\r\n\r\n`);
    }
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const client = tree.client<LampEvent, unknown>("house/lamp");
  return {
    hub,
    tree,
    server: `127.0.0.1:${port}${inspectorAddress}?key=${encodeURIComponent(key)}`,
    lamp: { ask: (event) => client.ask(event as never), state: () => client.view() },
    close: async () => {
      hub.close();
      await tree.drain();
      http.close();
      http.closeAllConnections();
    },
  };
}

export interface Line {
  type: string;
  [field: string]: unknown;
}

/** Lines as they come, and a wait for one that is yet to come or already there. */
export class Transcript {
  readonly lines: Line[] = [];
  readonly #waiting = new Set<() => void>();

  add(line: Line): void {
    this.lines.push(line);
    for (const look of this.#waiting) look();
  }

  until(fits: (line: Line) => boolean): Promise<Line> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.lines.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** A plain viewer. */
export async function connect(
  address: string,
  headers: IncomingHttpHeaders = {},
): Promise<{ socket: WebSocket; heard: Transcript }> {
  const heard = new Transcript();
  const socket = new WebSocket(`ws://${address}`, { headers });
  socket.on("message", (data) => heard.add(JSON.parse(data.toString())));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return { socket, heard };
}
