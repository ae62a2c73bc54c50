import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { DebugPlan } from '../../../core/debug/debuggedStart.js';
import { debuggedStart } from '../../../core/debug/debuggedStart.js';
import { debuggerFor } from '../../../core/debug/debuggerFor.js';
import type { DebugRun } from '../../../core/debug/debugRun.js';
import { commandLine } from '../../../core/present/text/debugTexts.js';
import { failureLine } from '../../../core/present/failure/failureText.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerSummary } from '../../../core/present/server/serverSummary.js';
import { summarizeServer } from '../../../core/present/server/serverSummary.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { debugPlanFor, debuggerExtensions } from '../../ui/debugPlan.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { OfferedTarget } from '../../ui/invocation.js';
import { commandIds, viewIds } from '../../manifest.js';
import { withProgress } from '../../adapters/userMessages.js';

/** "Debug Server…": restarts a server under the debugger for Node or Python. */
export const debugFeature: Feature = {
  name: 'debugger',
  register(deck): Disposable {
    const store = new DisposableStore();
    deck.debugger.onCrash = (run, error) => tellCrash(deck, run, error);
    store.add(deck.commands.defineCommand(commandIds.debugServer, (invocation) => debugServer(deck, invocation)));
    return store;
  },
};

async function debugServer(
  { host, funnel }: Pick<ExtensionServices, 'funnel' | 'host'>,
  invocation: Invocation<'debugServer'>,
): Promise<ServerSummary | undefined> {
  const view = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Debug Server'),
    isCandidate: ({ entry }) => entry.isEnabled && debuggerFor(entry.definition).kind !== 'none',
    noneMessage: vscode.l10n.t(
      'No server in this window can be debugged. Only local servers that run in Node or Python can be debugged.',
    ),
  });
  const plan = await debugPlanFor(view, invocation.call?.stopAtStart === true);
  if (plan === 'noDebugger') {
    offerDebugger(view, funnel, invocation);
    return undefined;
  }
  const debug = invocation.call ? plan : await chooseStop(view, plan);
  await concerning(
    view.id,
    Promise.resolve(
      withProgress({ location: { viewId: viewIds.servers } }, () =>
        host.lifecycle.restart(view.id, { interactive: !invocation.call, debug }),
      ),
    ),
  );
  const now = host.servers.get(view.id);
  if (now?.debug?.state === 'waiting' && !invocation.call)
    funnel.tell(
      'warning',
      vscode.l10n.t(
        '"{0}" runs, but none of its processes waits for a debugger. Either the server does not run in Node, or it does not pass on the environment variable NODE_OPTIONS.',
        visibleLine(view.id, 60),
      ),
      [],
    );
  return now && summarizeServer(now);
}

/** Shows how the server would be started under the debugger, and asks whether to stop at the first line. */
async function chooseStop({ id, entry }: ServerView, plan: DebugPlan): Promise<DebugPlan> {
  const { definition } = entry;
  const detail = definition.type === 'stdio' ? startLine(debuggedStart(definition, plan)) : '';
  const items: (vscode.QuickPickItem & { stopAtStart: boolean })[] = [
    { label: `$(debug-start) ${vscode.l10n.t('Start and run to the first breakpoint')}`, detail, stopAtStart: false },
    { label: `$(debug-pause) ${vscode.l10n.t('Start and stop at the first line')}`, detail, stopAtStart: true },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Debug "{0}"', visibleLine(id, 60)),
    placeHolder: vscode.l10n.t(
      'Restarts the server as shown. Its debugger listens only on this machine, until the server ends.',
    ),
  });
  if (!picked) throw new HostError('cancelled', 'No start option was picked.');
  return { ...plan, stopAtStart: picked.stopAtStart };
}

function startLine(start: { command: string; args: string[]; env: Record<string, string | null> }): string {
  const options = start.env['NODE_OPTIONS'];
  return `${typeof options === 'string' ? `NODE_OPTIONS=${JSON.stringify(options)} ` : ''}${commandLine(start)}`;
}

/** States which debugger extension is missing, and offers to show it. */
function offerDebugger({ id, entry }: ServerView, funnel: ExtensionServices['funnel'], invocation: Invocation): void {
  const choice = debuggerFor(entry.definition);
  if (choice.kind === 'none') return;
  const { id: extension, name } = debuggerExtensions[choice.kind];
  const text = vscode.l10n.t(
    'Debugging "{0}" requires the extension {1}, which is not installed or is disabled.',
    visibleLine(id, 60),
    name,
  );
  if (invocation.call) throw new UserError(text);
  funnel.tell('warning', text, [
    {
      title: vscode.l10n.t('Show Extension'),
      run: () => vscode.commands.executeCommand('workbench.extensions.search', `@id:${extension}`),
    },
  ]);
}

function tellCrash({ funnel }: Pick<ExtensionServices, 'funnel'>, run: DebugRun, error: Error): void {
  const { server } = run;
  funnel.tell(
    'warning',
    vscode.l10n.t(
      '"{0}" ended while it was being debugged, so MCP Deck does not restart it. {1}',
      visibleLine(run.server, 60),
      failureLine(error, run.server),
    ),
    [
      {
        title: vscode.l10n.t('Debug Again…'),
        run: () => vscode.commands.executeCommand(commandIds.debugServer, new OfferedTarget({ server })),
      },
      {
        title: vscode.l10n.t('Show Log'),
        run: () => vscode.commands.executeCommand(commandIds.showLog, new OfferedTarget({ server })),
      },
    ],
  );
}
