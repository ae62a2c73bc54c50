import { isObject, isStringArray } from '../base/guards.js';

/** How a run ended: `error` is a result that is an error, `failed` means no result. */
export type RunOutcome = 'done' | 'error' | 'failed' | 'cancelled';

/** One run of a tool, as stored. Its texts are masked, but still untrusted text of the server. */
export interface RunRecord {
  /** Unique; consists of letters, digits and dashes. */
  id: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  /**
   * Names of arguments that are not stored because they are secret or too large. Running the call again asks for them.
   */
  omitted: string[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  outcome: RunOutcome;
  /** The beginning of the result, or why there is none; one line. */
  summary: string;
  /** Digest of the result, to compare results; absent when there is none or it was too large to be read at once. */
  digest?: string;
  /** Characters of the result's text that are stored; 0: none. */
  textLength: number;
}

/** A run with a name that the user gave it. */
export interface Favourite {
  id: string;
  name: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  omitted: string[];
}

/** The content of the index file. */
export interface HistoryIndex {
  /** Newest first. */
  runs: RunRecord[];
  /** In the user's order. */
  favourites: Favourite[];
}

export const historyVersion = 1;

/** Reads an index; undefined when the text is not one. Invalid entries are left out. */
export function readHistoryIndex(text: string): HistoryIndex | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Truncated or corrupted: the caller renames the file.
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
  // The ID is used as a file name.
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
