import * as vscode from 'vscode';
import { OfferedTarget } from '../../ui/invocation.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { failureReason } from '../../../core/present/failure/failureText.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { AuditCaller } from '../../../core/consent/audit.js';
import { presetEditQuestion } from '../../../core/present/questions/presetEditQuestion.js';
import { scopeOf } from '../../../core/presets/presetScope.js';
import { countTools, tokensText } from '../../../core/present/text/toolTokens.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import { systemClock } from '../../../core/base/clock.js';
import { withTimeLimit } from '../../../core/base/withTimeLimit.js';
import { isWithin, unmatchedPatterns } from '../../../core/presets/presetFile.js';
import type { Preset } from '../../../core/presets/presetFile.js';
import { askUnlessProven, askSafely } from '../../ui/confirm.js';
import { namedServer } from '../../ui/chooseServer.js';
import { requiredText } from '../../ui/scripting.js';
import type { ExtensionServices, Feature, PresetSource } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { commandIds, viewIds } from '../../manifest.js';
import { writeWholeFile } from '../../adapters/storage.js';
import { registerDimming } from '../../ui/treeElement.js';
import { presetFileName, presetUris } from './presetFiles.js';
import { StatusItem } from './statusItem.js';
import { showWarning } from '../../adapters/userMessages.js';

/** Maximum time that a list of presets waits for token counts, in milliseconds. */
const maxCountMs = 1_000;

/**
 * Commands for presets, which are named sets of servers and tools, and for enabling and disabling individual tools.
 * They can only hide items and refuse calls; they never start or approve a server.
 */
export const presetFeature: Feature = {
  name: 'presets and tool switches',
  register(deck): Disposable {
    const store = new DisposableStore();
    const files = deck.presets;
    store.add(registerDimming());
    store.add(new StatusItem(deck));
    store.add(files.onDidChange(() => void follow(deck, files)));
    store.add(
      deck.commands.defineCommand(commandIds.switchPreset, (invocation) => switchPreset(deck, files, invocation)),
    );
    store.add(deck.commands.defineCommand(commandIds.showMenu, (invocation) => showMenu(deck, files, invocation)));
    store.add(deck.commands.defineCommand(commandIds.enableTool, (invocation) => setTool(deck, invocation, true)));
    store.add(deck.commands.defineCommand(commandIds.disableTool, (invocation) => setTool(deck, invocation, false)));
    return store;
  },
};

/**
 * Applies an edit of the active preset. Items that the edit excludes are disabled immediately. Items that it includes
 * are enabled only after the user agrees. If the preset was removed from its file, it stays active until the user
 * chooses another one.
 */
async function follow(
  deck: Pick<ExtensionServices, 'consent' | 'questionTexts' | 'switches'>,
  files: PresetSource,
): Promise<void> {
  const { switches } = deck;
  const before = switches.waitingEdit;
  await switches.follow(files.presets.find(({ name }) => name === switches.preset?.name));
  const edit = switches.waitingEdit;
  if (!edit || edit === before) return;
  const review = vscode.l10n.t('Review…');
  const message = vscode.l10n.t(
    'The active preset "{0}" was edited and would enable more servers or tools. Those that the edit removes are already disabled. Those that it adds need your approval.',
    visibleName(edit.name, 60),
  );
  void showWarning(message, review).then((chosen) => (chosen === review ? reviewEdit(deck) : undefined));
}

/** Shows what the edited preset would enable, and applies the edit if the user agrees. */
async function reviewEdit({
  switches,
  consent,
  questionTexts: texts,
}: Pick<ExtensionServices, 'consent' | 'questionTexts' | 'switches'>): Promise<void> {
  const { preset, waitingEdit } = switches;
  if (!preset || !waitingEdit) return;
  const { message, detail, whole: text } = presetEditQuestion(preset, waitingEdit);
  const isAgreed = await askSafely({
    message,
    detail,
    page: 'presets',
    go: vscode.l10n.t('Apply Changes'),
    whole: text === undefined ? undefined : { title: vscode.l10n.t('Preset'), text, texts },
  });
  consent.audit.note({ event: 'preset-edited', preset: preset.name, outcome: isAgreed ? 'allowed' : 'refused' });
  // The preset may have been edited again while the question was open.
  if (isAgreed && switches.waitingEdit === waitingEdit) await switches.setPreset(waitingEdit);
}

async function switchPreset(
  deck: Pick<ExtensionServices, 'consent' | 'countTokens' | 'host' | 'switches'>,
  files: PresetSource,
  invocation: Invocation<'switchPreset'>,
): Promise<string | null> {
  await files.refresh();
  const { call } = invocation;
  const preset = call ? named(files, call.preset) : await pick(deck, files, invocation);
  await askToSwitch(deck, invocation, preset);
  await setPreset(deck, preset, auditCallerOf(invocation));
  return preset?.name ?? null;
}

/** Asks if the preset would enable more than the active one. Rejects with `cancelled` if the user does not agree. */
async function askToSwitch(
  { consent, switches }: Pick<ExtensionServices, 'consent' | 'switches'>,
  invocation: Invocation,
  preset: Preset | undefined,
): Promise<void> {
  const active = switches.preset;
  if (active && !isWithin(preset, active)) {
    await askUnlessProven(consent.audit, invocation, {
      message: preset
        ? vscode.l10n.t('Switch to the preset "{0}"?', visibleName(preset.name, 60))
        : vscode.l10n.t('Turn off the preset?'),
      detail: vscode.l10n.t(
        '"{0}" is active. Servers and tools that it excludes might then be enabled.',
        visibleName(active.name, 60),
      ),
      page: 'presets',
      go: preset ? vscode.l10n.t('Switch Preset') : vscode.l10n.t('Turn Off'),
    });
  }
}

async function setPreset(
  { host, switches, consent }: Pick<ExtensionServices, 'consent' | 'host' | 'switches'>,
  preset: Preset | undefined,
  caller: AuditCaller,
): Promise<void> {
  await switches.setPreset(preset);
  consent.audit.note({ event: 'preset', preset: preset?.name ?? null, caller });
  const stray = preset
    ? unmatchedPatterns(
        Object.keys(preset.tools),
        host.servers.list().map(({ entry }) => entry),
      )
    : [];
  if (!preset || stray.length === 0) return;
  const names = stray.map((name) => visibleLine(name, 60)).join(', ');
  void showWarning(
    vscode.l10n.t(
      'The preset "{0}" lists tools of servers that are not in this window: {1}. All tools of a server without its own list are enabled.',
      visibleLine(preset.name, 60),
      names,
    ),
  );
}

function named(files: PresetSource, name: unknown): Preset | undefined {
  if (name === null) return undefined;
  const preset = files.presets.find((candidate) => candidate.name === name);
  if (preset) return preset;
  throw new HostError(
    'invalid-arguments',
    vscode.l10n.t('There is no preset "{0}".', visibleLine(typeof name === 'string' ? name : typeof name, 60)),
    {
      hint: vscode.l10n.t(
        'Presets: {0}. To turn off the preset, pass null.',
        files.presets.map((one) => one.name).join(', ') || vscode.l10n.t('none'),
      ),
    },
  );
}

type PresetItem = vscode.QuickPickItem & { run(): Promise<Preset | undefined> };

async function pick(
  deck: Pick<ExtensionServices, 'consent' | 'countTokens' | 'host' | 'switches'>,
  files: PresetSource,
  invocation: Invocation,
): Promise<Preset | undefined> {
  const items = countPresets(deck, files.presets).then(() => presetItems(deck, files, invocation));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Switch Preset'),
    placeHolder: vscode.l10n.t(
      'A preset limits which servers and tools are enabled. Items that you disabled stay disabled.',
    ),
    matchOnDescription: true,
  });
  if (!picked) throw new HostError('cancelled', 'No preset was picked.');
  return picked.run();
}

/** The tools of the running servers that a preset enables. */
function toolsOf(preset: Preset, servers: readonly ServerView[]): Tool[] {
  return servers.flatMap(({ entry, features }) => {
    const scope = scopeOf(preset, entry);
    return features?.tools.filter(({ name }) => scope.isOn(name)) ?? [];
  });
}

/**
 * Counts the tokens of the tools of presets. Waits at most one second, because the list is also useful without token
 * counts.
 */
async function countPresets(
  { countTokens, host }: Pick<ExtensionServices, 'countTokens' | 'host'>,
  presets: readonly Preset[],
): Promise<void> {
  const tools = new Set(presets.flatMap((preset) => toolsOf(preset, host.servers.list())));
  const slow = () => new HostError('timeout', 'The tokens were not counted in time.');
  await withTimeLimit(countTools([...tools], countTokens), maxCountMs, slow, systemClock).catch(() => undefined);
}

function presetItems(
  { consent, host, switches }: Pick<ExtensionServices, 'consent' | 'host' | 'switches'>,
  files: PresetSource,
  invocation: Invocation,
): PresetItem[] {
  const active = switches.preset;
  const isGone = active !== undefined && !files.presets.some(({ name }) => name === active.name);
  const itemOf = (preset: Preset): PresetItem => ({
    label: visibleLine(preset.name, 60),
    description: [
      active?.name === preset.name
        ? switches.waitingEdit
          ? vscode.l10n.t('active; the edit needs your approval')
          : vscode.l10n.t('active')
        : undefined,
      preset.description === undefined ? undefined : visibleLine(preset.description, 120),
    ]
      .filter((part) => part !== undefined)
      .join(', '),
    detail: [
      preset.servers.map((name) => visibleLine(name, 40)).join(', '),
      tokensText(toolsOf(preset, host.servers.list())),
    ]
      .filter((part) => part !== undefined)
      .join(' · '),
    iconPath: new vscode.ThemeIcon(active?.name === preset.name ? 'check' : 'layers'),
    run: async () => preset,
  });
  return [
    ...files.presets.map(itemOf),
    ...(isGone ? [{ ...itemOf(active), description: vscode.l10n.t('active, no longer in the file') }] : []),
    {
      label: vscode.l10n.t('No Preset'),
      description: active ? vscode.l10n.t('all servers and tools that are not disabled') : vscode.l10n.t('active'),
      iconPath: new vscode.ThemeIcon(active ? 'circle-slash' : 'check'),
      run: async () => undefined,
    },
    ...(switches.hasLost
      ? [
          {
            label: vscode.l10n.t('Enable All Tools'),
            description: vscode.l10n.t(
              'the tools that you disabled are no longer known, so all tools count as disabled',
            ),
            iconPath: new vscode.ThemeIcon('warning'),
            run: async () => {
              await askUnlessProven(consent.audit, invocation, {
                message: vscode.l10n.t('Enable all tools?'),
                detail: vscode.l10n.t('The tools that you disabled are no longer known. Disable them again afterward.'),
                page: 'presets',
                go: vscode.l10n.t('Enable All Tools'),
              });
              await switches.forgetLoss();
              return active;
            },
          },
        ]
      : []),
    {
      label: vscode.l10n.t('Edit Presets…'),
      description: presetFileName,
      iconPath: new vscode.ThemeIcon('edit'),
      run: editPresets,
    },
  ];
}

/** Opens the preset file, or creates one with an example. */
async function editPresets(): Promise<never> {
  const [uri] = presetUris();
  if (!uri) throw new UserError(vscode.l10n.t('Presets belong to a folder. Open a folder first.'));
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (!isThere)
    await writeWholeFile(
      uri,
      new TextEncoder().encode(
        `${JSON.stringify({ presets: { review: { description: 'Read, never write', servers: ['workspace'], tools: { workspace: ['find_*', 'read_*'] } } } }, null, 2)}\n`,
      ),
    );
  await vscode.window.showTextDocument(uri);
  throw new HostError('cancelled', 'The file was opened.');
}

/** The menu of the status bar item. */
async function showMenu(
  deck: Pick<ExtensionServices, 'consent' | 'host' | 'switches'>,
  files: PresetSource,
  invocation: Invocation,
): Promise<void> {
  await files.refresh();
  const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const action = (label: string, icon: string, command: string) => ({
    label,
    iconPath: new vscode.ThemeIcon(icon),
    command,
  });
  const items: (vscode.QuickPickItem & { run?: PresetItem['run']; command?: string; server?: string })[] = [
    ...failedItems(deck.host.servers.list()),
    separator(vscode.l10n.t('servers')),
    action(vscode.l10n.t('Run Tool…'), 'play', commandIds.runTool),
    action(vscode.l10n.t('Start All'), 'run-all', commandIds.startAllServers),
    action(vscode.l10n.t('Stop All'), 'debug-stop', commandIds.stopAllServers),
    action(vscode.l10n.t('Show Servers'), 'list-tree', `${viewIds.servers}.focus`),
    separator(vscode.l10n.t('preset')),
    ...presetItems(deck, files, invocation),
  ];
  const picked = await vscode.window.showQuickPick(items, { title: 'MCP Deck', matchOnDescription: true });
  if (!picked) throw new HostError('cancelled', 'Nothing was picked.');
  if (picked.run) {
    const preset = await picked.run();
    await askToSwitch(deck, invocation, preset);
    await setPreset(deck, preset, auditCallerOf(invocation));
  } else if (picked.server !== undefined)
    await vscode.commands.executeCommand(commandIds.diagnoseServer, new OfferedTarget({ server: picked.server }));
  else if (picked.command !== undefined) await vscode.commands.executeCommand(picked.command);
}

/** The menu items of the failed servers, each with its reason. Selecting one diagnoses the server. */
function failedItems(servers: readonly ServerView[]): (vscode.QuickPickItem & { server?: string })[] {
  const failed = servers.flatMap(({ id, state }) => (state.kind === 'failed' ? [{ id, error: state.error }] : []));
  if (failed.length === 0) return [];
  return [
    { label: vscode.l10n.t('failed'), kind: vscode.QuickPickItemKind.Separator },
    ...failed.map(({ id, error }) => ({
      label: vscode.l10n.t('Diagnose "{0}"', visibleLine(id, 60)),
      description: visibleLine(failureReason(error), 160),
      iconPath: new vscode.ThemeIcon('pulse'),
      server: id,
    })),
  ];
}

async function setTool(
  { host, switches, consent }: Pick<ExtensionServices, 'consent' | 'host' | 'switches'>,
  invocation: Invocation<'enableTool' | 'disableTool'>,
  isOn: boolean,
): Promise<void> {
  const { call, target } = invocation;
  const server = call ? call.server : target?.server;
  const tool = call ? requiredText(call, 'tool', '{ "server": "name", "tool": "name" }') : target?.tool;
  if (server === undefined || tool === undefined)
    throw new UserError(vscode.l10n.t('Choose a tool in the Servers view.'));
  const { id } = namedServer(host.servers, server);
  if (isOn) {
    await askUnlessProven(consent.audit, invocation, {
      server: id,
      message: vscode.l10n.t('Enable the tool "{0}" of "{1}"?', visibleName(tool, 80), visibleName(id, 60)),
      detail: vscode.l10n.t('The tool can be called again, unless the active preset or a rule prevents this.'),
      go: vscode.l10n.t('Enable Tool'),
    });
  }
  await switches.setTool(id, tool, isOn);
  consent.audit.note({
    event: isOn ? 'tool-enabled' : 'tool-disabled',
    server: id,
    tool,
    caller: auditCallerOf(invocation),
  });
}
