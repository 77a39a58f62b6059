/** What a case holds: observables, comments, tasks, evidence and its custody. */
import { z } from "zod";
import { taskStatuses } from "../../../machines/soc/case-record.ts";
import { socRoute } from "../policy.ts";
import {
  askerOf,
  changesSomething,
  Id,
  Json,
  line,
  listQuery,
  listReply,
  prose,
  Sha256,
  Username,
} from "../schemas.ts";
import {
  CommentRecord,
  CustodyEntry,
  EvidenceBundle,
  EvidenceRecord,
  ObservableRecord,
  TaskRecord,
  VerificationReply,
} from "./case-schemas.ts";

const tag = "Cases";
const params = z.strictObject({ case_id: Id });
const evidenceParams = z.strictObject({ case_id: Id, evidence_id: Id });
const { sort: _, ...pageQuery } = listQuery;
const query = z.strictObject(pageQuery);
const read = { permission: "cases:read", rate: "general", effect: "read" } as const;
const write = { permission: "cases:write", rate: "general", effect: "mutation" } as const;

const StorageUrl = line(2048).regex(/^[a-z][a-z0-9+.-]*:\/\//i, "must be an address with a scheme");

const listing = { method: "get", tag, policy: read, params, query } as const;
const addition = { method: "post", tag, policy: write, params, status: 201 } as const;
const reading = { method: "get", tag, policy: read, params: evidenceParams } as const;

const NewCustody = z.strictObject({
  action: line(200),
  purpose: line(500).nullable().optional(),
  location: line(500).nullable().optional(),
});

export const caseFileRoutes = [
  socRoute({
    ...listing,
    path: "/cases/:case_id/observables",
    summary: "A case's observables",
    reply: listReply(ObservableRecord),
    handle: ({ params, query, actors }) => actors.file.list(params.case_id, "observables", query),
  }),
  socRoute({
    ...addition,
    path: "/cases/:case_id/observables",
    summary: "Add an observable",
    body: z.strictObject({
      type: line(100),
      value: line(4096),
      source: line(200).nullable().optional(),
      tags: z.array(line(100)).max(100).optional(),
      context: z.record(line(100), Json).optional(),
    }),
    reply: ObservableRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.file.addObservable(params.case_id, body, askerOf(request)),
  }),
  socRoute({
    ...listing,
    path: "/cases/:case_id/comments",
    summary: "A case's comments",
    reply: listReply(CommentRecord),
    handle: ({ params, query, actors }) => actors.file.list(params.case_id, "comments", query),
  }),
  socRoute({
    ...addition,
    path: "/cases/:case_id/comments",
    summary: "Comment on a case",
    body: z.strictObject({ body: prose(65_536, 1) }),
    reply: CommentRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.file.addComment(params.case_id, body.body, askerOf(request)),
  }),
  socRoute({
    ...listing,
    path: "/cases/:case_id/tasks",
    summary: "A case's tasks",
    reply: listReply(TaskRecord),
    handle: ({ params, query, actors }) => actors.file.tasks(params.case_id, query),
  }),
  socRoute({
    ...addition,
    path: "/cases/:case_id/tasks",
    summary: "Add a task",
    body: z.strictObject({
      title: line(500),
      status: z.enum(taskStatuses).optional(),
      assignee: Username.nullable().optional(),
    }),
    reply: TaskRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.file.addTask(params.case_id, body, askerOf(request)),
  }),
  socRoute({
    method: "patch",
    path: "/cases/:case_id/tasks/:task_id",
    summary: "Change a task's status or assignee",
    tag,
    policy: write,
    params: z.strictObject({ case_id: Id, task_id: Id }),
    body: z
      .strictObject({ status: z.enum(taskStatuses).optional(), assignee: Username.nullable().optional() })
      .refine(...changesSomething),
    reply: TaskRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.file.changeTask(params.case_id, params.task_id, body, askerOf(request)),
  }),
  socRoute({
    ...listing,
    path: "/cases/:case_id/evidence",
    summary: "A case's evidence with its chains of custody",
    reply: listReply(EvidenceRecord),
    handle: ({ params, query, actors }) => actors.file.evidence(params.case_id, query),
  }),
  socRoute({
    ...addition,
    path: "/cases/:case_id/evidence",
    summary: "Register evidence; its chain of custody begins",
    body: z.strictObject({
      name: line(500),
      evidence_type: line(100),
      sha256: Sha256,
      storage_url: StorageUrl.nullable().optional(),
      location: line(500).nullable().optional(),
      custody_entries: z.array(NewCustody).max(100).optional(),
    }),
    reply: EvidenceRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.file.addEvidence(params.case_id, body, askerOf(request)),
  }),
  socRoute({
    ...addition,
    path: "/cases/:case_id/evidence/:evidence_id/custody",
    summary: "Record a step of custody",
    params: evidenceParams,
    body: NewCustody,
    reply: CustodyEntry,
    handle: ({ params, body, actors, ...request }) =>
      actors.file.recordCustody(params.case_id, params.evidence_id, body, askerOf(request)),
  }),
  socRoute({
    ...reading,
    path: "/cases/:case_id/evidence/:evidence_id/verify",
    summary: "Check the chain of custody; a broken one is a result",
    reply: VerificationReply,
    handle: ({ params, actors }) => actors.file.verify(params.case_id, params.evidence_id),
  }),
  socRoute({
    ...reading,
    path: "/cases/:case_id/evidence/:evidence_id/export",
    summary: "The evidence with its chain, to be checked without the platform",
    reply: EvidenceBundle,
    handle: ({ params, actors }) => actors.file.export(params.case_id, params.evidence_id),
  }),
];
