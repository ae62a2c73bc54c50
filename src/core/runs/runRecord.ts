import { isObject, isStringArray } from '../base/guards.js';

/** How a run ended: `error` is a result that says so itself, `failed` is no result at all. */
export type RunOutcome = 'done' | 'error' | 'failed' | 'cancelled';

/** One run of a tool, as it is kept. Texts are masked; they are still a server's. */
export interface RunRecord {
  /** Unique, made of letters, digits and dashes. */
  id: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  /** Names of arguments that are not kept, because they are secret or too large; running again asks for them. */
  omitted: string[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  outcome: RunOutcome;
  /** The first words of the result, or why there is none; one line. */
  summary: string;
  /** Of the result, to tell equal ones; absent when there is none or it was too large to be read at once. */
  digest?: string;
  /** Characters of the result's text that are kept; 0: none. */
  textLength: number;
}

/** A run under a name of the user's. */
export interface Favourite {
  id: string;
  name: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  omitted: string[];
}

/** What the index file holds. */
export interface HistoryIndex {
  /** Newest first. */
  runs: RunRecord[];
  /** In the user's order. */
  favourites: Favourite[];
}

export const historyVersion = 1;

/** Reads an index; undefined when it is none. Single entries that make no sense are left out. */
export function readHistoryIndex(text: string): HistoryIndex | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Cut off or written over: the caller sets the file aside.
    return undefined;
  }
  if (
    !isObject(value) ||
    value['version'] !== historyVersion ||
    !Array.isArray(value['runs']) ||
    !Array.isArray(value['favourites'])
  )
    return undefined;
  return { runs: value['runs'].flatMap(readRun), favourites: value['favourites'].flatMap(readFavourite) };
}

const outcomes: readonly unknown[] = ['done', 'error', 'failed', 'cancelled'] satisfies RunOutcome[];

function readRun(value: unknown): RunRecord[] {
  const call = readCall(value);
  if (!call || !isObject(value)) return [];
  const { startedAt, durationMs, outcome, summary, digest, textLength } = value;
  if (
    typeof startedAt !== 'number' ||
    typeof durationMs !== 'number' ||
    !outcomes.includes(outcome) ||
    typeof summary !== 'string'
  )
    return [];
  return [
    {
      ...call,
      startedAt,
      durationMs,
      outcome: outcome as RunOutcome,
      summary,
      ...(typeof digest === 'string' ? { digest } : {}),
      textLength: typeof textLength === 'number' && textLength > 0 ? textLength : 0,
    },
  ];
}

function readFavourite(value: unknown): Favourite[] {
  const call = readCall(value);
  return call && isObject(value) && typeof value['name'] === 'string' ? [{ ...call, name: value['name'] }] : [];
}

function readCall(value: unknown): Omit<Favourite, 'name'> | undefined {
  if (!isObject(value)) return undefined;
  const { id, server, tool, arguments: values, omitted } = value;
  // The id becomes the name of a file.
  if (
    typeof id !== 'string' ||
    !/^[\w-]{1,64}$/.test(id) ||
    typeof server !== 'string' ||
    typeof tool !== 'string' ||
    !isObject(values) ||
    !isStringArray(omitted)
  )
    return undefined;
  return { id, server, tool, arguments: values, omitted };
}
