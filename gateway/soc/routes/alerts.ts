/** Alerts: raised, listed, worked, and handed to cases. */
import { z } from "zod";
import { alertStatuses, verdicts } from "../../../machines/soc/alert.ts";
import { Reply } from "../../route.ts";
import { socRoute } from "../policy.ts";
import {
  askerOf,
  changesSomething,
  Id,
  line,
  listQuery,
  listReply,
  prose,
  Severity,
  Timestamp,
  Username,
  versionOf,
} from "../schemas.ts";
import { CaseRecord } from "./case-schemas.ts";

const tag = "Alerts";
const params = z.strictObject({ alert_id: Id });
const read = { permission: "alerts:read", rate: "general", effect: "read" } as const;
const write = { permission: "alerts:write", rate: "general", effect: "mutation" } as const;
const handOver = { ...write, permission: ["alerts:write", "cases:write"] } as const;

export const AlertRecord = z
  .strictObject({
    id: Id,
    title: z.string(),
    description: z.string(),
    severity: Severity,
    status: z.enum(alertStatuses),
    source: z.string(),
    iocs: z.array(z.string()),
    hash: z.string(),
    site: z.string().nullable(),
    mitre_techniques: z.array(z.string()),
    verdict: z.enum(verdicts).nullable(),
    case_id: z.string().nullable(),
    assignee: z.string().nullable(),
    rule_id: z.string().nullable(),
    occurrences: z.int(),
    notes: z.array(z.strictObject({ at: Timestamp, by: z.string(), text: z.string() })),
    first_seen: Timestamp,
    last_seen: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
    version: z.int(),
  })
  .meta({ id: "Alert" });

const NewAlert = z.strictObject({
  title: line(500),
  source: line(200),
  severity: Severity,
  description: prose(65_536).optional(),
  iocs: z.array(line(2048)).max(1000).optional(),
  site: line(200).nullable().optional(),
  mitre_techniques: z
    .array(z.string().regex(/^T\d{4}(\.\d{3})?$/, "must be a technique's id"))
    .max(100)
    .optional(),
  assignee: Username.nullable().optional(),
});

const AlertPatch = z
  .strictObject({
    status: z.enum(alertStatuses).optional(),
    verdict: z.enum(verdicts).optional(),
    severity: Severity.optional(),
    description: prose(65_536).optional(),
    assignee: Username.nullable().optional(),
  })
  .refine(...changesSomething)
  .refine((body) => body.status !== "closed" || body.verdict !== undefined, {
    path: ["verdict"],
    message: "closing needs one",
  })
  .refine((body) => body.verdict === undefined || body.status === "closed", {
    path: ["verdict"],
    message: "belongs to closing: send status closed with it",
  });

export const alertRoutes = [
  socRoute({
    method: "get",
    path: "/alerts",
    summary: "The alerts, newest first",
    tag,
    policy: read,
    query: z.strictObject({
      ...listQuery,
      severity: Severity.optional(),
      status: z.enum(alertStatuses).optional(),
      source: z.string().max(200).optional(),
      site: z.string().max(200).optional(),
      assignee: z.string().max(64).optional(),
      case_id: z.string().max(128).optional(),
    }),
    reply: listReply(AlertRecord),
    handle: ({ query: { skip, limit, cursor, sort, ...filter }, actors }) =>
      actors.alerts.list({ skip, limit, cursor, sort }, filter),
  }),
  socRoute({
    method: "post",
    path: "/alerts",
    summary: "Raise an alert, or count it again when it is known: 200 then",
    tag,
    policy: write,
    body: NewAlert,
    reply: AlertRecord,
    status: 201,
    handle: ({ body, actors, ...request }) =>
      actors.alerts
        .create(body, askerOf(request))
        .then(({ alert, created }) => new Reply(alert, { status: created ? 201 : 200 })),
  }),
  socRoute({
    method: "get",
    path: "/alerts/:alert_id",
    summary: "One alert",
    tag,
    policy: read,
    params,
    reply: AlertRecord,
    handle: ({ params, actors }) => actors.alerts.get(params.alert_id),
  }),
  socRoute({
    method: "patch",
    path: "/alerts/:alert_id",
    summary: "Move an alert, judge it, assign it; If-Match takes the version",
    tag,
    policy: write,
    params,
    body: AlertPatch,
    reply: AlertRecord,
    handle: (input) =>
      input.actors.alerts.change(input.params.alert_id, input.body, askerOf(input), versionOf(input)),
  }),
  socRoute({
    method: "post",
    path: "/alerts/:alert_id/promote",
    summary: "Open a case for an alert",
    tag,
    policy: handOver,
    params,
    body: z.strictObject({ description: prose(65_536).optional(), assignee: Username.optional() }),
    reply: CaseRecord,
    status: 201,
    handle: ({ params, body, actors, ...request }) =>
      actors.alerts.promote(params.alert_id, body, askerOf(request)),
  }),
  socRoute({
    method: "post",
    path: "/alerts/:alert_id/case-link",
    summary: "Give an alert to an existing case",
    tag,
    policy: handOver,
    params,
    body: z.strictObject({ case_id: Id }),
    reply: AlertRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.alerts.link(params.alert_id, body.case_id, askerOf(request)),
  }),
];
