import { describe, expect, it } from "vitest";
import { modes, outcomeOf, runtimeTruth } from "../../../machines/soc/modes.ts";
import { permissions, permissionsOf, roles } from "../../../machines/soc/roles.ts";

describe("the modes", () => {
  it.each([
    ["dummy", true, true, false, "database", false, false, false],
    ["dummy", false, true, true, "showcase", false, false, false],
    ["dry_run", true, false, false, "database", false, true, false],
    ["dry_run", false, false, false, "unavailable", false, true, false],
    ["real", true, false, false, "database", true, true, true],
    ["real", false, false, false, "unavailable", true, true, true],
  ] as const)(
    "%s with the store up: %s tells the truth",
    (mode, up, allowed, uses, source, change, work, reach) => {
      expect(runtimeTruth(mode, up)).toEqual({
        mode,
        is_database_available: up,
        showcase_reads_allowed: allowed,
        uses_showcase_data: uses,
        read_data_source: source,
        is_mutations_allowed: change,
        is_internal_workflows_allowed: work,
        is_external_actions_allowed: reach,
      });
    },
  );

  it("let a read happen in all, and nothing else in dummy", () => {
    expect(modes.map((mode) => outcomeOf("read", mode))).toEqual(["done", "done", "done"]);
    expect(modes.map((mode) => outcomeOf("mutation", mode))).toEqual(["blocked", "preview", "done"]);
    expect(modes.map((mode) => outcomeOf("internal", mode))).toEqual(["blocked", "done", "done"]);
    expect(modes.map((mode) => outcomeOf("external", mode))).toEqual(["blocked", "preview", "done"]);
  });
});

describe("the roles", () => {
  const writes = (role: (typeof roles)[number]) =>
    [...permissionsOf(role)].filter((name) => !name.endsWith(":read"));

  it("all read everything but the audit stream, which managers and admins read", () => {
    for (const role of roles) {
      const unread = permissions.filter((name) => name.endsWith(":read") && !permissionsOf(role).has(name));
      expect(unread).toEqual(role === "manager" || role === "admin" ? [] : ["audit:read"]);
    }
  });

  it("write what the table says", () => {
    const analyst = [
      "alerts:write",
      "cases:write",
      "investigation:trigger",
      "iocs:write",
      "reports:write",
      "siem:search",
    ];
    expect(writes("viewer")).toEqual([]);
    expect(writes("analyst").sort()).toEqual(analyst);
    expect(writes("responder").sort()).toEqual(
      [...analyst, "edr:manage", "playbooks:execute", "soar:execute"].sort(),
    );
    expect(writes("detection_engineer").sort()).toEqual(["alerts:write", "detections:write", "siem:search"]);
    expect(writes("approver")).toEqual(["approvals:manage"]);
    expect(writes("manager")).toEqual(writes("admin"));
  });
});
