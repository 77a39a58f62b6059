/** The showcase's story: a stolen password at the headquarters leads to a controller at the plant. */
import type { AlertEvent, AlertInput, Severity } from "./alert.ts";

/** Minutes before now; the story plays within the last two days. */
export interface StoryAlert {
  slug: string;
  minutes: number;
  title: string;
  description: string;
  severity: Severity;
  source: string;
  site: string;
  iocs: string[];
  mitre_techniques: string[];
  repeats: number;
  end: "case" | "new" | "triaged" | "false_positive";
}

export const storyCaseId = "case-showcase-1";
export const storyApprovalId = "approval-showcase-1";

export const storySites = [
  { id: "headquarters", name: "Headquarters", profile: { asset_classes: ["endpoint", "cloud"] } },
  { id: "plant-north", name: "Plant North", profile: { asset_classes: ["endpoint", "cps"] } },
] as const;

export const storyHosts = [
  ["ep-0101", "hq-ws-017", "10.20.1.17", "Windows 11", "headquarters"],
  ["ep-0102", "hq-mail-01", "10.20.0.25", "Debian 12", "headquarters"],
  ["ep-0103", "hq-ws-042", "10.20.1.42", "Windows 11", "headquarters"],
  ["ep-0104", "hq-dc-01", "10.20.0.10", "Windows Server 2022", "headquarters"],
  ["ep-0201", "pn-jump-01", "10.40.0.5", "Windows Server 2022", "plant-north"],
  ["ep-0202", "pn-hist-01", "10.40.0.20", "Debian 12", "plant-north"],
  ["ep-0203", "pn-eng-03", "10.40.1.33", "Windows 10 LTSC", "plant-north"],
] as const;

export const storyAlerts: readonly StoryAlert[] = [
  {
    slug: "phish",
    minutes: 2790,
    title: "Message with a credential page opened",
    description:
      "hq-ws-017 opened a page that imitates the sign-in page, two minutes after a message arrived.",
    severity: "medium",
    source: "mail-gateway",
    site: "headquarters",
    iocs: ["signin-headquarters.example", "203.0.113.24"],
    mitre_techniques: ["T1566.002"],
    repeats: 2,
    end: "case",
  },
  {
    slug: "signin",
    minutes: 2715,
    title: "Sign-in from a network never seen for this account",
    description: "The account of hq-ws-017 signed in from 203.0.113.24, the address of the imitated page.",
    severity: "high",
    source: "identity",
    site: "headquarters",
    iocs: ["203.0.113.24"],
    mitre_techniques: ["T1078"],
    repeats: 1,
    end: "case",
  },
  {
    slug: "beacon",
    minutes: 2580,
    title: "Regular connections to one address every 60 s",
    description: "hq-ws-017 talks to 198.51.100.77 every minute with 3 % jitter.",
    severity: "high",
    source: "siem",
    site: "headquarters",
    iocs: ["198.51.100.77", "hq-ws-017"],
    mitre_techniques: ["T1071.001"],
    repeats: 41,
    end: "case",
  },
  {
    slug: "lateral",
    minutes: 1530,
    title: "Remote service created on a jump host",
    description: "hq-ws-017 created a service on pn-jump-01 with the stolen account.",
    severity: "critical",
    source: "edr",
    site: "plant-north",
    iocs: ["pn-jump-01", "10.20.1.17"],
    mitre_techniques: ["T1021.002", "T1569.002"],
    repeats: 1,
    end: "case",
  },
  {
    slug: "firmware",
    minutes: 1395,
    title: "Controller reports a firmware that was never released",
    description: "plc-07 failed its attestation after a connection from pn-eng-03.",
    severity: "critical",
    source: "attestation",
    site: "plant-north",
    iocs: ["plc-07", "pn-eng-03"],
    mitre_techniques: ["T0857"],
    repeats: 3,
    end: "case",
  },
  {
    slug: "scan",
    minutes: 640,
    title: "Many ports tried from one host",
    description: "hq-ws-042 tried 212 ports of hq-dc-01 in five minutes.",
    severity: "medium",
    source: "siem",
    site: "headquarters",
    iocs: ["hq-ws-042"],
    mitre_techniques: ["T1046"],
    repeats: 1,
    end: "false_positive",
  },
  {
    slug: "usb",
    minutes: 230,
    title: "Removable disk on an engineering station",
    description: "A disk was plugged into pn-eng-03 outside a maintenance window.",
    severity: "low",
    source: "edr",
    site: "plant-north",
    iocs: ["pn-eng-03"],
    mitre_techniques: ["T1091"],
    repeats: 1,
    end: "triaged",
  },
  {
    slug: "spray",
    minutes: 55,
    title: "One password tried on many accounts",
    description: "18 accounts, one attempt each, from 203.0.113.24.",
    severity: "high",
    source: "identity",
    site: "headquarters",
    iocs: ["203.0.113.24"],
    mitre_techniques: ["T1110.003"],
    repeats: 6,
    end: "new",
  },
];

/** What was done with an alert after it was raised, in the order in which it was done. */
export function workOn(
  alert: StoryAlert,
  case_id: string,
  atMinute: (minutes: number) => string,
): AlertEvent[] {
  const step = (later: number) => ({ by: "analyst", at: atMinute(alert.minutes - later) });
  const repeats = Array.from({ length: alert.repeats - 1 }, (_, n) => ({
    type: "DUPLICATED" as const,
    by: alert.source,
    at: atMinute(alert.minutes - (n + 1) * 0.5),
  }));
  switch (alert.end) {
    case "case":
      return [...repeats, { type: "TRIAGE", ...step(25) }, { type: "LINK", case_id, ...step(30) }];
    case "triaged":
      return [...repeats, { type: "TRIAGE", ...step(25) }];
    case "false_positive":
      return [...repeats, { type: "CLOSE", verdict: "false_positive", ...step(40) }];
    case "new":
      return repeats;
  }
}

/** The alert as it came in. */
export function raised(alert: StoryAlert, id: string, hash: string, at: string): AlertInput {
  const { title, description, severity, source, site, iocs, mitre_techniques } = alert;
  return {
    ...{ id, title, description, severity, source, site, iocs, mitre_techniques, hash, at },
    assignee: null,
    rule_id: null,
  };
}
