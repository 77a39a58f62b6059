/** Logging in and out, and what people do with their own account. */
import { z } from "zod";
import { Reply } from "../../route.ts";
import { noCookie, sessionCookie } from "../authentication.ts";
import { socRoute } from "../policy.ts";
import { askerOf, Username } from "../schemas.ts";
import { Password, Profile } from "./user-schemas.ts";

const tag = "Authentication";
const own = { permission: "authenticated", rate: "general", effect: "read", keys: false } as const;

const Session = z
  .strictObject({ access_token: z.string(), token_type: z.literal("bearer") })
  .meta({ id: "Session" });

const sessionOf = (access_token: string, secure: boolean) =>
  new Reply(
    { access_token, token_type: "bearer" as const },
    { headers: sessionCookie(access_token, secure) },
  );

export const authRoutes = [
  socRoute({
    method: "post",
    path: "/auth/token",
    summary: "Log in: a token for an hour, also as a cookie",
    tag,
    policy: { permission: "public", rate: "login", effect: "read", password: true },
    body: z.strictObject({ username: Username, password: z.string().min(1).max(1024) }),
    reply: Session,
    handle: ({ body, actors, address, requestId: cause, secure }) =>
      actors.identity.login(body, { address, cause }).then((token) => sessionOf(token, secure)),
  }),
  socRoute({
    method: "post",
    path: "/auth/logout",
    summary: "Log out: the token that is sent counts no longer",
    tag,
    policy: own,
    reply: z.strictObject({ logged_out: z.literal(true) }),
    handle: ({ actors, caller, address, requestId: cause, secure }) =>
      actors.identity
        .logout(caller, { address, cause })
        .then(() => new Reply({ logged_out: true as const }, { headers: noCookie(secure) })),
  }),
  socRoute({
    method: "get",
    path: "/users/me",
    summary: "Who the caller is, and what they may do",
    tag: "Users",
    policy: own,
    reply: Profile,
    handle: ({ actors, caller }) => actors.identity.profile(caller),
  }),
  socRoute({
    method: "post",
    path: "/users/me/password",
    summary: "Change one's own password; every earlier token is void, a new one is in the answer",
    tag: "Users",
    policy: { ...own, showcase: false, password: true },
    body: z.strictObject({ current_password: z.string().min(1).max(1024), new_password: Password }),
    reply: Session,
    handle: ({ body, actors, caller, secure, requestId }) =>
      actors.users
        .changeOwn(caller.name, body.current_password, body.new_password, askerOf({ caller, requestId }))
        .then((user) => actors.identity.renewed(user))
        .then((token) => sessionOf(token, secure)),
  }),
];
