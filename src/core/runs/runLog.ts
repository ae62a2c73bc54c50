import { createHash } from 'node:crypto';
import { visibleLine } from '../base/hostileText.js';
import { maskText } from '../base/masking.js';
import { valueCost } from '../base/valueCost.js';
import type { ServerView } from '../catalog/hostTypes.js';
import type { Disposable } from '../base/disposable.js';
import type { Log } from '../base/log.js';
import type { HistoryFiles } from './runHistory.js';
import { RunHistory } from './runHistory.js';
import type { RunRecord } from './runRecord.js';
import { secretArguments } from '../present/form/argumentSteps.js';
import { beginningOf, jsonPieces } from '../present/text/jsonPieces.js';
import { presentToolResult } from '../present/result/toolResult.js';
import type { CallToolResult, Tool } from '../protocol/mcp.js';
import type { DoneResult } from '../../shared/result/resultModel.js';

/** A call that ended, with its inputs. */
export interface FinishedRun {
  /** Unique in the workspace, e.g. a UUID. */
  id: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  /**
   * Determines, with the names, which arguments are secret. Default: the schema that the server lists now; if it lists
   * none, all arguments are secret.
   */
  schema?: Tool['inputSchema'];
  /** See `RunRecord`. */
  client?: string;
  traceparent?: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  end: { result: CallToolResult } | FailedEnd;
}

/** The end of a call without a result. */
export interface FailedEnd {
  message: string;
  isCancelled: boolean;
  /** True if the call was not sent. */
  isUnsent?: true;
  /** Whether the log of the server may contain more details. Not stored. */
  showsLog?: boolean;
  /** The server's response, unchanged; absent if the server did not respond. */
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

/** Whether a result has text, and images or other files. Determined once, because results can be large. */
interface ResultForms {
  hasText: boolean;
  hasFiles: boolean;
}

const maxKept = 30;
const maxFailed = 5;
/** Maximum memory of the arguments and results that are kept, except for the latest run, bytes. The same for failures. */
const maxKeptBytes = 64 * 1024 * 1024;
/**
 * Maximum size of a result for which a digest is computed before the result is shown, in characters. Larger results are
 * not compared.
 */
const maxDigestLength = 256 * 1024;

/**
 * Records every run, of the user or of another caller: the history stores its data, and the latest complete results
 * stay in memory, at most until the window closes.
 */
export class RunLog implements Disposable {
  readonly history: RunHistory;
  /** The complete results, oldest first. */
  private kept: WithCost<KeptRun & ResultForms>[] = [];
  /** The calls without a result, oldest first. */
  private failed: WithCost<KeptFailure>[] = [];

  constructor(
    private readonly servers: {
      secretValues(server: string): readonly string[];
      /** Returns a server, from which the titles and schemas of its tools are read. */
      get?(server: string): Pick<ServerView, 'features'> | undefined;
    },
    files: HistoryFiles,
    log: Log,
  ) {
    this.history = new RunHistory(files, log);
  }

  /** Records a run and returns the previous run of the same tool. */
  finish({ schema, end, ...run }: FinishedRun): { previous?: DoneResult['previous'] } {
    const { server, tool, startedAt } = run;
    const secrets = this.secretsOf({ ...run, ...(schema ? { schema } : {}) });
    const title = this.titleOf(run, secrets.secrets);
    const common = { ...run, ...(title === undefined ? {} : { title }), ...secrets };
    if (!('result' in end)) {
      this.history.add({
        ...common,
        outcome: end.isCancelled ? 'cancelled' : 'failed',
        summary: end.message,
        ...(end.isUnsent ? { isUnsent: end.isUnsent } : {}),
      });
      const failure = { id: run.id, server, tool, arguments: run.arguments, response: end.response };
      this.failed = latest([...this.failed, withCost(failure)], maxFailed);
      return {};
    }
    const { result } = end;
    const digest = digestOf(result);
    const presented = presentToolResult(result, { server, tool });
    const { document, files } = presented;
    this.history.add({
      ...common,
      outcome: result.isError === true ? 'error' : 'done',
      summary: presented.summary,
      ...(digest === undefined ? {} : { digest }),
      ...(document ? { text: () => document.pieces() } : {}),
    });
    const forms = { hasText: document !== undefined, hasFiles: files.length > 0 };
    const kept = { id: run.id, server, tool, arguments: run.arguments, result, ...forms };
    this.kept = latest([...this.kept, withCost(kept)], maxKept);
    const previous = this.previousOf({
      id: run.id,
      server,
      tool,
      startedAt,
      ...(digest === undefined ? {} : { digest }),
    });
    return previous ? { previous } : {};
  }

  /**
   * The title of a tool. Undefined if it has none, or if its server does not run.
   * @param secrets values that the title must not contain; default: the secrets of the server.
   */
  titleOf(
    { server, tool: name }: Pick<FinishedRun, 'server' | 'tool'>,
    secrets: readonly string[] = this.servers.secretValues(server),
  ): string | undefined {
    const tool = this.listed(server, name);
    const title = tool?.title ?? tool?.annotations?.title;
    return title === undefined ? undefined : visibleLine(maskText(title, secrets), 120);
  }

  /** The previous run of the same tool with a result, and how the result of `run` relates to it. */
  previousOf(
    run: Pick<RunRecord, 'id' | 'server' | 'tool' | 'startedAt' | 'digest'> & { textLength?: number },
  ): DoneResult['previous'] {
    const before = this.history.previousOf(run.server, run.tool, run.startedAt);
    if (!before) return undefined;
    const [mine, its] = [this.formsOf(run), this.formsOf(before)];
    return {
      id: before.id,
      isSame: run.digest !== undefined && before.digest === run.digest,
      canCompare: (mine.hasText && its.hasText) || (mine.hasFiles && its.hasFiles),
      startedAt: before.startedAt,
    };
  }

  /**
   * Whether the text of a run's result, and its images and other files, are still available. Files are kept only until
   * the window closes.
   */
  private formsOf({ id, textLength = 0 }: Pick<RunRecord, 'id'> & { textLength?: number }): ResultForms {
    return this.kept.find((run) => run.id === id) ?? { hasText: textLength > 0, hasFiles: false };
  }

  /** The data of a call without the values that must not be stored. */
  keepable({
    schema,
    ...call
  }: Pick<FinishedRun, 'server' | 'tool' | 'arguments' | 'schema'>): Pick<
    RunRecord,
    'server' | 'tool' | 'arguments' | 'omitted'
  > {
    const { secretArguments: names, secrets } = this.secretsOf({ ...call, ...(schema ? { schema } : {}) });
    const { kept, omitted } = this.history.keepable(call.arguments, names, secrets);
    return { ...call, tool: maskText(call.tool, secrets), arguments: kept, omitted };
  }

  /** The whole result of a run of this window, as long as it is in memory. */
  find(id: string): KeptRun | undefined {
    return this.kept.find((run) => run.id === id);
  }

  /** A run of this window without a result, as long as it is in memory. */
  findFailed(id: string): KeptFailure | undefined {
    return this.failed.find((run) => run.id === id);
  }

  dispose(): void {
    this.kept = [];
    this.failed = [];
    this.history.dispose();
  }

  private secretsOf({
    server,
    tool,
    arguments: values,
    schema,
  }: Pick<FinishedRun, 'server' | 'tool' | 'arguments' | 'schema'>): {
    secretArguments: ReadonlySet<string>;
    secrets: string[];
  } {
    const names = secretArguments(schema ?? this.listed(server, tool)?.inputSchema, values);
    const typed = [...names]
      .map((name) => values[name])
      .filter((value): value is string => typeof value === 'string' && value.length >= minSecretLength);
    return { secretArguments: names, secrets: [...this.servers.secretValues(server), ...typed] };
  }

  /** A tool as its server lists it now. */
  private listed(server: string, tool: string): Tool | undefined {
    return this.servers.get?.(server)?.features?.tools.find(({ name }) => name === tool);
  }
}

/** A kept run with its memory, in bytes. */
type WithCost<Run> = Run & { readonly cost: number };

function withCost<Run extends object>(run: Run): WithCost<Run> {
  return { ...run, cost: valueCost(run, maxKeptBytes) };
}

/** The latest runs that fit into the limits, oldest first; at least one. */
function latest<Run extends { cost: number }>(runs: readonly Run[], maxNumber: number): Run[] {
  let cost = 0;
  return runs
    .slice(-maxNumber)
    .reverse()
    .filter((run, index) => (cost += run.cost) <= maxKeptBytes || index === 0)
    .reverse();
}

const minSecretLength = 4;

function digestOf({ content, structuredContent, isError }: CallToolResult): string | undefined {
  const { text, isWhole } = beginningOf(jsonPieces({ content, structuredContent, isError }), maxDigestLength);
  return isWhole ? createHash('sha256').update(text).digest('base64') : undefined;
}
