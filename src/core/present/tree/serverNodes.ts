import { t } from '@vscode/l10n';
import type { HostErrorCode } from '../../base/hostError.js';
import { HostError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import type { Remark } from '../../base/remark.js';
import { namesCause } from '../../base/remark.js';
import { isTroubled } from '../../catalog/serverFeatures.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { SourceKind } from '../../config/serverDefinition.js';
import { blockedError } from '../../registry/serverPolicy.js';
import type { BrokenEntry } from '../../registry/serverEntry.js';
import { contextValues, serverContextValue } from './contextValues.js';
import { isDebugged } from '../text/debugTexts.js';
import { failureLines, failureText } from '../failure/failureText.js';
import { remarkText } from '../text/remarkText.js';
import { escapeParagraphs } from '../text/markdown.js';
import type { LockDifferences } from './featureNodes.js';
import { featureNodes, resourceNode } from './featureNodes.js';
import type { PinnedResource } from '../../catalog/resourcePins.js';
import type { UpdateNews } from '../../gallery/updates/serverUpdates.js';
import { serverDescription, updateWords } from '../server/serverDescription.js';
import { serverTooltip, toolsInUse } from './serverTooltip.js';
import type { NodeIcon, TreeNode } from './treeNode.js';
import { nodeId, noteNode } from './treeNode.js';

/**
 * The Servers view as data: converts snapshots of the host to lines. The lines below a node are created when it is
 * opened, and tooltips when the pointer hovers over the line.
 */

/** The data that the view is drawn from. */
export interface ServersReading {
  servers: readonly ServerView[];
  broken: readonly BrokenEntry[];
  /** Resources that the user has pinned. */
  pins?: readonly PinnedResource[];
  /** Returns the news from the registry about the server with this ID. */
  news?: (server: string) => UpdateNews | undefined;
  /** How a server differs from the lock file. */
  drift?: (server: string) => LockDifferences | undefined;
}

/** Maximum number of stderr lines below a server that failed or is starting. */
const maxStderrLines = 10;

/** Servers of the workspace come first, because they belong to the current work; the built-in server comes last. */
const rankOf: Readonly<Record<SourceKind, number>> = { vscode: 0, portable: 0, scratch: 1, user: 2, builtin: 3 };

/**
 * The top level: pinned resources, the servers by source, then entries that could not be parsed. If only the built-in
 * server is configured, commands that add a server follow.
 */
export function rootNodes(reading: ServersReading, now: number): TreeNode[] {
  const { pins = [] } = reading;
  const servers = reading.servers.toSorted((a, b) => rankOf[a.entry.source.kind] - rankOf[b.entry.source.kind]);
  return [
    ...(pins.length > 0 ? [pinnedNode(pins, reading.servers)] : []),
    ...servers.map((view) =>
      serverNode(view, now, {
        pins,
        isAlone: reading.servers.length === 1,
        news: reading.news?.(view.id),
        drift: reading.drift?.(view.id),
      }),
    ),
    ...reading.broken.map((entry) => brokenNode(entry)),
    ...(hasOnlyBuiltIn(reading)
      ? [commandNode('findServer', t('Find a Server…'), 'search'), commandNode('addServer', t('Add Server…'), 'add')]
      : []),
  ];
}

/**
 * Whether the built-in server is the only one. The view then does not show its welcome text, which has the same
 * commands.
 */
function hasOnlyBuiltIn({ servers, broken }: ServersReading): boolean {
  return servers.length > 0 && broken.length === 0 && servers.every(({ entry }) => entry.source.kind === 'builtin');
}

/** A line that runs a command when it is clicked. `server` is the ID of the server that the command acts on. */
function commandNode(
  onClick: 'addServer' | 'findServer' | 'startServer',
  label: string,
  icon: 'add' | 'search' | 'play',
  server?: string,
): TreeNode {
  return {
    id: server === undefined ? nodeId(onClick) : nodeId('server', server, 'note', onClick),
    kind: 'note',
    label,
    icon: { name: icon },
    contextValue: contextValues.note,
    isCollapsible: false,
    target: server === undefined ? {} : { server },
    name: label,
    onClick,
  };
}

/** Further information for the node of a server. */
interface ServerNodeOptions {
  pins?: readonly PinnedResource[];
  isAlone?: boolean;
  news?: UpdateNews | undefined;
  drift?: LockDifferences | undefined;
}

/** The node of a server. `isAlone` means that there is no other server, so its items are shown at once. */
export function serverNode(
  view: ServerView,
  now: number,
  { pins = [], isAlone = false, news, drift }: ServerNodeOptions = {},
): TreeNode {
  const { id, entry, state } = view;
  const label = visibleLine(id);
  const [stateText, update] = [serverDescription(view, now), updateWords(news)];
  // In a narrow sidebar, the end of the line is cut off. The icon already shows a normal state.
  const description =
    [...(isNormal(view) ? [update, stateText] : [stateText, update]), driftWords(drift)]
      .filter((part) => part !== undefined)
      .join(' · ') || undefined;
  return {
    id: serverNodeId(id),
    kind: 'server',
    label,
    ...(description === undefined ? {} : { description }),
    icon: serverIcon(view),
    contextValue: serverContextValue(view, news?.hasUpdate === true || news?.isPinned === true),
    isCollapsible: entry.isEnabled,
    ...(isAlone ? { isOpen: true } : {}),
    ...(!entry.isEnabled || view.blocked || view.switches?.isLeftOut === true ? { isDim: true } : {}),
    target: { server: id },
    name: entry.name,
    // The details page shows the cause, and a button for each possible action.
    ...(state.kind === 'failed' || state.kind === 'needsSignIn' ? { onClick: 'showServerDetails' as const } : {}),
    // For a running server, only the icon shows the state, so the state is added to the spoken label.
    spokenLabel: [label, state.kind === 'running' ? t('running') : undefined, description]
      .filter((part) => part !== undefined)
      .join(', '),
    tooltip: (at, locale) => serverTooltip(view, at, locale, news),
    countedTools: () => toolsInUse(view),
    children: () => [
      ...(news?.hasUpdate === true && update !== undefined ? [updateNode(id, update)] : []),
      ...serverChildren(view, pins, drift).map((node, index) =>
        isAlone && index === 0 && node.isCollapsible ? { ...node, isOpen: true } : node,
      ),
    ],
  };
}

/** The line with both versions. In a narrow sidebar, the buttons on the line of the server cover them. */
function updateNode(id: string, versions: string): TreeNode {
  return {
    ...noteNode(id, 'update', versions, { name: 'arrow-up' }),
    spokenLabel: t('Update: {0}', versions),
    onClick: 'updateServer',
    tooltip: () => escapeParagraphs(t('Update: {0}', versions)),
  };
}

/** Whether the state of a server requires no attention. */
function isNormal({ state, blocked, needsRestart, silentSince }: ServerView): boolean {
  if (state.kind === 'running') return !needsRestart && silentSince === undefined;
  return state.kind === 'stopped' && !blocked;
}

/** How many differences from the lock file there are. */
function driftWords(drift: LockDifferences | undefined): string | undefined {
  if (!drift) return undefined;
  return drift.count === 1
    ? t('1 difference from the lock file')
    : t('{0} differences from the lock file', drift.count);
}

/**
 * The group of pinned resources. They are listed whether or not their servers run; opening one of them starts its
 * server.
 */
function pinnedNode(pins: readonly PinnedResource[], servers: readonly ServerView[]): TreeNode {
  const listed = (pin: PinnedResource) =>
    servers.find(({ id }) => id === pin.server)?.features?.resources.find(({ uri }) => uri === pin.uri);
  return {
    id: nodeId('pinned'),
    kind: 'group',
    label: t('Pinned'),
    description: String(pins.length),
    icon: { name: 'pinned', color: 'icon.foreground' },
    contextValue: contextValues.group,
    isCollapsible: true,
    isOpen: true,
    target: {},
    name: t('Pinned'),
    children: () =>
      pins.map((pin) => ({
        ...resourceNode(pin.server, listed(pin) ?? pin, true),
        id: nodeId('pinned', pin.server, pin.uri),
        description: visibleLine(pin.server, 80),
      })),
  };
}

/**
 * Returns a function that checks whether a resource is pinned. The function uses a set, because a server may list
 * thousands of resources.
 */
function isPinnedAmong(pins: readonly PinnedResource[]): (server: string, uri: string) => boolean {
  const keys = new Set(pins.map(({ server, uri }) => nodeId(server, uri)));
  return (server, uri) => keys.size > 0 && keys.has(nodeId(server, uri));
}

/** The ID of a server's node, by which the node can be found again. */
export function serverNodeId(server: string): string {
  return nodeId('server', server);
}

/** Whether the line of a server shows an elapsed time, so that it must be redrawn. */
export function isTicking(view: ServerView): boolean {
  return (
    view.silentSince !== undefined ||
    view.state.kind === 'starting' ||
    (view.state.kind === 'failed' && view.state.retryAt !== undefined)
  );
}

/**
 * The icon for the state of a server. The icons differ in shape as well as color, so that states can be recognized
 * without color.
 */
function serverIcon(view: ServerView): NodeIcon {
  if ((!view.entry.isEnabled || view.blocked) && view.state.kind === 'stopped')
    return { name: 'circle-slash', color: 'disabledForeground' };
  if (view.auth?.state.kind === 'signingIn' && view.state.kind !== 'running') return { name: 'loading~spin' };
  switch (view.state.kind) {
    case 'stopped':
      return { name: 'circle-outline' };
    case 'needsSignIn':
      return signInIcon;
    case 'needsTrust':
    case 'needsInput':
      return { name: 'warning', color: 'problemsWarningIcon.foreground' };
    case 'starting':
    case 'stopping':
      return { name: 'loading~spin' };
    case 'running':
      if (view.auth?.isPersonal === true && view.auth.state.kind === 'signInNeeded') return signInIcon;
      if (view.silentSince !== undefined) return { name: 'warning', color: 'problemsWarningIcon.foreground' };
      if (view.features && isTroubled(view.features))
        return { name: 'warning', color: 'problemsWarningIcon.foreground' };
      if (isDebugged(view))
        return {
          name: view.debug?.state === 'paused' ? 'debug-pause' : 'debug-alt',
          color: 'debugIcon.startForeground',
        };
      return {
        name: 'circle-filled',
        color: view.needsRestart ? 'problemsWarningIcon.foreground' : 'charts.green',
      };
    case 'failed':
      return { name: 'error', color: 'problemsErrorIcon.foreground' };
  }
}

const signInIcon: NodeIcon = { name: 'account', color: 'problemsWarningIcon.foreground' };

function serverChildren(
  view: ServerView,
  pins: readonly PinnedResource[],
  drift: LockDifferences | undefined,
): TreeNode[] {
  const { id, state, features } = view;
  switch (state.kind) {
    case 'running':
      return [
        ...(view.silentSince === undefined ? [] : [silenceNode(view)]),
        ...(features ? featureNodes(id, features, isPinnedAmong(pins), { ...view, drift }) : []),
      ];
    case 'failed':
      return failureNodes(view, state.error);
    case 'starting':
      return [...remarkNodes(id, state.remark), ...stderrNodes(view)];
    case 'needsSignIn':
      return failureNodes(view, state.error);
    case 'needsTrust':
      return [startNode(id, t('Review what the server would run, and then start it'))];
    case 'needsInput':
      return [startNode(id, t('Start the server to enter the value'))];
    case 'stopping':
      return [];
    case 'stopped':
      if (view.blocked) return failureNodes(view, blockedError(id, view.blocked));
      return [
        startNode(
          id,
          view.isChanged
            ? t('The definition changed after the server failed. Start the server again.')
            : t('Start the server to see what it offers'),
        ),
      ];
  }
}

/** The line that starts a server. */
function startNode(id: string, label: string): TreeNode {
  return commandNode('startServer', label, 'play', id);
}

/** The line of a server that seems to be running but does not respond. */
function silenceNode({ id, entry }: ServerView): TreeNode {
  const text =
    entry.definition.type === 'stdio'
      ? t(
          'The process runs but does not respond: it is busy, stuck, or suspended. If this continues, stop or restart the server.',
        )
      : t('The server cannot be reached or does not respond. MCP Deck keeps trying.');
  return noteNode(id, 'silence', text, { name: 'info' }, text);
}

/** The lines with the known causes that delay a start. */
function remarkNodes(id: string, remark: Remark | undefined): TreeNode[] {
  // If no cause is known, the stderr lines below usually show the progress.
  if (!remark || !namesCause(remark)) return [noteNode(id, 'waiting', t('Waiting for the response'))];
  const { what, next } = remarkText(remark);
  const details = { contextValue: contextValues.remark, onClick: 'showServerDetails' as const };
  return [
    { ...noteNode(id, 'reason', what, { name: 'info' }, what), ...details },
    { ...noteNode(id, 'hint', next, { name: 'lightbulb' }, next), ...details },
  ];
}

/**
 * The lines of a failed server: the complete error, what to do, and the output of the server that explains it. The line
 * that says what to do opens the details page, which has a button for each possible action.
 */
function failureNodes(view: ServerView, error: Error): TreeNode[] {
  const { id } = view;
  const { what, next } = failureText(error, id);
  const couldPrint = !(error instanceof HostError) || !neverRan.has(error.code);
  return [
    noteNode(id, 'reason', what, { name: 'info' }, what),
    { ...noteNode(id, 'hint', next, { name: 'lightbulb' }, next), onClick: 'showServerDetails' },
    ...stderrNodes({ id, stderr: failureLines(error, view.stderr) }),
    ...(view.stderr.length === 0 && couldPrint && view.entry.definition.type === 'stdio'
      ? [noteNode(id, 'no-stderr', t('The server wrote nothing to its error output'))]
      : []),
  ];
}

const neverRan: ReadonlySet<HostErrorCode> = new Set(['spawn-failed', 'bad-configuration', 'auth-required', 'blocked']);

function stderrNodes({ id, stderr }: Pick<ServerView, 'id' | 'stderr'>): TreeNode[] {
  return stderr
    .slice(-maxStderrLines)
    .map((line, index) => noteNode(id, `stderr-${index}`, line, { name: 'output', color: 'disabledForeground' }, line));
}

function brokenNode({ id, name, problem, source }: BrokenEntry): TreeNode {
  const label = visibleLine(name);
  const message = visibleLine(problem.message, 200);
  return {
    id: nodeId('broken', id),
    kind: 'broken',
    label,
    description: message,
    icon: { name: 'bracket-error', color: 'problemsErrorIcon.foreground' },
    contextValue: contextValues.broken,
    isCollapsible: false,
    target: { broken: id },
    name: label,
    onClick: 'openConfiguration',
    spokenLabel: `${label}, ${message}`,
    tooltip: () =>
      `${escapeParagraphs(problem.message)}\n\n${escapeParagraphs([source.folderName, source.label].filter((part) => part !== undefined).join(': '))}`,
  };
}
