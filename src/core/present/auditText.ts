import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { callers } from '../consent/rule.js';
import { callerName } from './callQuestion.js';
import type { Localize } from './localize.js';
import { durationText } from './runNodes.js';

/**
 * The audit log to read, newest first: a line for each entry, what became of it before everything else. The file keeps
 * the entries as JSON; what is no entry there stands here as it is.
 * @param file address of the file.
 */
export function auditText(lines: string, file: string, t: Localize): string {
  const entries = lines.split('\n').filter((line) => line !== '');
  if (entries.length === 0) return `# ${t('Nothing was asked, allowed or refused yet in this workspace.')}\n`;
  const head = `# ${t('What was asked, allowed and refused in this workspace, newest first. As JSON: {0}', file)}\n\n`;
  return `${head}${entries.reverse().map((line) => entryLine(line, t)).join('\n')}\n`;
}

function entryLine(line: string, t: Localize): string {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    entry = undefined;
  }
  if (!isObject(entry)) return visibleLine(line, 1_000);
  const text = (name: string) => (typeof entry[name] === 'string' ? visibleLine(entry[name], 3_000) : undefined);
  const caller = callers.find((one) => one === entry['caller']);
  const parts = [
    [text('server'), text('tool')].filter((part) => part !== undefined).join(' / '),
    caller === undefined ? undefined : t('for {0}', callerName(caller, t)),
    text('event') === 'sampling' ? t('asks a language model') : undefined,
    reasonOf(text('decidedBy'), text('event') === 'call' || text('event') === 'sampling', t),
    text('rule'),
    text('model'),
    typeof entry['tokens'] === 'number' ? t('about {0} tokens', entry['tokens']) : undefined,
    text('reason'),
    typeof entry['durationMs'] === 'number' ? durationText(entry['durationMs'], t) : undefined,
    text('arguments'),
  ];
  return `${localTime(text('at'))}  ${wordOf(text('event') ?? '', text('event') === 'sampling' && text('outcome') === 'ok' ? 'answered' : (text('outcome') ?? ''), t).padEnd(15)}  ${parts.filter((part) => part !== undefined && part !== '').join(' · ')}`;
}

function wordOf(event: string, outcome: string, t: Localize): string {
  const words = new Map([
    ['rule-added', t('rule added')],
    ['rule-removed', t('rule removed')],
    ['change-accepted', t('change accepted')],
    ['approvals-reset', t('approvals reset')],
    ['answered', t('answered')],
    ['ok', t('ran')],
    ['tool-error', t('ran, with error')],
    ['failed', t('failed')],
    ['cancelled', t('cancelled')],
    ['refused', t('refused')],
  ]);
  return words.get(event) ?? words.get(outcome) ?? event;
}

function reasonOf(decidedBy: string | undefined, isCall: boolean, t: Localize): string | undefined {
  if (!isCall) return undefined;
  if (decidedBy === 'rule') return t('by a rule');
  if (decidedBy === 'default') return t('no question needed');
  if (decidedBy === 'user') return t('your answer');
  if (decidedBy === 'policy') return t('sampling policy');
  return decidedBy === 'quarantine' ? t('in quarantine') : undefined;
}

/** As `2026-11-21 15:08:07`, which sorts and lines up, in the time of this machine. */
function localTime(at: string | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return (at ?? '').padEnd(19);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
