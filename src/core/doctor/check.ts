/** What was looked at, in order, and what was seen. */
export type CheckId = 'configuration' | 'trust' | 'variables' | 'folder' | 'command' | 'files' | 'runtime' | 'address' | 'proxy' | 'name' | 'port' | 'certificate' | 'http' | 'sign-in' | 'handshake' | 'lists';

export interface Check {
  id: CheckId;
  outcome: 'ok' | 'warning' | 'failed' | 'skipped';
  /** A sentence: what was found, with the facts. */
  seen: string;
  /** What to do; with every failure. */
  fix?: string;
}

/** A check that found nothing wrong. */
export function ok(id: CheckId, seen: string): Check {
  return { id, outcome: 'ok', seen };
}

export function failed(id: CheckId, seen: string, fix: string): Check {
  return { id, outcome: 'failed', seen, fix };
}

export function warning(id: CheckId, seen: string, fix: string): Check {
  return { id, outcome: 'warning', seen, fix };
}

export function skipped(id: CheckId, seen: string): Check {
  return { id, outcome: 'skipped', seen };
}
