import { isObject, isStringArray } from '../base/guards.js';

/** How a run ended. `error` means that the result is an error, `failed` that there is no result. */
export type RunOutcome = 'done' | 'error' | 'failed' | 'cancelled';

/** One run of a tool, as stored. Its texts are masked, but are still untrusted text from the server. */
export interface RunRecord {
  /** Unique; consists of letters, digits and dashes. */
  id: string;
  server: string;
  tool: string;
  /** The title of the tool, as in the Servers view; absent if it has none. */
  title?: string;
  arguments: Record<string, unknown>;
  /** The name of the agent that requested the run; absent if no agent requested it. */
  client?: string;
  /** The trace context that the agent sent (W3C `traceparent`). */
  traceparent?: string;
  /**
   * Names of arguments that are not stored because they are secret or too large. Running the call again asks for them.
   */
  omitted: string[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  outcome: RunOutcome;
  /** True if the call was not sent. */
  isUnsent?: true;
  /** The beginning of the result, or the reason why there is none, on one line. */
  summary: string;
  /** Digest of the result, for comparisons; absent if there is no result or it was too large to be read at once. */
  digest?: string;
  /** Number of stored characters of the result's text; 0 if none are stored. */
  textLength: number;
}

/** A stored call with a name that the user gave it. */
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
  /** The runs, newest first. */
  runs: RunRecord[];
  /** The favorites, in the user's order. */
  favourites: Favourite[];
}

export const historyVersion = 1;

/** Reads an index; undefined if the text is not an index. Invalid entries are left out. */
export function readHistoryIndex(text: string): HistoryIndex | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The text is truncated or corrupted. The caller renames the file.
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
  const { startedAt, durationMs, outcome, summary, digest, textLength, title, client, traceparent, isUnsent } = value;
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
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof client === 'string' ? { client } : {}),
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      startedAt,
      durationMs,
      outcome: outcome as RunOutcome,
      ...(isUnsent === true ? { isUnsent } : {}),
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
  // The ID is used as a file name, so it is checked.
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
