import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { AnyActorRef, AnyStateMachine, EventObject, InspectionEvent } from "xstate";
import { redacted } from "../../actors/redact.ts";
import type { RunningTree } from "../../actors/tree.ts";
import { DomainError } from "../../machines/errors.ts";
import { admit, queryOf } from "./access.ts";
import { requestOf, type SentEvent, sentEvent } from "./command.ts";
import { type DeliveryOptions, deliver } from "./delivery.ts";
import { stately, xstate4 } from "./protocol.ts";
import { everyActor, type Seen, type SeenSnapshot, seenOf, shotOf } from "./seen.ts";
import { Viewer } from "./viewer.ts";

/**
 * The inspector feed: what goes on inside, for one who sits at this machine and holds the key.
 *
 *   const hub = inspectorHub({ key: newInspectorKey(), mode: "write", onSend: audit });
 *   const tree = plantTree(specOf, { log, inspect: hub.inspect });
 *   hub.attach(tree);
 *   upgrades.set(inspectorAddress, hub.upgrade);
 *
 * `ws://127.0.0.1:<port>/inspector/ws?key=<key>` speaks @statelyai/inspect's protocol; with `&protocol=xstate4`, or
 * once the viewer says `xstate.inspecting`, that of @xstate/inspect; with `&protocol=minaret` the first one and
 * `{ type: "minaret.tree", children, crashes }`. A viewer sends `{ type: "@xstate.event", sessionId, event }` and
 * hears `{ type: "minaret.sent", sessionId, event, error }`.
 */
export interface InspectorHub {
  /** For `TreeOptions.inspect`; one comparison while nobody watches, and it never throws. */
  inspect(event: InspectionEvent, path: string): void;
  attach(tree: RunningTree): void;
  /** One step of a stored entity, shown as that actor's event and snapshot. */
  entityStep(kind: EntityName, id: string, event: EventObject, record: EntityShape): void;
  /** Takes over the connection, or throws why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly viewers: number;
  close(): void;
}

interface EntityName {
  name: string;
  machine: AnyStateMachine;
}

interface EntityShape {
  status: string;
}

export interface HubOptions extends DeliveryOptions {
  key: string;
  /** Hears of every event that was sent by hand, taken or not. */
  onSend?: (sent: SentEvent) => void;
}

export const inspectorAddress = "/inspector/ws";
const maxViewers = 16;
const maxFrameBytes = 64 * 1024;

export function inspectorHub(options: HubOptions): InspectorHub {
  return new Hub(options);
}

class Hub implements InspectorHub {
  readonly #options: HubOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
  });
  #watched = false;
  #tree: RunningTree | undefined;
  #treeDue = false;
  #unwatch: () => void = () => {};

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  attach(tree: RunningTree): void {
    this.#unwatch();
    this.#tree = tree;
    this.#unwatch = tree.watchStatus(() => {
      if (this.#watched) this.#showTreeSoon();
    });
  }

  readonly inspect = (event: InspectionEvent, path: string): void => {
    if (!this.#watched) return;
    try {
      this.#show(event, path);
    } catch {
      // A viewer's trouble; XState would take a throw from here for the sender's.
    }
  };

  #show(event: InspectionEvent, path: string): void {
    if (event.type !== "@xstate.event" && event.type !== "@xstate.snapshot") return;
    const ref = event.actorRef as AnyActorRef;
    const seen = seenOf(this.#tree?.actors() ?? [], ref, path, event.rootId);
    if (event.type === "@xstate.event") {
      const source = event.sourceRef?.sessionId;
      const shot = shotOf(ref.getSnapshot());
      this.#tell(seen, shot, ({ protocol }) => protocol.event(seen, event.event, source));
      return;
    }
    const shot = shotOf(event.snapshot);
    this.#tell(seen, shot, ({ protocol }) => protocol.snapshot(seen, shot, event.event));
    if (shot.status !== "active") this.#retire(seen);
  }

  entityStep(kind: EntityName, id: string, event: EventObject, record: EntityShape): void {
    if (!this.#watched) return;
    const name = `${kind.name}/${id}`;
    const sessionId = `entity:${name}`;
    const { machine } = kind;
    const seen: Seen = { sessionId, name, parentId: undefined, rootId: sessionId, machine, ref: undefined };
    const shot: SeenSnapshot = { status: "active", value: record.status, context: record };
    this.#tell(seen, shot, ({ protocol }) => protocol.event(seen, event, undefined));
    this.#tell(seen, shot, ({ protocol }) => protocol.snapshot(seen, shot, event));
  }

  /** The same text for all who speak the same protocol; to who does not know the actor it is introduced first. */
  #tell(seen: Seen, shot: SeenSnapshot, textFor: (viewer: Viewer) => string | null): void {
    const texts = new Map<unknown, string | null>();
    for (const viewer of this.#viewers) {
      if (!viewer.known.has(seen.sessionId)) this.#introduce(viewer, seen, shot);
      if (!texts.has(viewer.protocol)) texts.set(viewer.protocol, textFor(viewer));
      viewer.send(texts.get(viewer.protocol) ?? null);
    }
  }

  #introduce(viewer: Viewer, seen: Seen, shot: SeenSnapshot): void {
    viewer.remember(seen);
    viewer.send(viewer.protocol.actor(seen, shot));
  }

  #retire(seen: Seen): void {
    for (const viewer of this.#viewers) {
      if (viewer.known.delete(seen.sessionId)) viewer.send(viewer.protocol.stop(seen));
    }
  }

  #showAll(viewer: Viewer): void {
    viewer.known.clear();
    for (const { seen, shot } of everyActor(this.#tree?.actors() ?? [])) this.#introduce(viewer, seen, shot);
    if (viewer.wantsTree) viewer.send(this.#treeText());
  }

  #treeText(): string {
    const tree = this.#tree;
    const children = tree?.status() ?? [];
    return JSON.stringify({ type: "minaret.tree", children, crashes: tree?.crashes() ?? [] });
  }

  #showTreeSoon(): void {
    if (this.#treeDue) return;
    this.#treeDue = true;
    setImmediate(() => {
      this.#treeDue = false;
      this.#retireFallen();
      const viewers = [...this.#viewers].filter((viewer) => viewer.wantsTree);
      if (viewers.length === 0) return;
      const text = this.#treeText();
      for (const viewer of viewers) viewer.send(text);
    });
  }

  /** XState inspects no snapshot of an actor whose action threw, so its end is found here. */
  #retireFallen(): void {
    for (const { known } of this.#viewers) {
      for (const seen of known.values()) {
        if (seen.ref !== undefined && seen.ref.getSnapshot()?.status !== "active") this.#retire(seen);
      }
    }
  }

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    admit(request, this.#options.key);
    if (this.#viewers.size >= maxViewers) throw new DomainError("overloaded", "too many inspectors");
    const protocol = queryOf(request).get("protocol");
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#join(ws, protocol));
  };

  #join(socket: WebSocket, protocol: string | null): void {
    const speaks = protocol === "xstate4" ? xstate4 : stately;
    const viewer = new Viewer(socket, speaks, protocol === "minaret", (each) => this.#showAll(each));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      this.#viewers.delete(viewer);
      this.#watched = this.#viewers.size > 0;
    });
    socket.on("message", (data, isBinary) => {
      // An audit that cannot be written ends the session that wanted it.
      if (!isBinary) this.#hear(viewer, data.toString()).catch(() => viewer.close());
    });
    this.#viewers.add(viewer);
    this.#watched = true;
    this.#showAll(viewer);
  }

  async #hear(viewer: Viewer, frame: string): Promise<void> {
    const request = requestOf(frame);
    if (request.type === "speak-xstate4") {
      viewer.protocol = xstate4;
      this.#showAll(viewer);
    }
    if (request.type !== "send") return;
    const { sessionId, event } = request;
    const seen = viewer.known.get(sessionId);
    const error = await deliver(this.#options, this.#tree, seen, event);
    this.#options.onSend?.(sentEvent(seen?.name ?? sessionId, event, error));
    viewer.send(JSON.stringify({ type: "minaret.sent", sessionId, event: redacted(event), error }));
  }

  close(): void {
    this.#unwatch();
    for (const viewer of this.#viewers) viewer.close();
    this.#viewers.clear();
    this.#watched = false;
  }
}
