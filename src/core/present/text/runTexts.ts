import { freeName } from '../../base/freeName.js';
import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { Progress } from '../../protocol/mcp.js';
import { beginningOf, jsonPieces } from './jsonPieces.js';

/** A duration for the user: `3 s`, `4 min`, `2 h 5 min`, `3 d 1 h`. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('{0} min', minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? t('{0} h', hours) : t('{0} h {1} min', hours, minutes % 60);
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? t('{0} d', days) : t('{0} d {1} h', days, hours % 24);
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

/** A key that identifies a day in the local time zone. */
export function dayKey(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

/** The progress of a run in one line, with hidden characters made visible: `3 / 10 · indexing`. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} / ${total}`;
  const words = message === undefined ? '' : visibleLine(message, 200);
  return words === '' ? count : `${count} · ${words}`;
}

/** The arguments of a call on one line: `query: yy, limit: 3`. Empty if there are none. */
export function argumentsLine(values: Record<string, unknown>, maxLength = 80): string {
  const given = Object.entries(values)
    .slice(0, 20)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value.slice(0, 200) : jsonLine(value)}`);
  return given.length === 0 ? '' : visibleLine(given.join(', '), maxLength);
}

/** The suggested name of a favorite: the tool and its arguments, with a number if another favorite has this name. */
export function favouriteName(tool: string, values: Record<string, unknown>, taken: ReadonlySet<string>): string {
  const given = argumentsLine(values, 40);
  return freeName(visibleLine(given === '' ? tool : `${tool} · ${given}`).slice(0, 90), taken);
}

function jsonLine(value: unknown): string {
  return beginningOf(jsonPieces(value), 100).text.replace(/\s+/g, ' ');
}
