/** Who may do what: permissions are `resource:action`, roles are sets of them. */

export const permissions = [
  "alerts:read",
  "alerts:write",
  "cases:read",
  "cases:write",
  "cases:delete",
  "agents:read",
  "agents:manage",
  "investigation:trigger",
  "sites:read",
  "sites:manage",
  "siem:read",
  "siem:search",
  "siem:ingest",
  "detections:read",
  "detections:write",
  "edr:read",
  "edr:manage",
  "soar:read",
  "soar:execute",
  "soar:manage",
  "playbooks:read",
  "playbooks:execute",
  "cps:read",
  "cps:manage",
  "approvals:manage",
  "reports:read",
  "reports:write",
  "iocs:read",
  "iocs:write",
  "stats:read",
  "audit:read",
] as const;
export type Permission = (typeof permissions)[number];

export const roles = [
  "viewer",
  "analyst",
  "responder",
  "detection_engineer",
  "approver",
  "manager",
  "admin",
] as const;
export type Role = (typeof roles)[number];

const viewer = permissions.filter((name) => name.endsWith(":read") && name !== "audit:read");
const analyst: Permission[] = [
  ...viewer,
  "alerts:write",
  "cases:write",
  "iocs:write",
  "reports:write",
  "siem:search",
  "investigation:trigger",
];

const granted: Record<Role, ReadonlySet<Permission>> = {
  viewer: new Set(viewer),
  analyst: new Set(analyst),
  responder: new Set([...analyst, "edr:manage", "soar:execute", "playbooks:execute"]),
  detection_engineer: new Set([...viewer, "detections:write", "siem:search", "alerts:write"]),
  approver: new Set([...viewer, "approvals:manage"]),
  // The users and keys routes ask for the role `admin` itself, not for a permission.
  manager: new Set(permissions),
  admin: new Set(permissions),
};

export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return granted[role];
}
