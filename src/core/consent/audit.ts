/**
 * The records of the audit log: each tool call, and each decision about what is allowed, with one type for each kind.
 * No record contains a secret, form input, or a response from a server.
 */
import type { Caller, Effect } from './rule.js';

/**
 * The caller of an action. In addition to the callers of tools there is `command`, for a command of MCP Deck. A command
 * does not show whether a click, a key or a program ran it, so its caller is unknown.
 */
export type AuditCaller = Caller | 'command';

/** The outcome of a question. `left` means that the question was closed without an answer. */
export type AnswerOutcome = 'allowed' | 'refused' | 'left';

/** A decision about one call, and how the call ended. */
export interface CallRecord {
  event: 'call';
  caller: Caller;
  /** The name of the client, for the caller `agent`. */
  client?: string;
  server: string;
  tool: string;
  effect?: Effect;
  /** The reason for the decision: a rule, the caller's default, the user's answer, or a changed tool. */
  decidedBy?: 'rule' | 'default' | 'user' | 'quarantine';
  /** The rule as text. */
  rule?: string;
  outcome?: 'ok' | 'tool-error' | 'failed' | 'cancelled' | 'refused';
  durationMs?: number;
  /** The beginning of the arguments as JSON text, masked. */
  arguments: string;
}

/** A server sent a request to a language model. */
export interface SamplingRecord {
  event: 'sampling';
  server: string;
  outcome: 'ok' | 'refused' | 'cancelled';
  /**
   * `user`: the user saw the request and decided. `policy`: a stored decision or a limit decided, or the request ended
   * before the user decided.
   */
  decidedBy: 'user' | 'policy';
  /** The model that answered, and the estimated number of tokens of its answer. */
  model?: string;
  tokens?: number;
  /** Why the request was refused. */
  reason?: string;
}

/**
 * A decision about what is allowed. `caller` says who requested the decision; `script` means a command with arguments.
 */
type DecisionRecord =
  | { event: 'rule-added' | 'rule-removed'; effect: Effect; rule: string; caller: AuditCaller }
  | { event: 'change-accepted'; server: string; tool: string; caller: AuditCaller }
  | { event: 'approvals-reset' | 'trust-reset'; caller: AuditCaller }
  /** The approval of a server's first start. `definition` is the beginning of the approved hash. */
  | { event: 'start'; server: string; source: string; definition: string; outcome: AnswerOutcome }
  /** A command with arguments requested more permissions. Contains the question and the user's answer. */
  | { event: 'widening'; server?: string; caller: AuditCaller; question: string; outcome: 'allowed' | 'refused' }
  /** An edit of the presets file that would enable something, and the user's answer. */
  | { event: 'preset-edited'; preset: string; outcome: AnswerOutcome }
  | {
      event: 'server-added';
      servers: readonly string[];
      to: string;
      from?: string;
      caller: AuditCaller;
      outcome: 'allowed' | 'refused';
    }
  /** `to` is the file of another app, which may start the servers in it. */
  | { event: 'server-exported'; servers: readonly string[]; to: string; caller: AuditCaller }
  /** A client of the gateway was approved or refused, or its approval was removed (`forgotten`). */
  | { event: 'agent'; client: string; outcome: AnswerOutcome | 'forgotten'; app?: string }
  /** Names and descriptions of tools for agents, from a file of the workspace. */
  | { event: 'agent-texts'; tools: readonly string[]; outcome: 'allowed' | 'refused' }
  /** The gateway began to accept clients, or stopped. */
  | { event: 'gateway'; outcome: 'started' | 'stopped'; caller: AuditCaller }
  | { event: 'link'; server: string; outcome: 'allowed' | 'refused' }
  | {
      event: 'server-edited';
      server: string;
      source: string;
      /** The names of the changed fields, without their values. */ fields: readonly string[];
      caller: AuditCaller;
    }
  | { event: 'server-moved'; server: string; from: string; to: string; caller: AuditCaller }
  | {
      event: 'server-removed';
      server: string;
      from: string;
      /** Whether the values that were stored for the server were deleted as well. */ isForgotten: boolean;
      caller: AuditCaller;
    }
  | { event: 'server-enabled' | 'server-disabled'; server: string; caller: AuditCaller }
  | { event: 'tool-enabled' | 'tool-disabled'; server: string; tool: string; caller: AuditCaller }
  /** Null if no preset is active. */
  | { event: 'preset'; preset: string | null; caller: AuditCaller }
  | { event: 'sampling-policy'; server: string; policy: string }
  /** Null if the workspace folders are used. */
  | { event: 'roots'; server: string; folders: readonly string[] | null }
  /** A form of a server. Contains whether the form was answered, but not its content. */
  | { event: 'form'; server: string; outcome: AnswerOutcome; caller: AuditCaller }
  /** A page that a server asked to open; `host` is its host. */
  | { event: 'page'; server: string; host: string; outcome: AnswerOutcome; caller: AuditCaller }
  | { event: 'sign-in'; server: string; account?: string; outcome: 'allowed' | 'refused' | 'failed' }
  | { event: 'sign-out'; server: string; account?: string }
  /** The number of records that were lost because the file could not be written. */
  | { event: 'records-lost'; count: number }
  /** A request of a tool's app. `isForGood` means that the user allowed such requests while the app is open. */
  | { event: 'app'; server: string; tool: string; wish: AppWish; outcome: 'allowed' | 'refused'; isForGood?: boolean };

/** The kinds of requests that an app can make. */
export type AppWish = 'call' | 'link' | 'message' | 'context' | 'download';

export type AuditRecord = CallRecord | SamplingRecord | DecisionRecord;

/** The event names, for readers of the file. */
export type AuditEvent = AuditRecord['event'];

/** Receives records from the code that makes decisions, and stores them with the current time. */
export interface Audit {
  /** Stores a record. @param secrets values to mask anywhere in the record. */
  note(record: AuditRecord, secrets?: readonly string[]): void;
}
