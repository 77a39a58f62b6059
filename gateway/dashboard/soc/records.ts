export interface Alert {
  id: string;
  title: string;
  description: string;
  severity: string;
  status: string;
  source: string;
  iocs: string[];
  case_id: string | null;
  occurrences: number;
  last_seen: string;
  version: number;
}

export interface CaseRecord {
  id: string;
  title: string;
  status: string;
  severity: string;
  description: string;
  assignee: string | null;
  version: number;
}

export interface CaseDetail extends CaseRecord {
  timeline: { agent: string; action: string; timestamp: string }[];
  observables: { id: string; type: string; value: string }[];
  evidence: { id: string; name: string; evidence_type: string; sha256: string }[];
  comments: { id: string; author: string; body: string }[];
  tasks: { id: string; title: string; status: string; assignee: string | null }[];
}

export interface Approval {
  id: string;
  status: string;
  action: string;
  justification?: string;
  requested_by: string;
  expires_at: string;
}

export interface Page<T> {
  items: T[];
  total: number;
}

export interface Truth {
  mode: string;
  read_data_source: string;
  uses_showcase_data: boolean;
}

export interface Profile {
  username: string;
  role: string;
}
