/**
 * Handles requests that a server asks the client to run as tasks (specification 2025-11-25, experimental tasks). The
 * user may need minutes for sampling and elicitation, so the server gets a task ID at once and requests the state
 * later.
 */
import { isObject } from '../base/guards.js';
import { isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { ServerRequestHandlers } from './serverRequests.js';

/** Maximum number of tasks kept at once; more are refused. */
const maxTasks = 32;
const maxTtlMs = 3_600_000;
/**
 * Maximum memory of the parameters of working tasks together, bytes. They are held until the work ends, although the
 * request is answered at once, so that they no longer count as an open request (security requirement X6).
 */
const maxWorkingBytes = 64 * 1024 * 1024;

interface ClientTask {
  taskId: string;
  status: 'working' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttl: number;
  pollInterval: number;
  outcome: Promise<Result>;
  abort: AbortController;
}

export class ClientTasks {
  private readonly tasks = new Map<string, ClientTask>();
  private nextId = 1;
  /** Memory of the parameters of working tasks, bytes. */
  private workingBytes = 0;

  /** @param notify receives the parameters of `notifications/tasks/status`. */
  constructor(private readonly notify: (task: Params) => void) {}

  /** The capability to declare for these handlers; undefined if none of them can run as a task. */
  static capability(handlers: ServerRequestHandlers): Record<string, unknown> | undefined {
    const requests = {
      ...(handlers.createMessage ? { sampling: { createMessage: {} } } : {}),
      ...(handlers.elicit ? { elicitation: { create: {} } } : {}),
    };
    return Object.keys(requests).length === 0 ? undefined : { list: {}, cancel: {}, requests };
  }

  /**
   * Starts the work and returns the task at once.
   * @param params the parameters of the request, with the options of the task in `task`.
   */
  start(params: Params, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.dropExpired();
    if (this.tasks.size >= maxTasks)
      throw new ProtocolError(ErrorCode.internalError, 'Too many tasks are open at once.');
    const bytes = valueCost(params, maxWorkingBytes);
    if (this.workingBytes + bytes > maxWorkingBytes)
      throw new ProtocolError(ErrorCode.internalError, 'The open tasks are too large together.');
    const asked = isObject(params['task']) ? params['task']['ttl'] : undefined;
    const now = new Date().toISOString();
    const abort = new AbortController();
    const task: ClientTask = {
      taskId: `deck-${this.nextId++}-${Math.random().toString(36).slice(2, 10)}`,
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttl: typeof asked === 'number' && asked > 0 ? Math.min(asked, maxTtlMs) : maxTtlMs,
      pollInterval: 500,
      outcome: work(abort.signal),
      abort,
    };
    this.tasks.set(task.taskId, task);
    this.workingBytes += bytes;
    const release = () => {
      this.workingBytes -= bytes;
    };
    task.outcome.then(release, release);
    task.outcome.then(
      () => this.finish(task, 'completed'),
      (error: unknown) =>
        this.finish(
          task,
          isCancelled(error) ? 'cancelled' : 'failed',
          error instanceof ProtocolError ? error.message : undefined,
        ),
    );
    return Promise.resolve({ task: describe(task) });
  }

  /** Answers `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel` for these tasks. */
  async answer(method: string, params: Params): Promise<Result> {
    this.dropExpired();
    if (method === 'tasks/list') return { tasks: [...this.tasks.values()].map(describe) };
    const task = this.tasks.get(String(params['taskId']));
    if (!task) throw new ProtocolError(ErrorCode.invalidParams, 'Unknown task.');
    switch (method) {
      case 'tasks/get':
        return describe(task);
      case 'tasks/result': {
        const result = await task.outcome;
        const meta = isObject(result['_meta']) ? result['_meta'] : {};
        return { ...result, _meta: { ...meta, 'io.modelcontextprotocol/related-task': { taskId: task.taskId } } };
      }
      case 'tasks/cancel':
        if (task.status !== 'working') throw new ProtocolError(ErrorCode.invalidParams, 'The task has already ended.');
        this.finish(task, 'cancelled');
        task.abort.abort(new ProtocolError(ErrorCode.invalidRequest, 'The server canceled the task.'));
        return describe(task);
      default:
        throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${visibleLine(method, 100)}`);
    }
  }

  dispose(): void {
    for (const task of this.tasks.values())
      task.abort.abort(new ProtocolError(ErrorCode.internalError, 'The session ended.'));
    this.tasks.clear();
  }

  private finish(task: ClientTask, status: ClientTask['status'], statusMessage?: string): void {
    if (task.status !== 'working') return;
    task.status = status;
    task.lastUpdatedAt = new Date().toISOString();
    if (statusMessage !== undefined) task.statusMessage = statusMessage;
    this.notify(describe(task));
  }

  private dropExpired(): void {
    for (const task of this.tasks.values()) {
      if (task.status !== 'working' && Date.now() - Date.parse(task.createdAt) > task.ttl)
        this.tasks.delete(task.taskId);
    }
  }
}

function describe(task: ClientTask): Result {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval } = task;
  return {
    taskId,
    status,
    createdAt,
    lastUpdatedAt,
    ttl,
    pollInterval,
    ...(statusMessage === undefined ? {} : { statusMessage }),
  };
}
