import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { CountTokens } from '../../../core/present/text/toolTokens.js';
import { countTools, knownTokens } from '../../../core/present/text/toolTokens.js';
import { showInformation, withProgress } from '../../adapters/userMessages.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { CheckDiagnostics, CheckProblem } from './checkDiagnostics.js';
import { checkConformance } from './conformanceCheck.js';
import { checkWithGeneratedArguments } from './fuzzCheck.js';
import type { CheckServices } from './withCheckedServer.js';
import type { CheckTests } from './checkTests.js';
import { toolSources } from './toolSources.js';

type Services = CheckServices & Pick<ExtensionServices, 'countTokens'>;

/** What the command checks. */
type CheckKind = 'rules' | 'conformance' | 'generated';

/**
 * "Check Server…": the user selects what to check. For a script, checks only what the server lists, and returns the
 * findings. This check starts no server and calls no tool.
 */
export async function checkServer(
  deck: Services,
  diagnostics: CheckDiagnostics,
  tests: CheckTests,
  invocation: Invocation,
): Promise<readonly CheckProblem[] | undefined> {
  const view = await chooseServer(deck.host.servers, invocation, {
    title: vscode.l10n.t('Check Server'),
    isCandidate: ({ features }) => features !== undefined,
    noneMessage: vscode.l10n.t('No server is running. Start a server, and check it again.'),
  });
  if (!view.features)
    throw new UserError(vscode.l10n.t('"{0}" is not running. Start it, and check it again.', visibleName(view.id)));
  const kind = invocation.call ? 'rules' : await chooseKind(view);
  if (kind !== 'rules') {
    await checkCalls(deck, tests, view, kind);
    return undefined;
  }
  const problems = await checkLists(deck, diagnostics, view);
  if (invocation.call) return problems;
  void showSummary(view, problems, deck.countTokens);
  return undefined;
}

async function chooseKind(view: ServerView): Promise<CheckKind> {
  const items: (vscode.QuickPickItem & { check: CheckKind })[] = [
    {
      check: 'rules',
      label: vscode.l10n.t('Rules, Cost, and Hosts'),
      detail: vscode.l10n.t('Checks what the server lists. Calls no tool.'),
    },
    {
      check: 'conformance',
      label: vscode.l10n.t('Conformance Suite…'),
      detail: vscode.l10n.t('Runs the scenarios of the official suite, and shows them as tests.'),
    },
    {
      check: 'generated',
      label: vscode.l10n.t('Generated Arguments…'),
      detail: vscode.l10n.t('Calls tools with valid and invalid arguments, to find crashes and wrong results.'),
    },
  ];
  // The built-in server belongs to this window, so there is no other instance that the calls could use.
  const offered = view.entry.source.kind === 'builtin' ? items.slice(0, 1) : items;
  if (offered.length === 1) return 'rules';
  const picked = await vscode.window.showQuickPick(offered, {
    title: vscode.l10n.t('Check "{0}"', visibleName(view.id)),
    placeHolder: vscode.l10n.t('Select what to check'),
  });
  if (!picked) throw new HostError('cancelled', 'No check was picked.');
  return picked.check;
}

/** Runs a check that calls tools, and shows the result. */
async function checkCalls(
  deck: Services,
  tests: CheckTests,
  view: ServerView,
  kind: Exclude<CheckKind, 'rules'>,
): Promise<void> {
  const name = visibleName(view.id);
  const { failed, passed } = await (kind === 'conformance'
    ? checkConformance(deck, tests, view)
    : checkWithGeneratedArguments(deck, tests, view));
  const text =
    kind === 'conformance'
      ? vscode.l10n.t('Conformance of "{0}": {1} scenarios failed, {2} passed.', name, failed, passed)
      : vscode.l10n.t(
          'Check of "{0}" with generated arguments. Tools with problems: {1}. Tools without problems: {2}.',
          name,
          failed,
          passed,
        );
  const showTests = vscode.l10n.t('Show Tests');
  void showInformation(text, showTests).then((answer) =>
    answer === showTests ? vscode.commands.executeCommand('workbench.view.testing.focus') : undefined,
  );
}

/** Checks what the server lists, and shows the findings in the Problems view. */
function checkLists(deck: Services, diagnostics: CheckDiagnostics, view: ServerView): Thenable<CheckProblem[]> {
  const title = vscode.l10n.t('Checking "{0}"…', visibleName(view.id));
  const location = vscode.ProgressLocation.Notification;
  return withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const found = await problemsOf(deck, view, token);
    const tools = new Set(found.flatMap(({ tool }) => (tool === undefined ? [] : [tool])));
    const sources = await toolSources(tools, token);
    if (token.isCancellationRequested) throw new HostError('cancelled', 'The check was canceled.');
    diagnostics.set(checkGroup(view.id), view, found, sources);
    return found;
  });
}

/** The group of the findings about a server. */
export function checkGroup(server: string): string {
  return `check ${server}`;
}

async function problemsOf(
  { host, schemas }: Services,
  view: ServerView,
  token: vscode.CancellationToken,
): Promise<CheckProblem[]> {
  const { hostVerdicts, lintServer, lintSubject, probeServer } = await import('../../../core/testing/onDemand.js');
  const abort = new AbortController();
  const listener = token.onCancellationRequested(() => abort.abort(new HostError('cancelled', 'Canceled.')));
  try {
    const { signal } = abort;
    const probes = await probeServer(host.calls, view.id, { signal, isCalling: false });
    const { findings, more } = await lintServer(lintSubject(view, probes), { signal, validator: () => schemas.load() });
    const found = findings.map(({ rule, severity, message, target, pointer }): CheckProblem => {
      const place = pointer === undefined ? '' : ` (${visibleLine(pointer, 120)})`;
      const name = target.kind === 'server' ? '' : `${visibleName(target.name)}: `;
      return {
        severity,
        code: rule,
        message: `${name}${message}${place}`,
        tool: target.kind === 'tool' ? target.name : undefined,
      };
    });
    const rest = [...more].map(([rule, count]): CheckProblem => {
      const message = vscode.l10n.t('{0} more findings of the rule {1} are not shown.', count, rule);
      return { severity: 'info', code: rule, message };
    });
    const hosts = hostVerdicts(view.id, view.features?.tools ?? []).flatMap(({ host: id, name, reasons }) =>
      reasons.map(({ effect, reason, count, tools }): CheckProblem => {
        const named = tools.map((tool) => visibleName(tool, 60)).join(', ');
        const about = count === undefined ? '' : ` ${vscode.l10n.t('Tools: {0} ({1})', count, named)}`;
        return {
          severity: effect === 'refused' ? 'warning' : 'info',
          code: `host-${id}`,
          message: `${name}: ${reason}${about}`,
        };
      }),
    );
    return [...found, ...rest, ...hosts];
  } finally {
    listener.dispose();
  }
}

async function showSummary(
  view: ServerView,
  problems: readonly CheckProblem[],
  countTokens: CountTokens,
): Promise<void> {
  const tools = view.features?.tools ?? [];
  // If the tokens cannot be counted, the summary is shown without the cost.
  await countTools(tools, countTokens).catch(() => undefined);
  const tokens = knownTokens(tools);
  const count = (severity: CheckProblem['severity']) => problems.filter((one) => one.severity === severity).length;
  const show = vscode.l10n.t('Show Problems');
  const counts = [visibleName(view.id), count('error'), count('warning'), count('info')] as const;
  const text =
    tokens === undefined
      ? vscode.l10n.t('Checked "{0}": {1} errors, {2} warnings, {3} notes.', ...counts)
      : vscode.l10n.t(
          'Checked "{0}": {1} errors, {2} warnings, {3} notes. Its tools need about {4} tokens in each request to a model.',
          ...counts,
          tokens.toLocaleString('en'),
        );
  const answer = await showInformation(text, show);
  if (answer === show) await vscode.commands.executeCommand('workbench.actions.view.problems');
}
