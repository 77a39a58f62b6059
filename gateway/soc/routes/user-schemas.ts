import { z } from "zod";
import { permissions, roles } from "../../../machines/soc/roles.ts";
import { Timestamp } from "../schemas.ts";

export const Password = z.string().min(10).max(1024);
export const RoleName = z.enum(roles);

/** What can be a username; a colon would make it look like a key. */
export const NewUsername = z
  .string()
  .regex(/^[A-Za-z0-9][\w.@+-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or an address");

export const UserRecord = z
  .strictObject({
    username: z.string(),
    role: RoleName,
    disabled: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: "User" });

export const Profile = z
  .strictObject({
    username: z.string(),
    role: RoleName,
    disabled: z.boolean(),
    /** Unknown while the store is down. */
    created_at: Timestamp.nullable(),
    permissions: z.array(z.enum(permissions)),
  })
  .meta({ id: "Profile" });
