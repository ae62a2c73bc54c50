/** The full details of one server for its page: converts snapshots and counts to texts and numbers. Pure. */
import { t } from '@vscode/l10n';
import { countWritten, visibleLine } from '../base/hostileText.js';
import type { ServerView } from '../catalog/hostTypes.js';
import { isTroubled } from '../catalog/serverFeatures.js';
import { devWatchOf } from '../config/dev.js';
import { debuggerFor } from '../debug/debuggerFor.js';
import { maskText } from '../base/masking.js';
import type { HostSettings } from '../config/hostSettings.js';
import { isDebugged } from '../present/text/debugTexts.js';
import { failureText } from '../present/failure/failureText.js';
import { flagged } from '../present/text/hiddenText.js';
import { asksForKey } from '../present/failure/signInTexts.js';
import { revisionBadge, serverDescription } from '../present/server/serverDescription.js';
import { tokensText } from '../present/text/toolTokens.js';
import { displayUrl, toolsInUse } from '../present/tree/serverTooltip.js';
import { sizeText } from '../../shared/amountText.js';
import type { ServerFigures, Traffic } from '../stats/serverStats.js';
import type { TreeUsage } from '../stats/processMeter.js';
import type {
  EnvironmentDetails,
  Fact,
  FactGroup,
  ProcessDetails,
  HeadAction,
  ServerDetails,
  TrafficTexts,
} from '../../shared/serverPage.js';
import type { LimitSetting } from './limitFacts.js';
import { limitFacts } from './limitFacts.js';
import type { StartPlan } from './startPlan.js';
import { stateCard } from './stateCard.js';

const maxProcesses = 200;
const maxTools = 1_000;
/** Maximum number of lines of the server's output that are shown below its last error. */
const maxOutputLines = 20;

export interface DetailsReading {
  view: ServerView;
  figures: ServerFigures;
  settings: HostSettings;
  /** Whether the user changed the setting from its default. */
  isSet: (setting: LimitSetting) => boolean;
  /** How a start would run. Absent until it is known, and for servers that are not processes. */
  plan?: StartPlan | undefined;
  /** The CPU and memory samples of the server's process tree, oldest first. */
  usage: readonly TreeUsage[];
  /** Values that must not be shown. */
  secrets: readonly string[];
}

/**
 * The content of the page of a server.
 * @param now the current time, ms since the epoch.
 */
export function serverDetails(reading: DetailsReading, now: number): ServerDetails {
  const { view, figures, settings, isSet, plan, usage } = reading;
  const { id, entry, state, features } = view;
  const latest = usage.at(-1);
  const parts = stateParts(reading);
  const limits = limitFacts(entry.definition, settings, isSet);
  return {
    server: visibleLine(id),
    state: { kind: stateKind(view), text: stateText(view, now) },
    ...(features ? { badge: revisionBadge(features.identity) } : {}),
    actions: actionsFor(view, parts.card),
    notes: notesOf(view),
    figures: {
      ...(state.kind === 'running' ? { runningSince: state.since } : {}),
      calls: figures.calls.ok + figures.calls.failed + figures.calls.cancelled,
      failed: figures.calls.failed,
      cancelled: figures.calls.cancelled,
      ...times(figures.calls),
      starts: figures.starts,
      crashes: figures.crashes,
      sent: trafficTexts(figures.sent),
      received: trafficTexts(figures.received),
    },
    ...parts,
    tools: figures.tools.slice(0, maxTools).map((line) => ({
      tool: visibleLine(line.tool, 200),
      ok: line.ok,
      failed: line.failed,
      cancelled: line.cancelled,
      ...times(line),
    })),
    ...(latest && latest.processes.length > 0 && state.kind === 'running'
      ? { processes: processDetails(usage, latest) }
      : {}),
    groups: [startFacts(view, plan), modelFacts(view), { title: t('Timeouts and restarts'), facts: limits }].filter(
      ({ facts }) => facts.length > 0,
    ),
    ...environment(view, plan),
  };
}

/** The details of a server that is no longer configured. */
export function goneDetails(server: string): ServerDetails {
  const none = trafficTexts({ messages: 0, characters: 0 });
  return {
    server: visibleLine(server),
    state: { kind: 'gone', text: t('The server no longer exists') },
    actions: [],
    notes: [],
    figures: { calls: 0, failed: 0, cancelled: 0, starts: 0, crashes: 0, sent: none, received: none },
    tools: [],
    groups: [],
  };
}

function times({ p50Ms, p95Ms }: { p50Ms?: number; p95Ms?: number }): { p50Ms?: number; p95Ms?: number } {
  return { ...(p50Ms === undefined ? {} : { p50Ms }), ...(p95Ms === undefined ? {} : { p95Ms }) };
}

function stateKind({ state, silentSince, features }: ServerView): ServerDetails['state']['kind'] {
  switch (state.kind) {
    case 'running':
      return silentSince === undefined && !(features && isTroubled(features)) ? 'running' : 'waiting';
    case 'starting':
    case 'stopping':
      return 'busy';
    case 'needsTrust':
    case 'needsInput':
    case 'needsSignIn':
      return 'waiting';
    case 'failed':
    case 'stopped':
      return state.kind;
  }
}

/**
 * The state as in the tree, except for a running server: the tree shows other facts instead of its state, so this page
 * shows the state as a word.
 */
function stateText(view: ServerView, now: number): string {
  if (view.state.kind === 'running' && view.features && isTroubled(view.features) && view.silentSince === undefined)
    return t('running, but a list could not be loaded');
  if (view.state.kind === 'running' && view.silentSince === undefined && view.debug?.state !== 'paused')
    return isDebugged(view) ? t('debugging') : t('running');
  // The transport and the location, which the tree adds, are omitted, because the page has sections for them.
  if (
    view.state.kind === 'stopped' &&
    view.entry.isEnabled &&
    view.switches?.isLeftOut !== true &&
    !view.isChanged &&
    !view.blocked
  )
    return t('stopped');
  return serverDescription(view, now);
}

/**
 * The buttons at the top of the page. *Edit Server…* is on the card of a failed server if an edit can fix the failure.
 */
function actionsFor({ entry, state, auth, features }: ServerView, card: ServerDetails['card']): HeadAction[] {
  const lifecycle: HeadAction[] = [];
  if (!entry.isEnabled && state.kind === 'stopped') lifecycle.push('enableServer');
  else if (state.kind === 'needsTrust') lifecycle.push('reviewTrust');
  else if (state.kind === 'needsSignIn' && auth?.isPersonal === true && !asksForKey(state.error))
    lifecycle.push('signIn');
  else if (state.kind === 'stopped' || state.kind === 'needsInput' || state.kind === 'needsSignIn')
    lifecycle.push('startServer');
  if (state.kind === 'running' && features?.failedLists) lifecycle.push('listAgain');
  // The card of a failed server has "Try Again".
  if (state.kind === 'running') lifecycle.push('restartServer');
  if (state.kind === 'running' || state.kind === 'starting' || (state.kind === 'failed' && state.retryAt !== undefined))
    lifecycle.push('stopServer');
  if (entry.isEnabled && debuggerFor(entry.definition).kind !== 'none') lifecycle.push('debugServer');
  return [
    ...lifecycle,
    ...definitionActions(entry, card),
    'showLog',
    ...(entry.isEnabled ? (['showTrace'] as const) : []),
    'diagnoseServer',
  ];
}

function definitionActions({ definition, source }: ServerView['entry'], card: ServerDetails['card']): HeadAction[] {
  if (definition.type === 'builtin') return [];
  if (source.kind === 'scratch') return ['openConfiguration'];
  return card?.buttons.some(({ action }) => action === 'editServer') === true ? [] : ['editServer'];
}

function notesOf(view: ServerView): string[] {
  return [
    ...(view.isChanged ? [t('The definition changed after the server failed. Start the server again.')] : []),
    ...(view.needsRestart ? [t('The definition changed. Restart the server to apply the change.')] : []),
    ...(view.features?.warnings.map((warning) => flagged(visibleLine(warning, 400), countWritten(warning))) ?? []),
  ];
}

/** The card of a server that failed, needs a sign-in, or does not finish its start; otherwise its last error. */
function stateParts(reading: DetailsReading): Pick<ServerDetails, 'card' | 'lastError'> {
  const clean = (text: string) => visibleLine(maskText(text, reading.secrets), 2_000);
  const card = stateCard(reading.view, clean);
  return card ? { card } : lastError(reading, clean);
}

function lastError(
  { figures, view }: DetailsReading,
  clean: (text: string) => string,
): Pick<ServerDetails, 'lastError'> {
  const last = figures.lastError;
  // A failure of the previous definition gives no information about the current one.
  if (!last || view.isChanged) return {};
  const { what, next } = failureText(last.error, view.id);
  // The output of the running instance is unrelated to an error of an earlier instance.
  const output =
    last.what === undefined && view.state.kind !== 'running' ? view.stderr.slice(-maxOutputLines).map(clean) : [];
  return {
    lastError: {
      at: last.at,
      ...(last.what === undefined ? {} : { about: clean(last.what) }),
      what: clean(what),
      next: clean(next),
      output,
    },
  };
}

function trafficTexts({ messages, characters }: Traffic): TrafficTexts {
  return { messages, text: sizeText(characters) };
}

function processDetails(usage: readonly TreeUsage[], { processes, cpu, memoryBytes }: TreeUsage): ProcessDetails {
  return {
    lines: processes.slice(0, maxProcesses).map((line) => ({
      pid: line.pid,
      name: visibleLine(line.name, 80),
      depth: Math.min(line.depth, 12),
      cpu: cpuText(line.cpu),
      memory: sizeText(line.memoryBytes),
    })),
    more: Math.max(0, processes.length - maxProcesses),
    cpu: cpuText(cpu),
    memory: sizeText(memoryBytes),
    cpuHistory: usage.flatMap((look) => look.cpu ?? []),
    memoryHistory: usage.map((look) => look.memoryBytes),
  };
}

/** CPU usage in percent of one processor, as in system monitors: 200% means two busy processors. */
function cpuText(share: number | undefined): string {
  if (share === undefined) return '…';
  const percent = share * 100;
  return t('{0}%', percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent));
}

function startFacts({ entry, endpoint, roots, watched, state }: ServerView, plan: StartPlan | undefined): FactGroup {
  const { definition, source } = entry;
  const facts: Fact[] = [];
  if (definition.type === 'builtin')
    facts.push({ name: t('Transport'), values: [t('runs inside MCP Deck, without a process')] });
  else if (definition.type === 'stdio') {
    const command = plan?.command ?? [visibleLine(definition.command, 1_000)];
    facts.push({ name: t('Command'), values: [command.map(quoted).join(' ')], isCode: true });
    if (plan?.program !== undefined) facts.push({ name: t('Program'), values: [plan.program], isCode: true });
    if (plan?.cwd !== undefined) facts.push({ name: t('Folder'), values: [plan.cwd], isCode: true });
    if (endpoint?.pid !== undefined) facts.push({ name: t('Process'), values: [String(endpoint.pid)] });
  } else {
    if (definition.type === 'socket')
      facts.push({ name: t('Transport'), values: [t('JSON lines over a socket, without HTTP')] });
    facts.push({ name: t('URL'), values: [visibleLine(displayUrl(definition.url), 1_000)], isCode: true });
    const headers = Object.keys(definition.headers);
    if (headers.length > 0)
      facts.push({ name: t('Headers'), values: headers.map((name) => visibleLine(name, 100)), isCode: true });
  }
  if (definition.type !== 'builtin')
    facts.push({
      name: t('Roots'),
      values: roots.length === 0 ? [t('none')] : roots.map(({ uri, name }) => visibleLine(name ?? uri, 200)),
    });
  const patterns = devWatchOf(entry.definition);
  if (patterns.length > 0)
    facts.push({
      name: t('Restarts on changes to'),
      values: patterns.map((pattern) => visibleLine(pattern, 200)),
      isCode: true,
      ...(watched ? {} : { from: state.kind === 'stopped' ? t('watched after the next start') : t('not watched now') }),
    });
  facts.push({
    name: t('Defined in'),
    values: [visibleLine([source.folderName, source.label].filter((part) => part !== undefined).join(': '))],
  });
  return { title: t('Start'), facts };
}

/** Quotes an argument when necessary, so that the boundaries between arguments are visible. */
function quoted(text: string): string {
  return text === '' || /[\s"']/.test(text) ? `"${text.replaceAll('"', '\\"')}"` : text;
}

function environment({ entry }: ServerView, plan: StartPlan | undefined): { environment?: EnvironmentDetails } {
  if (entry.definition.type !== 'stdio' || !plan) return {};
  const note =
    plan.problem === undefined ? undefined : t('Variables are shown without their values: {0}', plan.problem);
  return { environment: { lines: plan.environment, ...(note === undefined ? {} : { note }) } };
}

/** The cost of the enabled tools for a model. Empty before they were counted (`countTools`). */
function modelFacts(view: ServerView): FactGroup {
  const text = tokensText(toolsInUse(view));
  return { title: t('Language models'), facts: text === undefined ? [] : [{ name: t('Tools'), values: [text] }] };
}
