/** The Runs view: favorites, then runs by day, newest first. */
import { t } from '@vscode/l10n';
import { visibleLine } from '../base/hostileText.js';
import type { Favourite, RunOutcome, RunRecord } from './runRecord.js';
import { contextValues } from '../present/tree/contextValues.js';
import { callerName } from '../present/text/callText.js';
import { argumentsLine, dayKey, durationText, runTime } from '../present/text/runTexts.js';
import { beginningOf, jsonPieces } from '../present/text/jsonPieces.js';
import { escapeMarkdownLine, inlineCode } from '../present/text/markdown.js';
import type { NodeIcon, TreeNode } from '../present/tree/treeNode.js';
import { nodeId } from '../present/tree/treeNode.js';

export interface RunLists {
  runs: readonly RunRecord[];
  favourites: readonly Favourite[];
}

/**
 * The runs and favorites that contain every word of the filter: in the server, the tool, the arguments, or the name of
 * a favorite, or in the title, the agent, the outcome, or the summary of a run.
 */
export function filterRuns(lists: RunLists, filter: string): RunLists {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return lists;
  const fits = ({ server, tool, arguments: values }: Favourite | RunRecord, more: string) => {
    const text = `${server} ${tool} ${more} ${argumentsLine(values, 1_000)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return {
    ...lists,
    runs: lists.runs.filter((run) =>
      fits(run, `${run.title ?? ''} ${run.client ?? ''} ${run.outcome} ${outcomeText(run.outcome)} ${run.summary}`),
    ),
    favourites: lists.favourites.filter((favourite) => fits(favourite, favourite.name)),
  };
}

/**
 * The nodes of the runs: the favorites, then one group for each day.
 * @param locale the locale of the window, for days and times.
 */
export function runNodes({ runs, favourites }: RunLists, now: number, locale: string): TreeNode[] {
  const groups: TreeNode[] = [];
  if (favourites.length > 0)
    groups.push(
      groupNode(
        'favourites',
        t('Favorites'),
        String(favourites.length),
        () => favourites.map((favourite) => favouriteNode(favourite)),
        { name: 'star-full' },
      ),
    );
  const days = new Map<string, RunRecord[]>();
  for (const run of runs) {
    const day = dayKey(run.startedAt);
    days.set(day, [...(days.get(day) ?? []), run]);
  }
  for (const [key, ofDay] of days) {
    const [first] = ofDay;
    if (first)
      groups.push(
        groupNode(
          key,
          dayText(first.startedAt, now, locale),
          String(ofDay.length),
          () => ofDay.map((run) => runNode(run, locale)),
          { name: 'history' },
        ),
      );
  }
  return groups;
}

/** A run as one line in the panel of its tool: its arguments, and as `detail` its outcome and its time. */
export function runLine(
  { arguments: values, outcome, startedAt }: RunRecord,
  now: number,
  locale: string,
): { label: string; detail: string; time: string; icon: string } {
  const given = argumentsLine(values);
  const time = runTime(startedAt, now, locale);
  return {
    label: given === '' ? t('without arguments') : given,
    detail: `${outcomeText(outcome)} · ${time}`,
    time,
    icon: outcomeIcons[outcome].name,
  };
}

function groupNode(
  key: string,
  label: string,
  description: string,
  children: () => TreeNode[],
  icon: NodeIcon,
): TreeNode {
  return {
    id: nodeId('runs', key),
    kind: 'period',
    label,
    description,
    icon,
    contextValue: contextValues.period,
    isCollapsible: true,
    isOpen: true,
    target: {},
    name: label,
    children,
  };
}

function favouriteNode(favourite: Favourite): TreeNode {
  const { id, name, server, tool } = favourite;
  const where = `${visibleLine(server, 60)} · ${visibleLine(tool, 80)}`;
  return {
    id: nodeId('favourite', id),
    kind: 'favourite',
    label: visibleLine(name, 100),
    description: where,
    icon: { name: 'star-empty' },
    contextValue: contextValues.favourite,
    isCollapsible: false,
    target: { favourite: id },
    name,
    onClick: 'editRun',
    spokenLabel: t('{0}, favorite: {1} of {2}', visibleLine(name, 100), visibleLine(tool, 80), visibleLine(server, 60)),
    tooltip: () => callTooltip(favourite),
  };
}

function runNode(run: RunRecord, locale: string): TreeNode {
  const { id, server, tool, startedAt, durationMs, outcome, summary, client, traceparent } = run;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(startedAt);
  const duration = durationText(durationMs);
  const words = visibleLine(summary, 120);
  const how = outcomeText(outcome);
  const given = argumentsLine(run.arguments);
  const title = visibleLine(run.title ?? '', 80);
  const label = title === '' ? visibleLine(tool, 80) : title;
  return {
    id: nodeId('run', id),
    kind: 'run',
    label,
    // The arguments distinguish the runs of a tool. The time is in the tooltip.
    description: [
      visibleLine(server, 60),
      ...(client === undefined ? [] : [visibleLine(client, 60)]),
      ...(given === '' ? [] : [given]),
      // A failed run is opened because of its message, so the message comes before the duration.
      ...(outcome === 'error' || outcome === 'failed' ? [words, duration] : [duration, words]).filter(
        (part) => part !== '',
      ),
    ].join(' · '),
    icon: outcomeIcons[outcome],
    contextValue: contextValues.run,
    isCollapsible: false,
    target: { run: id },
    name: tool,
    onClick: 'openRun',
    spokenLabel: [
      ...(client === undefined ? [] : [callerName('agent', client)]),
      t('{0} of {1}, {2}, {3}, took {4}', label, visibleLine(server, 60), how, time, duration),
      ...(given === '' ? [] : [given]),
    ].join(', '),
    tooltip: () =>
      [
        callTooltip(run),
        ...(client === undefined ? [] : [t('Requested by {0}', escapeMarkdownLine(callerName('agent', client)))]),
        ...(traceparent === undefined ? [] : [t('Trace context: {0}', inlineCode(traceparent, 100))]),
        `${escapeMarkdownLine(how)} · ${escapeMarkdownLine(time)} · ${escapeMarkdownLine(duration)}`,
        ...(summary === '' ? [] : [escapeMarkdownLine(summary, 300)]),
      ].join('\n\n'),
  };
}

const outcomeIcons: Record<RunOutcome, NodeIcon> = {
  done: { name: 'pass', color: 'charts.green' },
  error: { name: 'error', color: 'problemsErrorIcon.foreground' },
  failed: { name: 'error', color: 'problemsErrorIcon.foreground' },
  cancelled: { name: 'circle-slash' },
};

function outcomeText(outcome: RunOutcome): string {
  switch (outcome) {
    case 'done':
      return t('done');
    case 'error':
      return t('the tool reported an error');
    case 'failed':
      return t('the call failed');
    case 'cancelled':
      return t('canceled');
  }
}

function callTooltip({
  server,
  tool,
  arguments: values,
  omitted,
}: Pick<RunRecord, 'server' | 'tool' | 'arguments' | 'omitted'>): string {
  const { text, isWhole } = beginningOf(jsonPieces(values), 600);
  const lines = [
    t('{0} of {1}', inlineCode(tool, 80), inlineCode(server, 60)),
    inlineCode(`${text.replace(/\s+/g, ' ')}${isWhole ? '' : ' …'}`, 700),
  ];
  if (omitted.length > 0)
    lines.push(
      t(
        'These arguments are not stored, so you are asked for them again: {0}',
        omitted.map((name) => inlineCode(name, 60)).join(', '),
      ),
    );
  return lines.join('\n\n');
}

function dayText(ms: number, now: number, locale: string): string {
  if (dayKey(ms) === dayKey(now)) return t('Today');
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  return dayKey(ms) === dayKey(yesterday.getTime())
    ? t('Yesterday')
    : new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(ms);
}
