import { HostError } from '../core/base/hostError.js';
import { visibleLine } from '../core/base/hostileText.js';
import { readRules } from '../core/consent/readRules.js';
import type { PlacedRule } from '../core/consent/rule.js';
import { ruleText } from '../core/consent/rule.js';
import { RuleSet } from '../core/consent/ruleSet.js';
import type { CallConsent, RequestedCall } from '../core/consent/callConsent.js';

/** Keeps rules that deny. An invalid rule denies as well, because there is no user to ask about its calls. */
function denying(placed: PlacedRule): PlacedRule[] {
  if (placed.rule.effect === 'deny') return [placed];
  return placed.problem === undefined ? [] : [{ ...placed, rule: { ...placed.rule, effect: 'deny' } }];
}

/**
 * The consent of a program without a user: the command line allows every call that no rule denies.
 * @param written the value of `rules` in the configuration file; read again for each call, because the file can change.
 */
export function programConsent(written: () => unknown): CallConsent {
  let read: { from: unknown; rules: RuleSet } | undefined;
  const rules = () => {
    const from = written();
    if (!read || read.from !== from)
      read = { from, rules: new RuleSet(readRules(from, 'always').flatMap((placed) => denying(placed))) };
    return read.rules;
  };
  const check = ({ server, tool, arguments: values, caller, client }: RequestedCall): void => {
    const { rule } = rules().decide({
      server: server.id,
      origin: server.origin,
      hasTrustedAnnotations: false,
      tool: tool.name,
      ...(tool.annotations ? { annotations: tool.annotations } : {}),
      arguments: values,
      caller,
      ...(client === undefined ? {} : { client }),
      isApi: true,
      approval: '',
    });
    if (!rule) return;
    const name = visibleLine(tool.name, 120);
    const text = ruleText(rule.rule);
    throw new HostError('call-refused', `A rule denies the call of "${name}" on "${server.id}": ${text}.`, {
      data: { server: server.id, tool: name, by: 'rule', rule: text },
    });
  };
  return {
    admit: async (call) => {
      check(call);
      return { finish: () => undefined };
    },
    refuseEarly: check,
    changed: () => new Set(),
    onDidChange: () => ({ dispose: () => undefined }),
  };
}
