import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { RunRecord } from '../../../core/runs/runRecord.js';
import type { CopyFormat } from '../../../core/details/copiedCall.js';
import { copiedCall, copyFormats } from '../../../core/details/copiedCall.js';
import { keybindingText, linkText } from '../../../core/present/text/runLinks.js';
import { ToolRunner } from './runTool.js';
import { starterOf } from '../../ui/commandCalls.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds, viewIds } from '../../manifest.js';
import { chooseCall, chooseRun, favouriteTarget, lastCall } from '../../ui/chooseRun.js';
import { namedServer } from '../../ui/chooseServer.js';
import type { SavedCall } from '../../ui/chooseRun.js';
import { compareRuns } from '../../ui/compareRuns.js';
import { modelOfRun } from '../../ui/shownRun.js';
import { nameFavourite, nameProblem, saveFavourites } from '../../ui/nameFavourite.js';
import { showLineInput, showWarning } from '../../adapters/userMessages.js';

/** Commands for runs and favorites. */
export const runCommands: Feature = {
  name: 'run commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    const { commands, runLog } = deck;
    const { history } = runLog;
    const runner = new ToolRunner(deck);
    store.add(
      commands.defineCommand(commandIds.runAgain, async (invocation) =>
        runner.repeat(await chooseCall(deck, invocation), starterOf(invocation)),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.runWithLastArguments, (invocation) =>
        runWithLastArguments(deck, runner, invocation),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.editRun, async (invocation) =>
        editRun(deck, await chooseCall(deck, invocation)),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.openRun, async (invocation) =>
        openRun(deck, await chooseRun(deck, invocation, vscode.l10n.t('Open Result of a Run'))),
      ),
    );
    store.add(commands.defineCommand(commandIds.compareRuns, (invocation) => compare(deck, invocation)));
    store.add(
      commands.defineCommand(commandIds.addFavourite, async (invocation) =>
        nameFavourite(deck, await chooseCall(deck, invocation)),
      ),
    );
    store.add(commands.defineCommand(commandIds.renameFavourite, (invocation) => renameFavourite(deck, invocation)));
    store.add(commands.defineCommand(commandIds.removeRun, (invocation) => remove(deck, invocation)));
    store.add(commands.defineCommand(commandIds.clearHistory, () => clearHistory(deck)));
    store.add(
      commands.defineCommand(commandIds.showRuns, async () => {
        await vscode.commands.executeCommand(`${viewIds.runs}.focus`);
      }),
    );
    store.add(
      commands.defineCommand(commandIds.copyAsKeybinding, async (invocation) =>
        copy(await chooseCall(deck, invocation), (call) => keybindingText(call, commandIds.runTool)),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.copyAsLink, async (invocation) =>
        copy(await chooseCall(deck, invocation), (call) => linkOf(deck, call)),
      ),
    );
    store.add(commands.defineCommand(commandIds.copyAsCode, (invocation) => copyAsCode(deck, invocation)));
    void history.whenRead();
    return store;
  },
};

/** Runs a tool with the arguments of its last run. A tool that was not run yet opens in its panel. */
async function runWithLastArguments(
  { host, runs, toolPanels }: Pick<ExtensionServices, 'host' | 'runs' | 'toolPanels'>,
  runner: ToolRunner,
  invocation: Invocation<'runWithLastArguments'>,
): Promise<unknown> {
  const { call, target } = invocation;
  const server = namedServer(host.servers, call ? call.server : target?.server).id;
  const tool = call ? call.tool : target?.tool;
  if (typeof tool !== 'string')
    throw new HostError('invalid-arguments', vscode.l10n.t('The argument object must contain "tool" (a string).'));
  if (runs.argumentsOf(server, tool))
    return runner.repeat(lastCall({ host, runs }, server, tool), starterOf(invocation));
  toolPanels.open({ server, tool });
  return undefined;
}

function editRun(
  { toolPanels }: Pick<ExtensionServices, 'toolPanels'>,
  { server, tool, arguments: values }: SavedCall,
): void {
  toolPanels.open({ server, tool }, { values });
}

/** Shows the result of a run and its arguments in the panel of its tool. */
async function openRun(
  { apps, runLog, toolPanels }: Pick<ExtensionServices, 'apps' | 'runLog' | 'toolPanels'>,
  run: RunRecord,
): Promise<void> {
  const { server, tool, arguments: values } = run;
  const model = await modelOfRun(runLog, run, apps.hasApp({ server, tool }));
  toolPanels.open({ server, tool }, { run: { arguments: values, model }, isPreview: true });
}

/** Compares the two selected runs. If only one is selected, asks for the other one. */
async function compare(deck: Pick<ExtensionServices, 'results' | 'runLog'>, invocation: Invocation): Promise<void> {
  const selected = (invocation.selection ?? []).map(({ node }) => node.target.run).filter((id) => id !== undefined);
  const [first, second, ...others] = selected;
  if (others.length > 0)
    throw new UserError(vscode.l10n.t('You can compare two runs, but {0} are selected.', selected.length));
  if (first !== undefined && second !== undefined) return compareRuns(deck, first, second);
  const one = await chooseRun(deck, invocation, vscode.l10n.t('Compare a Run'));
  const other = await chooseRun(deck, {}, vscode.l10n.t('Compare With'), one);
  return compareRuns(deck, one.id, other.id);
}

async function renameFavourite(
  deck: Pick<ExtensionServices, 'runLog'>,
  invocation: Invocation<'renameFavourite'>,
): Promise<void> {
  const { call } = invocation;
  await deck.runLog.history.whenRead();
  const favourite = favouriteTarget(deck, invocation);
  const problemOf = (text: string) => nameProblem(deck.runLog, text, favourite.id);
  const given = call && (typeof call.name === 'string' ? call.name : '');
  const name =
    given ??
    (await showLineInput({
      title: vscode.l10n.t('Rename Favorite'),
      value: favourite.name,
      validateInput: problemOf,
    }));
  if (name === undefined) return;
  const problem = problemOf(name);
  if (problem !== undefined) throw new HostError('invalid-arguments', problem);
  deck.runLog.history.renameFavourite(favourite.id, name);
  await saveFavourites(deck.runLog, favourite.server);
}

async function remove(deck: Pick<ExtensionServices, 'runLog'>, invocation: Invocation<'removeRun'>): Promise<void> {
  const { history } = deck.runLog;
  const { call, element, selection } = invocation;
  if (call) {
    if (call.run === undefined) history.removeFavourite(favouriteTarget(deck, invocation).id);
    else history.removeRun((await chooseRun(deck, invocation, '')).id);
  }
  for (const { node } of selection ?? (element ? [element] : [])) {
    const { run, favourite } = node.target;
    if (run !== undefined) history.removeRun(run);
    if (favourite !== undefined) history.removeFavourite(favourite);
  }
}

async function clearHistory({ runLog }: Pick<ExtensionServices, 'runLog'>): Promise<void> {
  const count = runLog.history.runs().length;
  if (count === 0) return;
  const clear: vscode.MessageItem = { title: vscode.l10n.t('Clear History') };
  const keep: vscode.MessageItem = { title: vscode.l10n.t('Cancel'), isCloseAffordance: true };
  const message = vscode.l10n.t('Remove all {0} runs of this workspace and their stored results?', count);
  const answer = await showWarning(message, { modal: true, detail: vscode.l10n.t('Favorites are kept.') }, clear, keep);
  if (answer === clear) runLog.history.clear();
}

async function copy(call: SavedCall, make: (call: SavedCall) => string): Promise<void> {
  await vscode.env.clipboard.writeText(make(call));
  const missing =
    call.omitted.length === 0
      ? undefined
      : vscode.l10n.t(
          'Copied without the values of {0}, which are not stored.',
          call.omitted.map((name) => `"${visibleLine(name, 60)}"`).join(', '),
        );
  vscode.window.setStatusBarMessage(missing ?? vscode.l10n.t('Copied'), missing === undefined ? 2_000 : 6_000);
}

function linkOf({ extension }: Pick<ExtensionServices, 'extension'>, call: SavedCall): string {
  const link = linkText(call, vscode.env.uriScheme, extension.extension.id);
  if (link === undefined) throw new UserError(vscode.l10n.t('The arguments are too long for a link.'));
  return link;
}

/** Copies a call as code. Asks for the format if the command was called without an argument object. */
async function copyAsCode(
  deck: Pick<ExtensionServices, 'host' | 'runLog' | 'runs'>,
  invocation: Invocation<'copyAsCode'>,
): Promise<void> {
  const call = await chooseCall(deck, invocation);
  const format = invocation.call ? namedFormat(invocation.call.format) : await chooseFormat();
  if (format) await copy(call, (chosen) => codeOf(deck, chosen, format));
}

function namedFormat(format: unknown): CopyFormat {
  const known = copyFormats.find((one) => one === format);
  if (known) return known;
  throw new HostError('invalid-arguments', vscode.l10n.t('"format" must be one of: {0}.', copyFormats.join(', ')));
}

async function chooseFormat(): Promise<CopyFormat | undefined> {
  const labels: Readonly<Record<CopyFormat, string>> = {
    typescript: vscode.l10n.t('TypeScript SDK'),
    python: vscode.l10n.t('Python SDK'),
    curl: 'cURL',
    cli: vscode.l10n.t('Command Line (mcp-deck)'),
  };
  const items = copyFormats.map((format) => ({ label: labels[format], format }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Copy as Code') }))?.format;
}

function codeOf({ host }: Pick<ExtensionServices, 'host'>, call: SavedCall, format: CopyFormat): string {
  const view = host.servers.get(call.server);
  if (!view)
    throw new HostError('unknown-server', `There is no server "${visibleLine(call.server, 120)}" here.`, {
      data: { name: call.server },
    });
  const text = copiedCall(
    {
      call,
      entry: view.entry,
      spoken: view.features?.identity ?? latestLegacy,
      inputSchema: view.features?.tools.find(({ name }) => name === call.tool)?.inputSchema,
      secrets: host.servers.secretValues(call.server),
    },
    format,
  );
  if (text !== undefined) return text;
  const name = visibleLine(call.server, 80);
  throw new UserError(
    format === 'curl'
      ? vscode.l10n.t('"{0}" does not use HTTP, so there is no curl command for it.', name)
      : vscode.l10n.t('Code in this format cannot reach "{0}". Choose another format or another server.', name),
  );
}

/** The protocol revision for the request if the server is not running. */
const latestLegacy = { era: 'legacy', revision: '2025-11-25' } as const;
