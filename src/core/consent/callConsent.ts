/** The contract between the host and the decision about tool calls. `ToolConsent` decides. */
import type { CallSignal } from '../base/lightAbort.js';
import type { Disposable } from '../base/disposable.js';
import type { Tool } from '../protocol/mcp.js';
import type { CallRecord } from './audit.js';
import type { ArgumentTest, Caller, Lifetime, WayOfStart } from './rule.js';
import type { CallFacts } from './ruleSet.js';

/** The server of a call. */
export interface CalledServer {
  id: string;
  /** Hash of the server's definition. */
  hash: string;
  origin: CallFacts['origin'];
}

/** A call before it is sent. */
export interface RequestedCall {
  server: CalledServer;
  tool: Tool;
  /** Whether the server lists the tool. */
  isListed: boolean;
  arguments: Readonly<Record<string, unknown>>;
  caller: Caller;
  /** The name of the client, for the caller `agent`. */
  client?: string | undefined;
  /** Whether another extension calls through the API; see `CallFacts`. */
  isApi?: boolean;
  /**
   * Present if a command or a chat message made the call and waits for the result. The user may have started it, so the
   * question appears immediately instead of in the Requests view.
   */
  asksAtOnce?: WayOfStart | undefined;
  /**
   * Whether the user was asked about exactly this call and allowed it. `inAdvance` means that the user allowed every
   * call of this tool; a rule that asks still asks.
   */
  isAnswered?: boolean | 'inAdvance';
  /** Called with true when the call begins to wait for the user's answer, and with false when the wait ends. */
  onAsk?: ((isWaiting: boolean) => void) | undefined;
  /** Names of arguments that look like secrets. */
  secretArguments: ReadonlySet<string>;
  /** Secret values that the server received. */
  secrets: readonly string[];
}

/** The question to the user. */
export interface CallQuestion {
  server: string;
  tool: Tool;
  arguments: Readonly<Record<string, unknown>>;
  caller: Caller;
  /** The name of the client, for the caller `agent`. */
  client?: string;
  /** See `RequestedCall`. */
  asksAtOnce?: WayOfStart;
  /** The rule that asks, as text; absent if the question comes from the caller's default. */
  rule?: string;
  /** Whether an earlier approval was lost or dropped, so that even a known tool needs approval. */
  isAfterLoss: boolean;
  /** Whether some arguments look like secrets. If so, arguments cannot be part of a rule. */
  hasSecrets: boolean;
}

/**
 * The user's answer. `remember` creates a rule: for this tool, for exactly these arguments, or for arguments that pass
 * tests.
 */
export interface CallAnswer {
  effect: 'allow' | 'deny';
  remember?: { lifetime: Lifetime; onlyTheseArguments: boolean; where?: Readonly<Record<string, ArgumentTest>> };
}

/** Asks the user. Rejects with `cancelled` when an answer is no longer possible. */
export interface CallAsker {
  ask(question: CallQuestion, signal: AbortSignal | undefined): Promise<CallAnswer>;
}

/** Permission to send a call. */
export interface Admission {
  /** Called once, when the call has ended. */
  finish(outcome: NonNullable<CallRecord['outcome']>): void;
}

/** The check that the host makes before each call. */
export interface CallConsent {
  /**
   * Decides about a call. Resolves when the call may be sent. Rejects with `call-refused`, `tool-changed`, or
   * `cancelled`.
   * @param current returns the tool as its server lists it now; checked again after the user was asked.
   */
  admit(call: RequestedCall, current: () => Tool | undefined, signal?: CallSignal): Promise<Admission>;
  /**
   * Called before a server is started for the call, when the definition of the tool is not known yet. Throws
   * `call-refused` if a rule denies the call regardless of the definition.
   */
  refuseEarly(call: RequestedCall): void;
  /** Which of the given tools are in quarantine, by name. */
  changed(server: Pick<CalledServer, 'hash' | 'origin'>, tools: readonly Tool[]): ReadonlySet<string>;
  /** Fired when the set of quarantined tools may have changed. */
  readonly onDidChange: (listener: () => void) => Disposable;
}
