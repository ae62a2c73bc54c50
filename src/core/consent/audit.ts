/**
 * What the audit log is told: each call of a tool, and each decision about what may happen, one shape for each kind. None
 * holds a secret, what a person typed into a form, or what a server answered.
 */
import type { Caller, Effect } from './rule.js';

/**
 * Who made something happen. Besides the callers of tools there is `command`: a command of ours was run in a way that a click, a
 * key and a program share, so nobody can tell who it was.
 */
export type AuditCaller = Caller | 'command';

/** How something that was asked ended. `left`: put aside without an answer. */
export type AnswerOutcome = 'allowed' | 'refused' | 'left';

/** A decision about one call and how the call ended. */
export interface CallRecord {
  event: 'call';
  caller: Caller;
  server: string;
  tool: string;
  effect?: Effect;
  /** What decided: a rule, the caller's default, the user's answer, or that the tool changed. */
  decidedBy?: 'rule' | 'default' | 'user' | 'quarantine';
  /** The rule in words. */
  rule?: string;
  outcome?: 'ok' | 'tool-error' | 'failed' | 'cancelled' | 'refused';
  durationMs?: number;
  /** JSON text of the arguments, masked, its beginning. */
  arguments: string;
}

/** A server asked a language model. */
export interface SamplingRecord {
  event: 'sampling';
  server: string;
  outcome: 'ok' | 'refused' | 'cancelled';
  /** The user saw the request and decided, or what was decided before. */
  decidedBy: 'user' | 'policy';
  /** The model that answered, and the estimated tokens of its answer. */
  model?: string;
  tokens?: number;
  /** Why it was refused. */
  reason?: string;
}

/** What somebody decided about what may happen. `caller` is who wanted it: `script` is a command with arguments. */
type DecisionRecord =
  | { event: 'rule-added' | 'rule-removed'; effect: Effect; rule: string; caller: AuditCaller }
  | { event: 'change-accepted'; server: string; tool: string; caller: AuditCaller }
  | { event: 'approvals-reset' | 'trust-reset'; caller: AuditCaller }
  /** The question before a server first runs. `definition` is the beginning of the hash that was approved. */
  | { event: 'start'; server: string; source: string; definition: string; outcome: AnswerOutcome }
  /** A command with arguments wanted to widen something: what the person was asked, and what they said. */
  | { event: 'widening'; server?: string; caller: AuditCaller; question: string; outcome: 'allowed' | 'refused' }
  /** An edit of the file of presets would switch something on. */
  | { event: 'preset-edited'; preset: string; outcome: AnswerOutcome }
  | {
      event: 'server-added';
      servers: readonly string[];
      to: string;
      from?: string;
      caller: AuditCaller;
      outcome: 'allowed' | 'refused';
    }
  /** `to` is the file of another app, which may start what stands there. */
  | { event: 'server-exported'; servers: readonly string[]; to: string; caller: AuditCaller }
  | { event: 'link'; server: string; outcome: 'allowed' | 'refused' }
  | {
      event: 'server-edited';
      server: string;
      source: string;
      /** Names only. */ fields: readonly string[];
      caller: AuditCaller;
    }
  | { event: 'server-moved'; server: string; from: string; to: string; caller: AuditCaller }
  | {
      event: 'server-removed';
      server: string;
      from: string;
      /** What was stored of it went with it. */ isForgotten: boolean;
      caller: AuditCaller;
    }
  | { event: 'server-enabled' | 'server-disabled'; server: string; caller: AuditCaller }
  | { event: 'tool-enabled' | 'tool-disabled'; server: string; tool: string; caller: AuditCaller }
  /** Null: no preset. */
  | { event: 'preset'; preset: string | null; caller: AuditCaller }
  | { event: 'sampling-policy'; server: string; policy: string }
  /** Null: the folders of the workspace. */
  | { event: 'roots'; server: string; folders: readonly string[] | null }
  /** A form of a server: whether it was answered, never with what. */
  | { event: 'form'; server: string; outcome: AnswerOutcome; caller: AuditCaller }
  /** A page that a server wanted opened; `host` is where it leads. */
  | { event: 'page'; server: string; host: string; outcome: AnswerOutcome; caller: AuditCaller }
  | { event: 'sign-in'; server: string; account?: string; outcome: 'allowed' | 'refused' | 'failed' }
  | { event: 'sign-out'; server: string; account?: string }
  /** So many records could not be kept while the file could not be written. */
  | { event: 'records-lost'; count: number }
  /** What the app of a tool wanted to do. `isForGood`: allowed for as long as the app is open. */
  | { event: 'app'; server: string; tool: string; wish: AppWish; outcome: 'allowed' | 'refused'; isForGood?: boolean };

/** What an app can ask for. */
export type AppWish = 'call' | 'link' | 'message' | 'context' | 'download';

export type AuditRecord = CallRecord | SamplingRecord | DecisionRecord;

/** Every name of a record, for readers of the file. */
export type AuditEvent = AuditRecord['event'];

/** Told by those who decide; keeps the record with the time. */
export interface Audit {
  /** @param secrets masked wherever they stand in the record. */
  note(record: AuditRecord, secrets?: readonly string[]): void;
}
