/**
 * The one decision about calls of tools. Every call passes here before it is sent, whoever wants it: first what the tool
 * was when it was approved, then the rules, then the user. What is decided and what comes of it goes into the audit log.
 */
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Tool } from '../protocol/mcp.js';
import type { Audit, AuditCaller, CallRecord } from './audit.js';
import { auditArguments } from './auditLog.js';
import type { ArgumentTest, Caller, Effect, Lifetime, Rule } from './rule.js';
import type { RuleBook } from './ruleBook.js';
import type { CallFacts, Decision } from './ruleSet.js';
import { ruleText } from './rule.js';
import { approvalOf, changedError, toolHash } from './toolDefinition.js';
import type { ScopedPins } from './toolPins.js';

/** The server of a call. */
export interface CalledServer {
  id: string;
  /** Hash of its definition. */
  hash: string;
  origin: CallFacts['origin'];
}

/** A call before it is sent. */
export interface WantedCall {
  server: CalledServer;
  tool: Tool;
  /** The server lists the tool. */
  isListed: boolean;
  arguments: Readonly<Record<string, unknown>>;
  caller: Caller;
  /** Another extension calls, by the API; see `CallFacts`. */
  isApi?: boolean;
  /**
   * Somebody who may be the user ran a command and waits: a question is asked at once instead of waiting among the
   * requests.
   */
  isAtHand?: boolean;
  /**
   * The user was asked about exactly this call and said yes; `inAdvance`: about any call of this tool, which no rule
   * that asks is overruled by.
   */
  isAnswered?: boolean | 'inAdvance';
  /** Told when the call waits for the user's answer. */
  onAsk?: (() => void) | undefined;
  /** Names of arguments that look like secrets. */
  secretArguments: ReadonlySet<string>;
  /** Values that the server was given as secrets. */
  secrets: readonly string[];
}

/** What the user is asked. */
export interface CallQuestion {
  server: string;
  tool: Tool;
  arguments: Readonly<Record<string, unknown>>;
  caller: Caller;
  /** See `WantedCall`. */
  isAtHand?: boolean;
  /** The rule that asks, in words; absent where it is the caller's default. */
  rule?: string;
  /** What was approved before was lost or dropped, so even a known tool is asked about. */
  isAfterLoss: boolean;
  /** Some of the arguments look like secrets: no rule may be made of them. */
  hasSecrets: boolean;
}

/**
 * The user's answer; `remember` makes a rule of it: about this tool, these arguments alone, or arguments that pass
 * tests.
 */
export interface CallAnswer {
  effect: 'allow' | 'deny';
  remember?: { lifetime: Lifetime; onlyTheseArguments: boolean; where?: Readonly<Record<string, ArgumentTest>> };
}

/** Asks the user. Rejects with `cancelled` when nobody answers any more. */
export interface CallAsker {
  ask(question: CallQuestion, signal: AbortSignal | undefined): Promise<CallAnswer>;
}

/** A call that may be sent now. */
export interface Admission {
  /** Called once, when the call has ended. */
  finish(outcome: NonNullable<CallRecord['outcome']>): void;
}

/** What the host asks before each call. */
export interface CallConsent {
  /**
   * Resolves when the call may be sent. Rejects with `call-refused`, `tool-changed`, or `cancelled`.
   * @param current the tool as its server lists it now: looked at again after the user was asked.
   */
  admit(call: WantedCall, current: () => Tool | undefined, signal?: AbortSignal): Promise<Admission>;
  /** Names of those tools that are in quarantine. */
  changed(server: Pick<CalledServer, 'hash' | 'origin'>, tools: readonly Tool[]): ReadonlySet<string>;
  /** What is in quarantine may be other tools now. */
  readonly onDidChange: (listener: () => void) => Disposable;
}

export interface ToolConsentParts {
  rules: RuleBook;
  pins: ScopedPins;
  audit: Audit;
  asker: CallAsker;
  /** Ids of servers whose hints the user believes. */
  believed: () => readonly string[];
  now?: () => number;
}

export class ToolConsent implements CallConsent, Disposable {
  private readonly store = new DisposableStore();
  private readonly changes = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changes.event;
  private readonly now: () => number;

  constructor(private readonly parts: ToolConsentParts) {
    this.now = parts.now ?? Date.now;
  }

  async admit(call: WantedCall, current: () => Tool | undefined, signal?: AbortSignal): Promise<Admission> {
    const { rules } = this.parts;
    const { server, tool } = call;
    const pins = this.parts.pins.of(server);
    const verdict = pins.verdict(server.hash, tool, call.isListed);
    if (verdict.kind === 'changed') {
      this.note(call, { effect: 'deny', decidedBy: 'quarantine', outcome: 'refused' });
      this.changes.fire();
      throw changedError(server.id, visibleLine(tool.name, 120), verdict.why);
    }
    const facts = this.factsOf(call);
    const decision = rules.decide(facts);
    const isAfterLoss = verdict.kind === 'new' && pins.mayHaveForgotten(server.hash) && server.origin !== 'builtin';
    let decidedBy: CallRecord['decidedBy'] = decision.rule ? 'rule' : 'default';
    if (decision.effect === 'deny') throw this.refused(call, decision, 'rule');
    const isAnswered = call.isAnswered === true || (call.isAnswered === 'inAdvance' && decision.rule === undefined);
    if (decision.effect === 'ask' && isAnswered) decidedBy = 'user';
    if ((decision.effect === 'ask' && !isAnswered) || isAfterLoss) {
      decidedBy = await this.askWhileHeld(call, decision, isAfterLoss, signal);
      // The server had time to make another tool of it.
      const after = current();
      if ((after === undefined) === call.isListed || (after && toolHash(after) !== toolHash(tool)))
        throw changedError(server.id, visibleLine(tool.name, 120), after ? 'changed' : 'gone');
      // A rule may have been written meanwhile.
      const again = rules.decide(facts);
      if (again.effect === 'deny') throw this.refused(call, again, 'rule');
    }
    // Stored before it is sent: else the next window would take a changed tool for a new one.
    if (verdict.kind === 'new' && call.isListed) await pins.pin(server.hash, tool);
    const startedAt = this.now();
    const admitted: Partial<CallRecord> = { effect: 'allow', decidedBy, ...ruleOf(decision) };
    return {
      finish: (outcome) => this.note(call, { ...admitted, outcome, durationMs: Math.round(this.now() - startedAt) }),
    };
  }

  /**
   * What the rules say of a call before anybody is asked: for those who ask in a way of their own, and who do not ask where
   * a rule has the answer. Decides nothing; `admit` does.
   */
  foresee(call: Pick<WantedCall, 'server' | 'tool' | 'arguments' | 'caller'>): Effect {
    return this.parts.rules.foresee(this.factsOf(call)).effect;
  }

  changed(server: Pick<CalledServer, 'hash' | 'origin'>, tools: readonly Tool[]): ReadonlySet<string> {
    return this.parts.pins.of(server).changed(server.hash, tools);
  }

  /** The user has seen the change: the tool is approved as it is now. Throws RangeError where that cannot be told. */
  async acceptChange(server: CalledServer, tool: Tool, caller: AuditCaller = 'user'): Promise<void> {
    await this.parts.pins.of(server).pin(server.hash, tool);
    this.parts.audit.note({ event: 'change-accepted', server: server.id, tool: tool.name, caller });
    this.changes.fire();
  }

  /** Forgets every approval that came from a question, and what tools were. */
  async reset(caller: AuditCaller = 'user'): Promise<void> {
    await this.parts.rules.reset();
    await this.parts.pins.reset();
    this.parts.audit.note({ event: 'approvals-reset', caller });
    this.changes.fire();
  }

  async addRule(rule: Rule, lifetime: Lifetime, caller: AuditCaller = 'user'): Promise<void> {
    await this.parts.rules.add(rule, lifetime);
    this.parts.audit.note({ event: 'rule-added', effect: rule.effect, rule: ruleText(rule), caller });
  }

  async removeRule(placed: Parameters<RuleBook['remove']>[0], caller: AuditCaller = 'user'): Promise<void> {
    await this.parts.rules.remove(placed);
    this.parts.audit.note({ event: 'rule-removed', effect: placed.rule.effect, rule: ruleText(placed.rule), caller });
  }

  dispose(): void {
    this.store.dispose();
  }

  private factsOf({
    server,
    tool,
    arguments: values,
    caller,
    isApi = false,
  }: Pick<WantedCall, 'server' | 'tool' | 'arguments' | 'caller' | 'isApi'>): CallFacts {
    return {
      server: server.id,
      origin: server.origin,
      isBelieved:
        server.origin === 'builtin' || (server.origin === 'user' && this.parts.believed().includes(server.id)),
      tool: tool.name,
      ...(tool.annotations ? { annotations: tool.annotations } : {}),
      arguments: values,
      caller,
      isApi,
      approval: approvalOf(server.hash, toolHash(tool)),
    };
  }

  /**
   * Asks for as long as the rules want it: when they change so that another decision holds, the question is taken back, and
   * the new decision counts. Resolves when the call may be sent, with what decided that.
   */
  private async askWhileHeld(
    call: WantedCall,
    first: Decision,
    isAfterLoss: boolean,
    signal: AbortSignal | undefined,
  ): Promise<'user' | 'rule' | 'default'> {
    const { rules } = this.parts;
    const facts = this.factsOf(call);
    for (let decision = first; ;) {
      const held = decision;
      const moved = new AbortController();
      const changes = rules.onDidChange(() => {
        if (!isSameDecision(rules.foresee(facts), held))
          moved.abort(new HostError('cancelled', 'The rules about this call changed.'));
      });
      try {
        await this.ask(
          call,
          held,
          isAfterLoss,
          signal ? AbortSignal.any([signal, moved.signal]) : moved.signal,
          moved.signal,
        );
        return 'user';
      } catch (error) {
        if (error !== moved.signal.reason) throw error;
      } finally {
        changes.dispose();
      }
      decision = rules.decide(facts);
      if (decision.effect === 'deny') throw this.refused(call, decision, 'rule');
      if (decision.effect === 'allow' && !isAfterLoss) return decision.rule ? 'rule' : 'default';
    }
  }

  /** Resolves when the user allows it. @param moved its reason is no answer of the user's. */
  private async ask(
    call: WantedCall,
    decision: Decision,
    isAfterLoss: boolean,
    signal: AbortSignal,
    moved: AbortSignal,
  ): Promise<void> {
    const { server, tool, arguments: values, caller, isAtHand = false } = call;
    let answer: CallAnswer;
    call.onAsk?.();
    try {
      answer = await this.parts.asker.ask(
        {
          server: server.id,
          tool,
          arguments: values,
          caller,
          ...(isAtHand ? { isAtHand } : {}),
          ...ruleOf(decision),
          isAfterLoss,
          hasSecrets: call.secretArguments.size > 0,
        },
        signal,
      );
    } catch (error) {
      if (error !== moved.reason)
        this.note(call, { effect: 'ask', decidedBy: 'user', outcome: isCancelled(error) ? 'cancelled' : 'refused' });
      throw error;
    }
    const rule = answer.remember && ruleFrom(call, answer.effect, answer.remember);
    if (answer.remember && rule) await this.addRule(rule, answer.remember.lifetime);
    if (answer.effect === 'deny') throw this.refused(call, decision, 'user');
  }

  private refused(call: WantedCall, decision: Decision, by: 'rule' | 'user'): HostError {
    this.note(call, { effect: 'deny', decidedBy: by, outcome: 'refused', ...ruleOf(decision) });
    const tool = visibleLine(call.tool.name, 120);
    const rule = decision.rule && ruleText(decision.rule.rule);
    const message =
      by === 'user'
        ? `You denied the call of "${tool}" of "${call.server.id}".`
        : `A rule denies the call of "${tool}" of "${call.server.id}": ${rule ?? ''}.`;
    return new HostError('call-refused', message, {
      data: { server: call.server.id, tool, by, ...(rule === undefined ? {} : { rule }) },
    });
  }

  private note(
    { server, tool, arguments: values, caller, secretArguments, secrets }: WantedCall,
    more: Partial<CallRecord>,
  ): void {
    this.parts.audit.note(
      {
        event: 'call',
        caller,
        server: server.id,
        tool: tool.name,
        ...more,
        arguments: auditArguments(values, secretArguments, secrets),
      },
      secrets,
    );
  }
}

function isSameDecision(a: Decision, b: Decision): boolean {
  return a.effect === b.effect && ruleOf(a).rule === ruleOf(b).rule;
}

function ruleOf({ rule }: Decision): { rule?: string } {
  return rule ? { rule: ruleText(rule.rule) } : {};
}

/**
 * The rule that an answer makes: a yes is bound to what was seen, a no is about the name. A yes to a script is for scripts
 * alone: whoever lets a keybinding run a tool has not let a language model. None where it would hold an
 * argument that is a secret; without that argument it would say more than its user did.
 */
function ruleFrom(
  { server, tool, arguments: values, secretArguments, caller }: WantedCall,
  effect: 'allow' | 'deny',
  { onlyTheseArguments, where }: NonNullable<CallAnswer['remember']>,
): Rule | undefined {
  const tests = where ?? (onlyTheseArguments ? { '': { equals: values } } : undefined);
  if (tests && secretArguments.size > 0) return undefined;
  // A name with a star in it would be a pattern.
  const name = tool.name.replace(/[*?]/g, '?');
  return {
    effect,
    server: server.id,
    tool: name,
    ...(tests && Object.keys(tests).length > 0 ? { arguments: tests } : {}),
    ...(effect === 'allow' && caller === 'script' ? { callers: [caller] } : {}),
    ...(effect === 'allow' ? { approval: approvalOf(server.hash, toolHash(tool)) } : {}),
  };
}
