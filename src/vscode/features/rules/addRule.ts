import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { isWildcard } from '../../../core/base/wildcard.js';
import { readRules } from '../../../core/consent/readRules.js';
import type { Caller, Effect, Lifetime, Rule } from '../../../core/consent/rule.js';
import { lifetimes, ruleText } from '../../../core/consent/rule.js';
import { askUnlessProven } from '../../ui/confirm.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { namedServer } from '../../ui/chooseServer.js';
import { showLineInput } from '../../adapters/userMessages.js';

/**
 * Asks for the parts of a rule and adds it. A script passes `{ rule, lifetime }` and can only add `ask` and `deny`
 * rules, because only the user can allow calls.
 */
export async function addRule(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation<'addRule'>,
): Promise<void> {
  const { call } = invocation;
  if (call) {
    const [placed] = readRules([call.rule], 'session');
    const lifetime = lifetimes.find((one) => one === call.lifetime) ?? 'session';
    if (!placed || placed.problem !== undefined)
      throw new HostError('invalid-arguments', vscode.l10n.t('The rule cannot be used: {0}.', placed?.problem ?? ''));
    if (placed.rule.effect === 'allow')
      throw new HostError(
        'invalid-arguments',
        vscode.l10n.t('A command with arguments can add rules that ask or deny, but not rules that allow.'),
      );
    await deck.consent.calls.addRule(placed.rule, lifetime, auditCallerOf(invocation));
    return;
  }
  const title = (step: number) => vscode.l10n.t('Add Rule ({0}/{1})', step, 5);
  const effect = await choose<Effect>(`${title(1)}: ${vscode.l10n.t('what happens')}`, effectItems());
  const server = await choose<string | undefined>(`${title(2)}: ${vscode.l10n.t('server')}`, [
    { label: vscode.l10n.t('Any server'), value: undefined },
    ...deck.host.servers.list().map(({ id }) => ({ label: visibleLine(id, 80), value: id })),
  ]);
  const tools = deck.host.servers
    .list()
    .flatMap(({ id, features }) => (server === undefined || id === server ? (features?.tools ?? []) : []));
  const tool = await choose<string | undefined>(`${title(3)}: ${vscode.l10n.t('tool')}`, [
    { label: vscode.l10n.t('Any tool'), value: undefined },
    {
      label: vscode.l10n.t('A pattern…'),
      detail: vscode.l10n.t('"*" matches any text, "?" matches one character'),
      value: '',
    },
    ...[...new Set(tools.map(({ name }) => name))].map((name) => ({ label: visibleLine(name, 100), value: name })),
  ]);
  const name = tool === '' ? await typed() : tool;
  const rule: Rule = {
    effect,
    ...(server === undefined ? {} : { server }),
    ...(name === undefined ? {} : { tool: name }),
  };
  await finish(deck, invocation, rule, (step) => title(step + 3));
}

/** "Add Rule for This Tool…": the steps of `addRule` without the server and the tool. */
export async function addToolRule(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation<'addToolRule'>,
): Promise<void> {
  const { call, target } = invocation;
  const server = namedServer(deck.host.servers, call ? call.server : target?.server).id;
  const tool = call ? call.tool : target?.tool;
  if (typeof tool !== 'string')
    throw new HostError('invalid-arguments', vscode.l10n.t('The argument object must contain "tool" (a string).'));
  // The tool of a rule is a pattern, so a tool name with `*` or `?` would also match other tools.
  if (isWildcard(tool))
    throw new UserError(
      vscode.l10n.t(
        'A rule cannot apply to "{0}" alone, because "*" and "?" in a rule also match other characters.',
        visibleLine(tool, 80),
      ),
    );
  const title = (step: number) =>
    vscode.l10n.t('Add Rule for "{0}" of "{1}" ({2}/{3})', visibleLine(tool, 60), visibleLine(server, 40), step, 3);
  const effect = await choose<Effect>(`${title(1)}: ${vscode.l10n.t('what happens')}`, effectItems());
  await finish(deck, invocation, { effect, server, tool }, (step) => title(step + 1));
}

/** The last two steps: who calls, and how long the rule applies. */
async function finish(
  deck: Pick<ExtensionServices, 'consent'>,
  invocation: Invocation,
  rule: Rule,
  title: (step: number) => string,
): Promise<void> {
  const callers = await choose<Caller[] | undefined>(
    `${title(1)}: ${vscode.l10n.t('caller')}`,
    callerItems(rule.effect),
  );
  if (callers) rule.callers = callers;
  const lifetime = await choose<Lifetime>(`${title(2)}: ${vscode.l10n.t('where the rule applies')}`, [
    { label: vscode.l10n.t('This session'), value: 'session' },
    { label: vscode.l10n.t('In this workspace'), value: 'workspace' },
    {
      label: vscode.l10n.t('Always'),
      detail: vscode.l10n.t('Written to your settings, where you can add arguments and more'),
      value: 'always',
    },
  ]);
  if (rule.effect === 'allow')
    await askUnlessProven(deck.consent.audit, invocation, {
      ...(rule.server === undefined ? {} : { server: rule.server }),
      message: vscode.l10n.t('Add this rule?'),
      detail: vscode.l10n.t('{0}. Calls that match the rule run without asking you.', ruleText(rule)),
      page: 'trust-and-rules',
      go: vscode.l10n.t('Add Rule'),
    });
  await deck.consent.calls.addRule(rule, lifetime, auditCallerOf(invocation));
}

type Item<T> = vscode.QuickPickItem & { value: T };

async function choose<T>(title: string, items: readonly Item<T>[]): Promise<T> {
  const picked = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true, matchOnDetail: true });
  if (!picked) throw new HostError('cancelled', 'No rule was added.');
  return picked.value;
}

async function typed(): Promise<string> {
  const text = await showLineInput({
    title: vscode.l10n.t('Pattern for the names of tools'),
    value: '*',
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === ''
        ? vscode.l10n.t('Enter a pattern such as {0}.', 'delete_*')
        : readRules([{ effect: 'deny', tool: value.trim() }], 'session')[0]?.problem,
  });
  if (text === undefined) throw new HostError('cancelled', 'No rule was added.');
  return text.trim();
}

function effectItems(): Item<Effect>[] {
  return [
    { label: vscode.l10n.t('Ask'), detail: vscode.l10n.t('The call waits for your answer'), value: 'ask' },
    {
      label: vscode.l10n.t('Deny'),
      detail: vscode.l10n.t('The call is never made. The rule overrides all other rules'),
      value: 'deny',
    },
    {
      label: vscode.l10n.t('Allow'),
      detail: vscode.l10n.t('The call runs without asking you. Applies only to servers in your user settings'),
      value: 'allow',
    },
  ];
}

function callerItems(effect: Effect): Item<Caller[] | undefined>[] {
  return [
    {
      label: effect === 'allow' ? vscode.l10n.t('Any caller except agents') : vscode.l10n.t('Any caller'),
      value: undefined,
    },
    { label: vscode.l10n.t('Language models'), value: ['model'] },
    { label: vscode.l10n.t('MCP Apps'), value: ['app'] },
    { label: vscode.l10n.t('Tasks'), value: ['task'] },
    { label: vscode.l10n.t('Commands: keybindings, task inputs, other extensions'), value: ['script'] },
    { label: vscode.l10n.t('Agents: clients of the gateway'), value: ['agent'] },
    { label: vscode.l10n.t('All callers except you'), value: ['model', 'app', 'task', 'script', 'agent'] },
  ];
}
