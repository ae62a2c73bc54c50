import { createHash } from 'node:crypto';
import type { Disposable } from '../base/disposable.js';
import type { Log } from '../base/log.js';
import type { HistoryFiles } from './runHistory.js';
import { RunHistory } from './runHistory.js';
import type { RunRecord } from './runRecord.js';
import { secretArguments } from '../present/form/argumentSteps.js';
import { beginningOf, jsonPieces } from '../present/text/jsonText.js';
import { approximateLength, presentToolResult } from '../present/result/toolResult.js';
import type { CallToolResult, Tool } from '../protocol/mcp.js';
import type { DoneResult } from '../../shared/result/resultModel.js';

/** A call that ended, with its inputs. */
export interface FinishedRun {
  /** Unique in the workspace, e.g. a UUID. */
  id: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  /** Determines which arguments are secret; absent: only their names do. */
  schema?: Tool['inputSchema'];
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  end: { result: CallToolResult } | FailedEnd;
}

/** How a call without a result ended. */
export interface FailedEnd {
  message: string;
  isCancelled: boolean;
  /** The log of the server may say more. Not stored. */
  showsLog?: boolean;
  /** The server's response, unchanged; absent when it did not respond. */
  response?: unknown;
}

/** A call of this window without a result. */
export type KeptFailure = Pick<FinishedRun, 'id' | 'server' | 'tool' | 'arguments'> & Pick<FailedEnd, 'response'>;

/** A complete result of this window. */
export interface KeptRun {
  id: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  result: CallToolResult;
}

const maxKept = 30;
const maxFailed = 5;
const maxKeptLength = 64 * 1024 * 1024;
/** Larger results are not compared before they are shown. Characters. */
const maxDigestLength = 256 * 1024;

/** Records every run that the user started: in the history, and with its whole result for this window. */
export class RunLog implements Disposable {
  readonly history: RunHistory;
  /** Oldest first. */
  private kept: KeptRun[] = [];
  /** Oldest first. An error response is usually short; the number of entries limits the memory. */
  private failed: KeptFailure[] = [];

  constructor(
    private readonly servers: { secretValues(server: string): readonly string[] },
    files: HistoryFiles,
    log: Log,
  ) {
    this.history = new RunHistory(files, log);
  }

  /** Records a run and returns the previous run of the same tool. */
  finish({ schema, end, ...run }: FinishedRun): { previous?: DoneResult['previous'] } {
    const { server, tool, startedAt } = run;
    const common = { ...run, ...this.secretsOf({ ...run, ...(schema ? { schema } : {}) }) };
    if (!('result' in end)) {
      this.history.add({ ...common, outcome: end.isCancelled ? 'cancelled' : 'failed', summary: end.message });
      this.failed = [
        ...this.failed,
        { id: run.id, server, tool, arguments: run.arguments, response: end.response },
      ].slice(-maxFailed);
      return {};
    }
    const { result } = end;
    const digest = digestOf(result);
    const before = this.history.previousOf(server, tool, startedAt);
    const presented = presentToolResult(result, { server, tool });
    const { document } = presented;
    this.history.add({
      ...common,
      outcome: result.isError === true ? 'error' : 'done',
      summary: presented.summary,
      ...(digest === undefined ? {} : { digest }),
      ...(document ? { text: () => document.pieces() } : {}),
    });
    this.keep({ id: run.id, server, tool, arguments: run.arguments, result });
    return before
      ? {
          previous: {
            id: before.id,
            isSame: digest !== undefined && before.digest === digest,
            startedAt: before.startedAt,
          },
        }
      : {};
  }

  /** A call without the values that must not be stored. */
  keepable({
    schema,
    ...call
  }: Pick<FinishedRun, 'server' | 'tool' | 'arguments' | 'schema'>): Pick<
    RunRecord,
    'server' | 'tool' | 'arguments' | 'omitted'
  > {
    const { secretArguments: names, secrets } = this.secretsOf({ ...call, ...(schema ? { schema } : {}) });
    const { kept, omitted } = this.history.keepable(call.arguments, names, secrets);
    return { ...call, arguments: kept, omitted };
  }

  /** The whole result of a run of this window, while it is held. */
  find(id: string): KeptRun | undefined {
    return this.kept.find((run) => run.id === id);
  }

  /** A run of this window without a result, while it is held. */
  findFailed(id: string): KeptFailure | undefined {
    return this.failed.find((run) => run.id === id);
  }

  dispose(): void {
    this.kept = [];
    this.failed = [];
    this.history.dispose();
  }

  private secretsOf({ server, arguments: values, schema }: Pick<FinishedRun, 'server' | 'arguments' | 'schema'>): {
    secretArguments: ReadonlySet<string>;
    secrets: string[];
  } {
    const names = secretArguments(schema, values);
    const typed = [...names]
      .map((name) => values[name])
      .filter((value): value is string => typeof value === 'string' && value.length >= minSecretLength);
    return { secretArguments: names, secrets: [...this.servers.secretValues(server), ...typed] };
  }

  private keep(run: KeptRun): void {
    this.kept = [...this.kept, run].slice(-maxKept);
    let length = 0;
    const newestFirst = [...this.kept].reverse().filter(({ result }, index) => {
      length += approximateLength(result);
      return index === 0 || length <= maxKeptLength;
    });
    this.kept = newestFirst.reverse();
  }
}

const minSecretLength = 4;

function digestOf({ content, structuredContent, isError }: CallToolResult): string | undefined {
  const { text, isWhole } = beginningOf(jsonPieces({ content, structuredContent, isError }), maxDigestLength);
  return isWhole ? createHash('sha256').update(text).digest('base64') : undefined;
}
