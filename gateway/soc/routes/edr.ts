/** Endpoints: listed, counted, isolated, released and scanned. */
import { z } from "zod";
import { endpointStatuses } from "../../../machines/soc/edr-endpoint.ts";
import { socRoute } from "../policy.ts";
import { askerOf, Id, listQuery, listReply, prose, Timestamp } from "../schemas.ts";

const tag = "EDR";
const params = z.strictObject({ endpoint_id: Id });
const read = { permission: "edr:read", rate: "general", effect: "read" } as const;
const manage = { permission: "edr:manage", rate: "general", effect: "external" } as const;
const actions = ["isolate", "unisolate", "scan"] as const;

const EndpointRecord = z
  .strictObject({
    id: Id,
    hostname: z.string(),
    ip: z.string().nullable(),
    os: z.string().nullable(),
    site: z.string().nullable(),
    source: z.string(),
    status: z.enum(endpointStatuses),
    came_from: z.enum(["online", "offline", "isolated"]).nullable(),
    action: z
      .strictObject({
        name: z.enum(actions),
        by: z.string(),
        reason: z.string().nullable(),
        key: z.string(),
        started_at: Timestamp,
        called_at: Timestamp.nullable(),
        answer_by: Timestamp,
        resumed: z.int(),
        waiting: z.strictObject({ execution_id: Id, step_id: z.string() }).nullable(),
      })
      .nullable(),
    last_action: z
      .strictObject({
        name: z.enum(actions),
        key: z.string(),
        outcome: z.enum(["confirmed", "refused", "unconfirmed"]),
        ended_at: Timestamp,
        receipt: z.unknown(),
      })
      .nullable(),
    last_seen: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
    version: z.int(),
  })
  .meta({ id: "Endpoint" });

const EdrStats = z
  .strictObject({
    total: z.int(),
    by_status: z.partialRecord(z.enum(endpointStatuses), z.int()),
    adapter: z.strictObject({
      status: z.enum(["off", "unknown", "up", "down"]),
      polled_at: Timestamp.nullable(),
      error: z.string().nullable(),
    }),
  })
  .meta({ id: "EdrStats" });

const summaries = {
  isolate: "Isolate an endpoint; it is isolated when the adapter confirms",
  unisolate: "Take an endpoint out of isolation",
  scan: "Scan an endpoint",
};

export const edrRoutes = [
  socRoute({
    method: "get",
    path: "/edr/endpoints",
    summary: "The endpoints, last seen first",
    tag,
    policy: read,
    query: z.strictObject({
      ...listQuery,
      status: z.enum(endpointStatuses).optional(),
      site: z.string().max(200).optional(),
      hostname: z.string().max(253).optional(),
    }),
    reply: listReply(EndpointRecord),
    handle: ({ query: { status, site, hostname, ...page }, actors }) =>
      actors.endpoints.list(page, { status, site, hostname }),
  }),
  socRoute({
    method: "get",
    path: "/edr/endpoints/:endpoint_id",
    summary: "One endpoint, with the action that is under way and the last one",
    tag,
    policy: read,
    params,
    reply: EndpointRecord,
    handle: ({ params, actors }) => actors.endpoints.get(params.endpoint_id),
  }),
  socRoute({
    method: "get",
    path: "/edr/stats",
    summary: "How many endpoints are in which state, and whether the adapter answers",
    tag,
    policy: read,
    reply: EdrStats,
    handle: ({ actors }) => actors.endpoints.stats(),
  }),
  ...actions.map((action) =>
    socRoute({
      method: "post",
      path: `/edr/endpoints/:endpoint_id/${action}`,
      summary: summaries[action],
      tag,
      policy: manage,
      params,
      body: z.strictObject({ reason: prose(2000).nullable().optional() }),
      reply: EndpointRecord,
      handle: ({ params, body, actors, ...request }) =>
        actors.endpoints.act(params.endpoint_id, action, body.reason ?? null, askerOf(request)),
    }),
  ),
];
