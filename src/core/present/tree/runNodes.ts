/** The Runs view: favorites, then runs by day, newest first. */
import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { Favourite, RunOutcome, RunRecord } from '../../runs/runRecord.js';
import { contextValues } from './contextValues.js';
import { elapsedText } from '../text/elapsed.js';
import { beginningOf, jsonPieces } from '../text/jsonText.js';
import { escapeMarkdownLine, inlineCode } from '../text/markdown.js';
import type { NodeIcon, TreeNode } from './treeNode.js';
import { nodeId } from './treeNode.js';

export interface RunLists {
  runs: readonly RunRecord[];
  favourites: readonly Favourite[];
}

/** @param locale the locale of the window, for days and times. */
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

/** A short text for the time of a run: only the time for today, and the date and time for another day. */
export function runTime(startedAt: number, now: number, locale: string): string {
  const style: Intl.DateTimeFormatOptions =
    dayKey(startedAt) === dayKey(now) ? { timeStyle: 'medium' } : { dateStyle: 'short', timeStyle: 'medium' };
  return new Intl.DateTimeFormat(locale, style).format(startedAt);
}

/** The duration of a run as text: `84 ms`, `4 min`. */
export function durationText(ms: number): string {
  return ms < 1_000 ? t('{0} ms', Math.round(ms)) : elapsedText(ms);
}

/** A run as one line in the menu of its tool: its arguments, its outcome, and its time. */
export function runLine(
  { arguments: values, outcome, startedAt }: RunRecord,
  now: number,
  locale: string,
): { label: string; detail: string; icon: string } {
  const given = Object.entries(values).map(
    ([name, value]) =>
      `${name}: ${typeof value === 'string' ? value : beginningOf(jsonPieces(value), 100).text.replace(/\s+/g, ' ')}`,
  );
  return {
    label: given.length === 0 ? t('without arguments') : visibleLine(given.join(', '), 80),
    detail: `${outcomeText(outcome)} · ${runTime(startedAt, now, locale)}`,
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
  const { id, server, tool, startedAt, durationMs, outcome, summary } = run;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(startedAt);
  const duration = durationText(durationMs);
  const words = visibleLine(summary, 120);
  const how = outcomeText(outcome);
  return {
    id: nodeId('run', id),
    kind: 'run',
    label: visibleLine(tool, 80),
    description: [visibleLine(server, 60), time, duration, ...(words === '' ? [] : [words])].join(' · '),
    icon: outcomeIcons[outcome],
    contextValue: contextValues.run,
    isCollapsible: false,
    target: { run: id },
    name: tool,
    onClick: 'openRun',
    spokenLabel: t(
      '{0} of {1}, {2}, {3}, took {4}',
      visibleLine(tool, 80),
      visibleLine(server, 60),
      how,
      time,
      duration,
    ),
    tooltip: () =>
      [
        callTooltip(run),
        `${escapeMarkdownLine(how)} · ${escapeMarkdownLine(time)} · ${escapeMarkdownLine(duration)}`,
        ...(summary === '' ? [] : [escapeMarkdownLine(summary, 300)]),
      ].join('\n\n'),
  };
}

const outcomeIcons: Record<RunOutcome, NodeIcon> = {
  done: { name: 'pass', color: 'testing.iconPassed' },
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
      t('Not stored, so you will be asked for them again: {0}', omitted.map((name) => inlineCode(name, 60)).join(', ')),
    );
  return lines.join('\n\n');
}

/** A key that identifies a day in the local time zone. */
function dayKey(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

function dayText(ms: number, now: number, locale: string): string {
  if (dayKey(ms) === dayKey(now)) return t('Today');
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  return dayKey(ms) === dayKey(yesterday.getTime())
    ? t('Yesterday')
    : new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(ms);
}
