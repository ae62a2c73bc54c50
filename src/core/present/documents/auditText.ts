import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import type { AppWish, AuditEvent } from '../../consent/audit.js';
import { callers } from '../../consent/rule.js';
import { callerName } from '../text/callText.js';
import { durationText } from '../text/runTexts.js';

/** Maximum number of entries that are shown; older ones are in the file. */
const maxShown = 5_000;

/** Selects the entries that are shown. Without `server`, all entries are shown. */
export interface AuditFilter {
  /** ID of a server. */
  server?: string;
}

/**
 * The audit log as text, newest first. Each entry is one line, which begins with the time and the outcome. The file
 * contains the entries as JSON. A line of the file that is not an entry is shown as text.
 * @param file the URI of the file.
 */
export function auditText(lines: string, file: string, { server }: AuditFilter = {}): string {
  const all = lines
    .split('\n')
    .filter((line) => line !== '')
    .reverse();
  const entries = all
    .map((line) => ({ line, entry: entryOf(line) }))
    .filter(({ entry }) => server === undefined || isOf(entry, server));
  if (entries.length === 0) {
    const nothing =
      server === undefined
        ? t('This workspace has no entries in the audit log yet.')
        : t('The audit log of this workspace has no entries for "{0}" yet.', visibleLine(server, 120));
    return `# ${nothing}\n`;
  }
  const title =
    server === undefined
      ? t('Questions and decisions in this workspace, newest first. As JSON: {0}', file)
      : t(
          'Questions and decisions about "{0}" in this workspace, newest first. As JSON: {1}',
          visibleLine(server, 120),
          file,
        );
  const shown = entries
    .slice(0, maxShown)
    .map(({ line, entry }) => (entry ? entryLine(entry) : visibleLine(line, 1_000)));
  const older =
    entries.length > maxShown ? [`# ${t('The file has {0} older entries.', entries.length - maxShown)}`] : [];
  return `# ${title}\n\n${[...shown, ...older].join('\n')}\n`;
}

type Entry = Record<string, unknown>;

function entryOf(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isOf(entry: Entry | undefined, server: string): boolean {
  return (
    entry?.['server'] === server ||
    (Array.isArray(entry?.['servers']) && (entry['servers'] as unknown[]).includes(server))
  );
}

function entryLine(entry: Entry): string {
  const text = (name: string) => (typeof entry[name] === 'string' ? visibleLine(entry[name], 3_000) : undefined);
  const list = (name: string) =>
    Array.isArray(entry[name])
      ? (entry[name] as unknown[])
          .map((item) => visibleLine(typeof item === 'string' ? item : JSON.stringify(item), 200))
          .join(', ')
      : undefined;
  const say = (value: string | undefined, as: (value: string) => string) =>
    value === undefined ? undefined : as(value);
  const caller = callerOf(entry['caller'], text('client'));
  const event = text('event') ?? '';
  const parts = [
    [text('server'), text('tool')].filter((part) => part !== undefined).join(' / '),
    list('servers'),
    list('tools'),
    event === 'agent' ? text('client') : undefined,
    say(caller, (name) => t('for {0}', name)),
    event === 'sampling' ? t('requests a model response') : undefined,
    reasonOf(text('decidedBy')),
    text('rule'),
    text('question'),
    event === 'preset' && entry['preset'] === null ? t('no preset') : text('preset'),
    wishOf(entry['wish']),
    entry['isForGood'] === true ? t('while the app is open') : undefined,
    say(text('policy'), (policy) => t('policy: {0}', policy)),
    event === 'roots' && entry['folders'] === null ? t('the folders of the workspace') : list('folders'),
    say(text('host'), (host) => t('page at {0}', host)),
    say(text('app'), (app) => t('through the entry of {0}', app)),
    say(text('account'), (account) => t('account {0}', account)),
    say(list('fields'), (fields) => t('fields: {0}', fields)),
    say(text('from'), (from) => t('from {0}', from)),
    say(text('to'), (to) => t('to {0}', to)),
    text('source'),
    say(text('definition'), (definition) => t('definition {0}', definition)),
    entry['isForgotten'] === true ? t('with its stored data') : undefined,
    text('model'),
    event === 'records-lost' && typeof entry['count'] === 'number'
      ? t('records that could not be written: {0}', entry['count'])
      : undefined,
    typeof entry['tokens'] === 'number' ? t('about {0} tokens', entry['tokens']) : undefined,
    text('reason'),
    typeof entry['durationMs'] === 'number' ? durationText(entry['durationMs']) : undefined,
    text('arguments'),
  ];
  const shown = parts.filter((part) => part !== undefined && part !== '').join(' · ');
  return `${localTime(text('at'))}  ${wordOf(event, text('outcome') ?? '').padEnd(18)}  ${shown}`;
}

/**
 * The caller as text. `command` covers mouse clicks, keys and programs, which cannot be distinguished; see
 * `AuditCaller`.
 */
function callerOf(value: unknown, client: string | undefined): string | undefined {
  if (value === 'command') return t('a command (from a click, a keybinding, or an extension)');
  const caller = callers.find((one) => one === value);
  return caller && callerName(caller, client);
}

/** A few words that describe the event and its outcome. */
function wordOf(event: string, outcome: string): string {
  const ended = endOf(outcome);
  const words: Record<AuditEvent, string> = {
    call: ended,
    sampling: outcome === 'ok' ? t('answered') : ended,
    'rule-added': t('rule added'),
    'rule-removed': t('rule removed'),
    'change-accepted': t('change accepted'),
    'approvals-reset': t('approvals reset'),
    'trust-reset': t('trust reset'),
    start: t('start {0}', ended),
    widening: t('action {0}', ended),
    'preset-edited': t('preset edit {0}', ended),
    'server-added': outcome === 'refused' ? t('server not added') : t('server added'),
    'server-exported': t('server exported'),
    agent: outcome === 'forgotten' ? t('agent forgotten') : t('agent {0}', ended),
    'agent-texts': t('tool names and descriptions {0}', ended),
    gateway: outcome === 'started' ? t('gateway started') : t('gateway stopped'),
    link: t('link {0}', ended),
    'server-edited': t('server edited'),
    'server-moved': t('server moved'),
    'server-removed': t('server removed'),
    'server-enabled': t('server enabled'),
    'server-disabled': t('server disabled'),
    'tool-enabled': t('tool enabled'),
    'tool-disabled': t('tool disabled'),
    preset: t('preset switched'),
    'sampling-policy': t('sampling changed'),
    roots: t('roots chosen'),
    form: outcome === 'allowed' ? t('form answered') : t('form {0}', ended),
    page: outcome === 'allowed' ? t('page opened') : t('page {0}', ended),
    'sign-in': outcome === 'allowed' ? t('signed in') : t('sign-in {0}', ended),
    'sign-out': t('signed out'),
    'records-lost': t('records lost'),
    app: t('app {0}', ended),
  };
  return Object.hasOwn(words, event) ? words[event as AuditEvent] : ended || event;
}

function endOf(outcome: string): string {
  const words: Record<string, string> = {
    ok: t('ran'),
    'tool-error': t('tool error'),
    failed: t('failed'),
    cancelled: t('canceled'),
    allowed: t('allowed'),
    refused: t('refused'),
    left: t('not answered'),
  };
  return Object.hasOwn(words, outcome) ? (words[outcome] ?? '') : outcome;
}

function wishOf(wish: unknown): string | undefined {
  const words: Record<AppWish, string> = {
    call: t('to call a tool'),
    link: t('to open a link'),
    message: t('to write to the chat'),
    context: t('to send context to language models'),
    download: t('to save a file'),
  };
  return typeof wish === 'string' && Object.hasOwn(words, wish) ? words[wish as AppWish] : undefined;
}

function reasonOf(decidedBy: string | undefined): string | undefined {
  if (decidedBy === 'rule') return t('by a rule');
  if (decidedBy === 'default') return t('no approval needed');
  if (decidedBy === 'user') return t('your answer');
  if (decidedBy === 'policy') return t('sampling policy');
  return decidedBy === 'quarantine' ? t('in quarantine') : undefined;
}

/** A time such as `2026-11-21 15:08:07` in the local time zone. The format sorts and aligns well. */
function localTime(at: string | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return (at ?? '').padEnd(19);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
