import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Node } from 'jsonc-parser';
import { parseTree } from 'jsonc-parser';
import type { ServerAuth } from '../../src/core/catalog/hostTypes.js';
import { HostError } from '../../src/core/base/hostError.js';
import { contextValues, serverContextValue } from '../../src/core/present/tree/contextValues.js';
import {
  appPanelType,
  galleryPanelType,
  commandIds,
  containerId,
  contextKeys,
  panelTypes,
  participantId,
  resourceScheme,
  settingDefaults,
  titleCommands,
  traceContainerId,
  traceViewId,
  viewIds,
} from '../../src/vscode/manifest.js';
import { scratchSource } from '../../src/core/registry/scratchServers.js';
import { needsInput, needsTrust, serverView } from '../support/serverViews.js';

interface MenuItem {
  command: string;
  when?: string;
  group?: string;
}

interface Setting {
  default?: unknown;
  scope?: string;
  description?: string;
  markdownDescription?: string;
}

interface Manifest {
  activationEvents: string[];
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string; category?: string; icon?: string }[];
    menus: Record<string, MenuItem[]>;
    viewsContainers: { activitybar: { id: string; icon: string }[]; panel: { id: string }[] };
    views: Record<string, { id: string; initialSize?: number }[]>;
    viewsWelcome: { view: string; when?: string; contents: string }[];
    configuration: { properties: Record<string, Setting> }[];
    chatParticipants: { id: string }[];
    walkthroughs: {
      steps: { description: string; media: { svg: string; altText: string }; completionEvents: string[] }[];
    }[];
  };
  icon: string;
  enabledApiProposals?: string[];
}

const manifestText = readFileSync('package.json', 'utf8');
const manifest = JSON.parse(manifestText) as Manifest;
const { contributes } = manifest;
const nls = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Record<
  string,
  Setting
>;
const menuItems = Object.entries(contributes.menus).flatMap(([menu, items]) =>
  items.map((item) => ({ menu, ...item })),
);
const commandTitles = new Map(
  contributes.commands.map(({ command, title }) => [command, nls[title.slice(1, -1)] ?? title]),
);

test('no name occurs twice in the manifest, because the second would override the first', () => {
  const twice = (node: Node): string[] => {
    const children = node.children ?? [];
    const names = node.type === 'object' ? children.map(({ children: [name] = [] }) => String(name?.value)) : [];
    return [...names.filter((name, index) => names.indexOf(name) !== index), ...children.flatMap(twice)];
  };
  const root = parseTree(manifestText);
  assert.ok(root);
  assert.deepEqual(twice(root), []);
});

test('the code and the manifest have the same commands', () => {
  assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), Object.values(commandIds).sort());
});

test('the code and the manifest have the same settings with the same defaults', () => {
  const contributed = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default]));
  assert.deepEqual(contributed, { ...settingDefaults });
});

test('the Servers view gets most of the side bar when another view appears', () => {
  const sizes = (contributes.views[containerId] ?? []).map(({ initialSize }) => initialSize ?? Number.NaN);
  const [servers = 0, ...others] = sizes;
  assert.ok(
    servers >= 2 * Math.max(...others) && servers / sizes.reduce((sum, size) => sum + size) > 0.5,
    String(sizes),
  );
});

test('views, container and participant are the ones that the code uses', () => {
  assert.deepEqual(
    {
      containers: [...contributes.viewsContainers.activitybar, ...contributes.viewsContainers.panel].map(
        ({ id }) => id,
      ),
      views: Object.fromEntries(
        Object.entries(contributes.views).map(([container, views]) => [container, views.map(({ id }) => id)]),
      ),
      participants: contributes.chatParticipants.map(({ id }) => id),
    },
    {
      containers: [containerId, traceContainerId],
      views: { [containerId]: Object.values(viewIds), [traceContainerId]: [traceViewId] },
      participants: [participantId],
    },
  );
});

test('code outside the manifest uses no id that is not contributed', () => {
  const known = new Set<string>([
    ...Object.values(commandIds),
    ...Object.keys(settingDefaults),
    ...contextKeys,
    ...Object.values(viewIds),
    ...Object.values(panelTypes),
    traceViewId,
    containerId,
    participantId,
    appPanelType,
    galleryPanelType,
  ]);
  // Names of stored workspace state and of status bar items, and the context of a test message, are not contributed.
  const stateKeys = new Set(['mcpDeck.lastRunning', 'mcpDeck.status', 'mcpDeck.recording', 'mcpDeck.snapshot']);
  const files = [
    'src/extension.ts',
    ...readdirSync('src/vscode', { recursive: true, encoding: 'utf8' }).map((file) => path.join('src/vscode', file)),
  ];
  const unknown = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bmcpDeck\.[A-Za-z][\w.]*\w/g)].map(([id]) => ({ file, id })),
    )
    .filter(({ id }) => !known.has(id) && !stateKeys.has(id));
  assert.deepEqual(unknown, []);
});

test('the code refers to commands only through the manifest', () => {
  const ids = new Set<string>(Object.values(commandIds));
  const files = readdirSync('src/vscode', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file !== 'manifest.ts',
  );
  // Types may refer to them: CommandArguments['mcpDeck.runTool'].
  const literals = files.flatMap((file) =>
    [...readFileSync(path.join('src/vscode', file), 'utf8').matchAll(/(?<!CommandArguments\[)'(mcpDeck\.\w+)'/g)]
      .filter(([, id]) => ids.has(id ?? ''))
      .map(([, id]) => `${file}: ${id}`),
  );
  assert.deepEqual(literals, []);
});

test('every context key in a when clause is set by the code', () => {
  const clauses = [
    ...menuItems.map(({ when }) => when ?? ''),
    ...contributes.viewsWelcome.map(({ when }) => when ?? ''),
  ];
  const named = clauses.flatMap((clause) => [...clause.matchAll(/\bmcpDeck\.[\w.]+/g)].map(([id]) => id));
  const allowed = new Set<string>([
    ...contextKeys,
    ...Object.values(viewIds),
    traceViewId,
    ...Object.values(panelTypes),
    // The context of a failed snapshot, which is a value of `testMessage`.
    'mcpDeck.snapshot',
  ]);
  assert.deepEqual(
    named.filter((id) => !allowed.has(id)),
    [],
  );
});

test('servers are found from the title of the Servers view, the palette, the welcome text, and the walkthrough', () => {
  const link = `[Find a Server…](command:${commandIds.findServer})`;
  const texts = [
    ...contributes.viewsWelcome.filter(({ view }) => view === viewIds.servers).map(({ contents }) => contents),
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ description }) => description)),
  ];
  const withLink = texts.filter((text) => nls[text.slice(1, -1)]?.includes(link));
  assert.ok(withLink.some((text) => text.startsWith('%welcome.')));
  assert.ok(withLink.some((text) => text.startsWith('%walkthrough.')));
  const items = menuItems.filter(({ command }) => command === commandIds.findServer);
  assert.deepEqual(
    items.map(({ menu, when }) => [menu, when]),
    [['view/title', `view == ${viewIds.servers}`]],
    'a rule for the palette would hide the command there',
  );
});

test('menus use contributed commands, and each menu item of a view names its view', () => {
  const unknown = menuItems.filter(({ command }) => !commandTitles.has(command));
  const loose = menuItems.filter(
    ({ menu, when }) =>
      menu.startsWith('view/') &&
      ![...Object.values(viewIds), traceViewId].some((id) => when?.startsWith(`view == ${id}`)),
  );
  assert.deepEqual({ unknown, loose }, { unknown: [], loose: [] });
});

test('each kind of node offers the commands that make sense for it', () => {
  const failure = new HostError('exited', 'It ended.');
  const signInNeeded: ServerAuth = { state: { kind: 'signInNeeded', error: failure }, host: 'h', isPersonal: true };
  const account = {
    server: 's',
    serverName: 's',
    issuer: 'i',
    account: 'default',
    scopes: [],
    canRefresh: true,
    isSelected: true,
  };
  const signedIn: ServerAuth = { state: { kind: 'signedIn', account }, host: 'h', isPersonal: true };
  const nodes: Record<string, string> = {
    stopped: serverContextValue(serverView('s')),
    disabled: serverContextValue(serverView('s', { isEnabled: false })),
    needsTrust: serverContextValue(serverView('s', { state: needsTrust })),
    needsInput: serverContextValue(serverView('s', { state: needsInput })),
    starting: serverContextValue(serverView('s', { state: { kind: 'starting', since: 0, attempt: 1 } })),
    running: serverContextValue(serverView('s', { features: {} })),
    stopping: serverContextValue(serverView('s', { state: { kind: 'stopping' } })),
    failed: serverContextValue(serverView('s', { state: { kind: 'failed', error: failure, at: 0 } })),
    retrying: serverContextValue(serverView('s', { state: { kind: 'failed', error: failure, at: 0, retryAt: 1 } })),
    asksForValues: serverContextValue(serverView('s', { inputs: [{ id: 'token', type: 'promptString' }] })),
    needsSignIn: serverContextValue(
      serverView('s', { state: { kind: 'needsSignIn', error: failure }, auth: signInNeeded }),
    ),
    signInFailed: serverContextValue(
      serverView('s', { state: { kind: 'failed', error: failure, at: 0 }, auth: signInNeeded }),
    ),
    signedIn: serverContextValue(serverView('s', { features: {}, auth: signedIn })),
    recorded: serverContextValue({ ...serverView('s', { features: {} }), isRecorded: true }),
    mock: serverContextValue(
      serverView('s', {
        definition: { type: 'builtin', mock: { file: '/a.mcprecording.jsonl' } },
        source: scratchSource('s'),
        features: {},
      }),
    ),
    ...contextValues,
  };
  const offered = Object.entries(nodes).map(
    ([name, value]) => `${name}: ${inlineCommands(value).join(' ')} | ${menuCommands(value).join(' ')}`,
  );
  assert.deepEqual(offered, [
    'stopped: startServer | startServer debugServer editServer showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog recordServer disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'disabled:  | editServer showServerDetails openConfiguration showLog diagnoseServer showAuditLog enableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'needsTrust: reviewTrust | reviewTrust debugServer editServer showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog recordServer disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'needsInput: startServer | startServer debugServer editServer showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog recordServer disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'starting: stopServer | stopServer debugServer editServer showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'running: restartServer stopServer | restartServer stopServer debugServer editServer showServerDetails openConfiguration showLog diagnoseServer checkServer showTrace showAuditLog recordServer compareRecording disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'stopping: stopServer | stopServer debugServer editServer showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'failed: diagnoseServer startServer | startServer debugServer editServer setSecret showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog recordServer disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'retrying: diagnoseServer restartServer stopServer | restartServer stopServer debugServer editServer setSecret showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'asksForValues: startServer | startServer debugServer editServer manageStoredValues showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog recordServer disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'needsSignIn: signIn | signIn debugServer editServer setSecret manageAccounts showSignInTrace showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'signInFailed: diagnoseServer startServer signIn | startServer signIn debugServer editServer setSecret manageAccounts showSignInTrace showServerDetails openConfiguration showLog diagnoseServer showTrace showAuditLog recordServer disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'signedIn: restartServer stopServer | restartServer stopServer debugServer editServer manageAccounts signOut showSignInTrace showServerDetails openConfiguration showLog diagnoseServer checkServer showTrace showAuditLog recordServer compareRecording disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'recorded: restartServer stopServer | restartServer stopServer debugServer editServer showServerDetails openConfiguration showLog diagnoseServer checkServer showTrace showAuditLog stopRecording compareRecording disableServer setSamplingPolicy chooseRoots copyName copyServerLine copyServerJson duplicateServer moveServer removeServer exportServers',
    'mock: restartServer stopServer | restartServer stopServer showServerDetails openConfiguration showLog diagnoseServer checkServer showTrace showAuditLog disableServer setSamplingPolicy chooseRoots copyName removeServer',
    'broken: openConfiguration | openConfiguration copyName',
    'group:  | ',
    'tool: runTool openToolPanel | runTool openToolPanel runWithLastArguments showSchema addFavourite disableTool addToolRule copyName',
    'toolOff: enableTool | showSchema enableTool addToolRule copyName',
    'toolLeftOut:  | showSchema switchPreset addToolRule copyName',
    'quarantinedTool: reviewChange | reviewChange showSchema addToolRule copyName',
    'resource: openResourceToSide pinResource | readResource openResourceToSide refreshResource compareResource saveResource pinResource copyResourceUri',
    'pinnedResource: openResourceToSide unpinResource | readResource openResourceToSide refreshResource compareResource saveResource unpinResource copyResourceUri',
    'template: readResource | readResource openResourceToSide copyResourceUri',
    'prompt: getPrompt | getPrompt copyName',
    'skill: openResourceToSide | openSkill openResourceToSide refreshResource compareResource saveResource sendSkillToChat copyName copyResourceUri',
    'skillFile: openResourceToSide | readResource openResourceToSide refreshResource compareResource saveResource copyName copyResourceUri',
    'note:  | showLog copyName',
    'remark: editServer | showLog copyName',
    'failedList: listAgain | showLog copyName',
    'period:  | ',
    'run: runAgain editRun addFavourite | runAgain editRun openRun compareRuns addFavourite removeRun saveAsTest copyAsKeybinding copyAsLink copyAsCode',
    'favourite: runAgain editRun | runAgain editRun renameFavourite removeRun copyAsKeybinding copyAsLink copyAsCode',
    'request: answerRequest declineRequest dismissRequest | answerRequest declineRequest dismissRequest declineAllRequests setSamplingPolicy',
    'rule: openRule removeRule | openRule removeRule',
    'workspaceRule: openRule | openRule',
    'gateway:  | ',
    'agent: forgetAgent | forgetAgent',
  ]);
});

test('inline buttons have an icon', () => {
  const icons = new Map(contributes.commands.map(({ command, icon }) => [command, icon]));
  const bare = menuItems.filter(
    ({ group, command }) =>
      (group?.startsWith('inline') || group?.startsWith('navigation')) && icons.get(command) === undefined,
  );
  assert.deepEqual(bare, []);
});

test('a title button of a view with lines is not also a command of a line, because VS Code would pass it the focused line', () => {
  const commandsOf = (menu: string) => (contributes.menus[menu] ?? []).map(({ command }) => command);
  const both = commandsOf('view/title').filter((command) => commandsOf('view/item/context').includes(command));
  // These commands apply to all lines, regardless of the focus.
  assert.deepEqual(both.sort(), [commandIds.showAuditLog, commandIds.switchPreset]);
  assert.deepEqual(
    Object.keys(titleCommands).filter((command) => !commandsOf('view/title').includes(command)),
    [],
  );
});

test('a command of a line is in the palette neither under its own title nor under another one', () => {
  const hidden = (contributes.menus['commandPalette'] ?? [])
    .filter(({ when }) => when === 'false')
    .map(({ command }) => command);
  assert.deepEqual(
    hidden.sort(),
    [
      ...Object.keys(titleCommands),
      commandIds.addToolRule,
      commandIds.chooseTraceServer,
      commandIds.copyAsCode,
      commandIds.copyAsKeybinding,
      commandIds.copyAsLink,
      commandIds.copyName,
      commandIds.copyResourceUri,
      commandIds.copyServerJson,
      commandIds.copyServerLine,
      commandIds.disableTool,
      commandIds.editRun,
      commandIds.enableTool,
      commandIds.keepServer,
      commandIds.listServers,
      commandIds.openResult,
      commandIds.openRule,
      commandIds.pinResource,
      commandIds.removeRule,
      commandIds.removeRun,
      commandIds.renameFavourite,
      commandIds.runAgain,
      commandIds.runWithLastArguments,
      commandIds.showMenu,
      commandIds.showSchema,
      commandIds.unpinResource,
      commandIds.updateSnapshot,
    ].sort(),
  );
});

test('commands have the category and a title in title case', () => {
  const wrong = contributes.commands.filter(
    ({ command, category }) => category !== '%category%' || !isTitleCase(commandTitles.get(command) ?? ''),
  );
  assert.deepEqual(wrong, []);
});

test('commands that code runs for a welcome view exist', () => {
  const links = contributes.viewsWelcome.flatMap(({ contents }) =>
    [...(nls[contents.slice(1, -1)] ?? '').matchAll(/\]\(command:([\w.]+)/g)].map(([, command]) => command ?? ''),
  );
  assert.deepEqual(
    links.filter((command) => command.startsWith('mcpDeck') && !commandTitles.has(command)),
    [],
  );
  assert.ok(links.length > 0);
});

test('the file system of resources is registered before the first one is opened', () => {
  assert.ok(manifest.activationEvents.includes(`onFileSystem:${resourceScheme}`));
  assert.ok(
    menuItems
      .filter(({ menu }) => menu.startsWith('editor/'))
      .every(({ when }) => when?.startsWith(`resourceScheme == ${resourceScheme}`)),
  );
});

test('the walkthrough has pictures that exist and commands that exist', () => {
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  assert.equal(steps.length, 5);
  for (const { description, media, completionEvents } of steps) {
    assert.ok(existsSync(media.svg), media.svg);
    const words = nls[description.slice(1, -1)] ?? '';
    const named = [
      ...words.matchAll(/\]\(command:([\w.]+)/g),
      ...completionEvents.join(' ').matchAll(/onCommand:([\w.]+)/g),
    ].map(([, id]) => id ?? '');
    assert.deepEqual(
      named.filter((id) => !commandTitles.has(id) && id !== `${viewIds.servers}.focus`),
      [],
    );
    assert.ok(named.length > 0);
  }
});

test('a description that is not Markdown contains no Markdown syntax, because forms and hovers show it unchanged', () => {
  const plain = [...manifestText.matchAll(/"(?:description|enumDescriptions)": (?:"%([^%]+)%"|\[([^\]]*)\])/g)].flatMap(
    ([, key, keys]) =>
      key === undefined ? [...(keys ?? '').matchAll(/%([^%]+)%/g)].map(([, one]) => one ?? '') : [key],
  );
  assert.ok(plain.length > 50);
  assert.deepEqual(
    plain.filter((key) => nls[key]?.includes('`')),
    [],
  );
});

test('every nls key of the manifest exists, and every key is used', () => {
  const named = [...new Set([...manifestText.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? ''))].sort();
  assert.deepEqual(named, Object.keys(nls).sort());
});

test('settings have a description and a scope', () => {
  const wrong = Object.entries(settings).filter(
    ([, { scope, description, markdownDescription }]) =>
      scope === undefined || (description ?? markdownDescription) === undefined,
  );
  assert.deepEqual(wrong, []);
});

test('[N3] a workspace cannot define user servers', () => {
  assert.equal(settings['mcpDeck.servers']?.scope, 'application');
});

test('[C1] Restricted Mode ignores settings of the workspace that start servers', () => {
  const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  assert.equal(supported, 'limited');
  for (const key of ['mcpDeck.servers', 'mcpDeck.autoStart']) assert.ok(restrictedConfigurations.includes(key), key);
  assert.deepEqual(
    restrictedConfigurations.filter((key) => !(key in settingDefaults)),
    [],
  );
});

test('VS Code activates the extension for the panels that it restores', () => {
  const events = Object.values(panelTypes).map((type) => `onWebviewPanel:${type}`);
  assert.deepEqual(
    manifest.activationEvents.filter((event) => event.startsWith('onWebviewPanel:')),
    events,
  );
});

test('only stable API is used', () => {
  assert.equal(manifest.enabledApiProposals, undefined);
});

test('the icon is a PNG of at least 128 pixels', () => {
  const png = readFileSync(manifest.icon);
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  assert.ok(png.readUInt32BE(16) >= 128 && png.readUInt32BE(20) >= 128);
});

/** The commands of the matching menu items, by group and order. */
function commandsFor(contextValue: string, isInline: boolean): string[] {
  return (contributes.menus['view/item/context'] ?? [])
    .filter(({ group }) => group?.startsWith('inline') === isInline)
    .filter(({ when }) => new RegExp(/viewItem =~ \/(.*)\//.exec(when ?? '')?.[1] ?? '').test(contextValue))
    .sort((a, b) => ((a.group ?? '') < (b.group ?? '') ? -1 : 1))
    .map(({ command }) => command.replace('mcpDeck.', ''));
}

function inlineCommands(contextValue: string): string[] {
  return commandsFor(contextValue, true);
}

function menuCommands(contextValue: string): string[] {
  return commandsFor(contextValue, false);
}

function isTitleCase(title: string): boolean {
  // cURL is the name of a program.
  const small = new Set(['cURL', 'a', 'an', 'and', 'as', 'at', 'for', 'in', 'of', 'on', 'or', 'the', 'to', 'with']);
  return (
    title !== '' && title.split(' ').every((word, index) => (index > 0 && small.has(word)) || /^[\p{Lu}\d]/u.test(word))
  );
}
