import type { AccountInfo } from '../auth/serverRecord.js';
import type { ServerView } from '../catalog/hostTypes.js';
import type { TrialChange } from '../catalog/inspection.js';
import type { ConfigProblem, ConfigSource } from '../config/serverDefinition.js';

/** All checks, in order. */
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
  /** A sentence that states the finding. */
  seen: string;
  /** A change of the definition that was tried and that works. */
  change?: TrialChange;
  /** The absolute path of the file that the check is about. */
  file?: string;
} & (
  { outcome: 'ok' | 'skipped'; fix?: undefined } | { outcome: 'warning' | 'failed'; /** The remedy. */ fix: string }
);

/** A check that found nothing wrong. */
export function ok(id: CheckId, seen: string): Check {
  return { id, outcome: 'ok', seen };
}

/**
 * A check that found a problem.
 * @param seen the finding.
 * @param fix the next step of the user.
 */
export function failed(id: CheckId, seen: string, fix: string): Check {
  return { id, outcome: 'failed', seen, fix };
}

/**
 * A check with a finding that does not prevent the server from working.
 * @param fix the next step of the user.
 */
export function warning(id: CheckId, seen: string, fix: string): Check {
  return { id, outcome: 'warning', seen, fix };
}

/**
 * A check that was not necessary or not possible.
 * @param seen the reason.
 */
export function skipped(id: CheckId, seen: string): Check {
  return { id, outcome: 'skipped', seen };
}

export interface DoctorOptions {
  signal: AbortSignal;
  /** Time limit of the handshake, in milliseconds. Default 30,000. */
  handshakeMs?: number;
  /** Time limit of one step on the network, in milliseconds. Default 10,000. */
  stepMs?: number;
  /** Called before each check that may take long. */
  onStep?: (id: CheckId) => void;
  /** Called after each check. The secrets that are known by then are masked. */
  onCheck?: (check: Check) => void;
}

/** The parts of the host that a diagnosis needs. */
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
