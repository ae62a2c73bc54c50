/**
 * Decides about tool calls. Every call of every caller passes here before it is sent: first the tool is compared with
 * its approved definition, then the rules apply, and then, if necessary, the user is asked. The decision and the
 * outcome are written to the audit log.
 */
import type { CallSignal } from '../base/lightAbort.js';
import { eitherSignal } from '../base/lightAbort.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Tool } from '../protocol/mcp.js';
import type { Audit, AuditCaller, CallRecord } from './audit.js';
import { auditArguments } from './auditLog.js';
import type { Admission, CallAnswer, CallAsker, CallConsent, CalledServer, RequestedCall } from './callConsent.js';
import type { Effect, Lifetime, Rule } from './rule.js';
import type { RuleBook } from './ruleBook.js';
import type { CallFacts, Decision } from './ruleSet.js';
import { ruleText } from './rule.js';
import { approvalOf, changedError, toolHash } from './toolDefinition.js';
import type { ScopedPins } from './toolPins.js';

export interface ToolConsentParts {
  rules: RuleBook;
  pins: ScopedPins;
  audit: Audit;
  asker: CallAsker;
  /** IDs of servers whose hints the user trusts. */
  trustedAnnotations: () => readonly string[];
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

  async admit(call: RequestedCall, current: () => Tool | undefined, signal?: CallSignal): Promise<Admission> {
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
      // The server may have changed the tool while the user was being asked.
      const after = current();
      if ((after === undefined) === call.isListed || (after && toolHash(after) !== toolHash(tool)))
        throw changedError(server.id, visibleLine(tool.name, 120), after ? 'changed' : 'gone');
      // A rule may have been added in the meantime.
      const again = rules.decide(facts);
      if (again.effect === 'deny') throw this.refused(call, again, 'rule');
    }
    // Stored before the call is sent. Otherwise, the next window would treat a changed tool as new.
    if (verdict.kind === 'new' && call.isListed) await pins.pin(server.hash, tool);
    const startedAt = this.now();
    const admitted: Partial<CallRecord> = { effect: 'allow', decidedBy, ...ruleOf(decision) };
    return {
      finish: (outcome) => this.note(call, { ...admitted, outcome, durationMs: Math.round(this.now() - startedAt) }),
    };
  }

  refuseEarly(call: RequestedCall): void {
    const facts = this.factsOf(call);
    const decision = this.parts.rules.preview(facts);
    // Hints of a server in `mcpDeck.trustedAnnotations` can exempt a tool from a rule about hints. They are not known
    // before the start.
    const dependsOnHints = facts.hasTrustedAnnotations && decision.rule?.rule.annotations !== undefined;
    if (decision.effect === 'deny' && !dependsOnHints) throw this.refused(call, this.parts.rules.decide(facts), 'rule');
  }

  /**
   * The effect of the rules on a call, without asking the user. A caller that asks its own question can omit that
   * question if a rule decides. Only `admit` makes the actual decision.
   */
  preview(call: Pick<RequestedCall, 'server' | 'tool' | 'arguments' | 'caller' | 'client'>): Effect {
    return this.parts.rules.preview(this.factsOf(call)).effect;
  }

  /** As `preview`, with the text of the rule that decides; absent if the caller's default decides. */
  explain(call: Parameters<ToolConsent['preview']>[0]): { effect: Effect; rule?: string } {
    const decision = this.parts.rules.preview(this.factsOf(call));
    return { effect: decision.effect, ...ruleOf(decision) };
  }

  /**
   * Whether the user is asked about a call, for a caller that can ask the user itself. `default`: only because no rule
   * decides, so the caller may ask instead and pass `isAnswered: 'inAdvance'`. `here`: a rule asks, or approvals were
   * lost; only MCP Deck may ask. `no`: the call is allowed or refused without asking.
   */
  questionAbout(call: Omit<RequestedCall, 'secretArguments' | 'secrets'>): 'no' | 'default' | 'here' {
    const { server, tool, isListed } = call;
    const pins = this.parts.pins.of(server);
    const { kind } = pins.verdict(server.hash, tool, isListed);
    const { effect, rule } = this.parts.rules.preview(this.factsOf(call));
    if (kind === 'changed' || effect === 'deny') return 'no';
    if (kind === 'new' && pins.mayHaveForgotten(server.hash) && server.origin !== 'builtin') return 'here';
    return effect === 'allow' ? 'no' : rule ? 'here' : 'default';
  }

  changed(server: Pick<CalledServer, 'hash' | 'origin'>, tools: readonly Tool[]): ReadonlySet<string> {
    return this.parts.pins.of(server).changed(server.hash, tools);
  }

  /**
   * Approves the current definition of a changed tool, which the user has reviewed. Throws RangeError if the definition
   * cannot be hashed.
   */
  async acceptChange(server: CalledServer, tool: Tool, caller: AuditCaller = 'user'): Promise<void> {
    await this.parts.pins.of(server).pin(server.hash, tool);
    this.parts.audit.note({ event: 'change-accepted', server: server.id, tool: tool.name, caller });
    this.changes.fire();
  }

  /** Deletes every approval that came from a question, and the stored definitions of tools. */
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
    client,
    isApi = false,
  }: Pick<RequestedCall, 'server' | 'tool' | 'arguments' | 'caller' | 'client' | 'isApi'>): CallFacts {
    return {
      server: server.id,
      origin: server.origin,
      hasTrustedAnnotations:
        server.origin === 'builtin' ||
        (server.origin === 'user' && this.parts.trustedAnnotations().includes(server.id)),
      tool: tool.name,
      ...(tool.annotations ? { annotations: tool.annotations } : {}),
      arguments: values,
      caller,
      ...(client === undefined ? {} : { client }),
      isApi,
      approval: approvalOf(server.hash, toolHash(tool)),
    };
  }

  /**
   * Asks the user as long as the rules require it. If a change of the rules changes the decision, cancels the question
   * and applies the new decision. Resolves with the reason for the decision when the call may be sent.
   */
  private async askWhileHeld(
    call: RequestedCall,
    first: Decision,
    isAfterLoss: boolean,
    signal: CallSignal | undefined,
  ): Promise<'user' | 'rule' | 'default'> {
    const { rules } = this.parts;
    const facts = this.factsOf(call);
    for (let decision = first; ;) {
      const held = decision;
      const moved = new AbortController();
      const changes = rules.onDidChange(() => {
        if (!isSameDecision(rules.preview(facts), held))
          moved.abort(new HostError('cancelled', 'The rules about this call changed.'));
      });
      try {
        await this.ask(call, held, isAfterLoss, eitherSignal(signal, moved.signal), moved.signal);
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

  /**
   * Asks the user about the call, and resolves when they allow it.
   * @param moved aborted when the rules have changed; this ends the question without an answer of the user.
   */
  private async ask(
    call: RequestedCall,
    decision: Decision,
    isAfterLoss: boolean,
    signal: AbortSignal,
    moved: AbortSignal,
  ): Promise<void> {
    const { server, tool, arguments: values, caller, client, asksAtOnce } = call;
    let answer: CallAnswer;
    call.onAsk?.(true);
    try {
      answer = await this.parts.asker.ask(
        {
          server: server.id,
          tool,
          arguments: values,
          caller,
          ...(client === undefined ? {} : { client }),
          ...(asksAtOnce ? { asksAtOnce } : {}),
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
    } finally {
      call.onAsk?.(false);
    }
    const rule = answer.remember && ruleFrom(call, answer.effect, answer.remember);
    if (answer.remember && rule) await this.addRule(rule, answer.remember.lifetime);
    if (answer.effect === 'deny') throw this.refused(call, decision, 'user');
  }

  private refused(call: RequestedCall, decision: Decision, by: 'rule' | 'user'): HostError {
    this.note(call, { effect: 'deny', decidedBy: by, outcome: 'refused', ...ruleOf(decision) });
    const tool = visibleLine(call.tool.name, 120);
    const rule = decision.rule && ruleText(decision.rule.rule);
    const message =
      by === 'user'
        ? `You denied the call of "${tool}" on "${call.server.id}".`
        : `A rule denies the call of "${tool}" on "${call.server.id}": ${rule ?? ''}.`;
    return new HostError('call-refused', message, {
      data: { server: call.server.id, tool, by, ...(rule === undefined ? {} : { rule }) },
    });
  }

  private note(
    { server, tool, arguments: values, caller, client, secretArguments, secrets }: RequestedCall,
    more: Partial<CallRecord>,
  ): void {
    this.parts.audit.note(
      {
        event: 'call',
        caller,
        ...(client === undefined ? {} : { client }),
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
 * The rule that an answer creates. An allow is bound to the approved definitions and to the kind of caller, because
 * allowing a task or a keybinding does not allow a language model. For an agent, it is also bound to the name of the
 * client. A deny is bound only to the names of the server and the tool. No rule is created if it would contain a secret
 * argument; without that argument it would allow more than the user meant.
 */
function ruleFrom(
  { server, tool, arguments: values, secretArguments, caller, client }: RequestedCall,
  effect: 'allow' | 'deny',
  { onlyTheseArguments, where }: NonNullable<CallAnswer['remember']>,
): Rule | undefined {
  const tests = where ?? (onlyTheseArguments ? { '': { equals: values } } : undefined);
  if (tests && secretArguments.size > 0) return undefined;
  // In a rule, `*` in a name matches any text. It is replaced by `?`, which matches one character.
  const name = tool.name.replace(/[*?]/g, '?');
  return {
    effect,
    server: server.id,
    tool: name,
    ...(tests && Object.keys(tests).length > 0 ? { arguments: tests } : {}),
    ...(effect === 'allow'
      ? {
          callers: [caller],
          ...(client === undefined ? {} : { clients: [client] }),
          approval: approvalOf(server.hash, toolHash(tool)),
        }
      : {}),
  };
}
