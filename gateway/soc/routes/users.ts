/** Users and the keys of other services, for administrators. */
import { z } from "zod";
import { permissions } from "../../../machines/soc/roles.ts";
import { socRoute } from "../policy.ts";
import {
  askerOf,
  changesSomething,
  Id,
  line,
  listQuery,
  listReply,
  Timestamp,
  versionOf,
} from "../schemas.ts";
import { NewUsername, Password, RoleName, UserRecord } from "./user-schemas.ts";

const read = { permission: "admin", rate: "general", effect: "read", keys: false } as const;
const write = { ...read, effect: "mutation" } as const;
const params = z.strictObject({ username: NewUsername });
const yesNo = z.enum(["true", "false"]).transform((text) => text === "true");

const key = {
  id: Id,
  name: z.string(),
  permissions: z.array(z.enum(permissions)),
  expires_at: Timestamp,
  created_by: z.string(),
  created_at: Timestamp,
};

const userRows = [
  socRoute({
    method: "get",
    path: "/users",
    summary: "All users",
    tag: "Users",
    policy: read,
    query: z.strictObject({ ...listQuery, role: RoleName.optional(), disabled: yesNo.optional() }),
    reply: listReply(UserRecord),
    handle: ({ query: { skip, limit, cursor, sort, ...filter }, actors }) =>
      actors.users.list({ skip, limit, cursor, sort }, filter),
  }),
  socRoute({
    method: "post",
    path: "/users",
    summary: "Add a user",
    tag: "Users",
    policy: write,
    body: z.strictObject({ username: NewUsername, password: Password, role: RoleName }),
    reply: UserRecord,
    status: 201,
    handle: ({ body, actors, ...request }) => actors.users.create(body, askerOf(request)),
  }),
  socRoute({
    method: "patch",
    path: "/users/:username",
    summary: "Change a user's role or password, or shut them out; a new password voids their tokens",
    tag: "Users",
    policy: write,
    params,
    body: z
      .strictObject({
        role: RoleName.optional(),
        disabled: z.boolean().optional(),
        password: Password.optional(),
      })
      .refine(...changesSomething),
    reply: UserRecord,
    handle: (request) =>
      request.actors.users.change(
        request.params.username,
        request.body,
        askerOf(request),
        versionOf(request),
      ),
  }),
  socRoute({
    method: "delete",
    path: "/users/:username",
    summary: "Remove a user; their tokens are void at once",
    tag: "Users",
    policy: write,
    params,
    reply: z.strictObject({ username: z.string(), deleted: z.literal(true) }),
    handle: ({ params: { username }, actors, ...request }) =>
      actors.users.remove(username, askerOf(request)).then(() => ({ username, deleted: true as const })),
  }),
];

const keyRows = [
  socRoute({
    method: "get",
    path: "/api-keys",
    summary: "The keys of other services, without the keys themselves",
    tag: "API keys",
    policy: read,
    query: z.strictObject(listQuery),
    reply: listReply(z.strictObject(key).meta({ id: "ApiKey" })),
    handle: ({ query, actors }) => actors.apiKeys.list(query),
  }),
  socRoute({
    method: "post",
    path: "/api-keys",
    summary: "Make a key; it is shown in this answer only. Without an end it lasts 90 days",
    tag: "API keys",
    policy: write,
    body: z.strictObject({
      name: line(64),
      permissions: z.array(z.enum(permissions)).min(1).max(permissions.length),
      expires_at: Timestamp.optional(),
    }),
    reply: z.strictObject({ ...key, key: z.string() }),
    status: 201,
    handle: ({ body, actors, ...request }) => actors.apiKeys.create(body, askerOf(request)),
  }),
  socRoute({
    method: "delete",
    path: "/api-keys/:id",
    summary: "Withdraw a key",
    tag: "API keys",
    policy: write,
    params: z.strictObject({ id: Id }),
    reply: z.strictObject({ id: Id, deleted: z.literal(true) }),
    handle: ({ params: { id }, actors, ...request }) =>
      actors.apiKeys.remove(id, askerOf(request)).then(() => ({ id, deleted: true as const })),
  }),
];

export const userRoutes = [...userRows, ...keyRows];
