import type { AccountInfo } from '../auth/tokenStore.js';
import type { ServerView } from '../catalog/hostApi.js';
import type { TrialChange } from '../catalog/inspection.js';
import type { ConfigProblem, ConfigSource } from '../config/serverDefinition.js';

/** Everything that is looked at, in this order. */
export const checkIds = [
  'configuration',
  'trust',
  'variables',
  'folder',
  'command',
  'files',
  'runtime',
  'address',
  'proxy',
  'name',
  'port',
  'certificate',
  'http',
  'sign-in',
  'handshake',
  'lists',
] as const;
export type CheckId = (typeof checkIds)[number];

export type Check = {
  id: CheckId;
  /** A sentence: what was found, with the facts. */
  seen: string;
  /** What to write into the definition so that it works; it was tried. */
  change?: TrialChange;
} & (
  { outcome: 'ok' | 'skipped'; fix?: undefined } | { outcome: 'warning' | 'failed'; /** What to do. */ fix: string }
);

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

export interface DoctorOptions {
  signal: AbortSignal;
  /** How long the handshake may take, milliseconds. Default 30,000. */
  handshakeMs?: number;
  /** How long one step on the network may take, milliseconds. Default 10,000. */
  stepMs?: number;
  /** Told before each check that takes its time. */
  onStep?: (id: CheckId) => void;
}

/** What a diagnosis asks of the host. */
export interface DoctorHost {
  servers: {
    get(id: string): ServerView | undefined;
    problems(): readonly { source: ConfigSource; problems: readonly ConfigProblem[] }[];
    secretValues(server: string): readonly string[];
  };
  lifecycle: { start(id: string, options: { interactive: false; signal: AbortSignal }): Promise<void> };
  calls: { ping(server: string, timeoutMs: number): Promise<void> };
  signIns: { accounts(server: string): Promise<AccountInfo[]> };
}
