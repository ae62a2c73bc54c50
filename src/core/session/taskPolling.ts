/**
 * Follows a tool call that became a task. In the experimental tasks of 2025-11-25, the client requests a task with
 * `params.task` and gets the result from `tasks/result`. In the 2026 extension `io.modelcontextprotocol/tasks`, the
 * server decides, and `tasks/get` contains the result.
 */
import type { Clock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { ProtocolError, ErrorCode } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { Progress } from '../protocol/mcp.js';
import type { CodecRequestOptions } from './codec.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { answerInputRequest } from './serverRequests.js';
import type { TaskNews } from './taskNews.js';

/** Limits of the poll interval that the server requests, ms. */
const minPollMs = 100;
const maxPollMs = 30_000;
const defaultPollMs = 1_000;

/**
 * Limits of the requests for input of one task: the length of a key, in UTF-16 code units, and the number of requests.
 */
const maxKeyLength = 1_000;
const maxAnswers = 1_000;

export interface TaskFollower {
  send: (method: string, params: Params, options?: CodecRequestOptions) => Promise<Result>;
  handlers: ServerRequestHandlers;
  news: TaskNews;
  /** Whether the server sends notifications of a task only on a listen stream (the extension). */
  mustListen: boolean;
  clock: Clock;
  signal: AbortSignal | undefined;
  onProgress: ((progress: Progress) => void) | undefined;
}

/**
 * Waits for the end of a task and returns the result of its call. When the signal is aborted, asks the server to cancel
 * the task and rejects with the signal's reason.
 */
export async function followTask(first: unknown, follower: TaskFollower): Promise<Result> {
  const { send, clock, signal, handlers } = follower;
  let task = readTask(first);
  const options = { name: task.taskId };
  const answered = new Set<string>();
  let polls = 0;
  const over = new AbortController();
  const watch = follower.news.follow(task.taskId);
  // A failure of this request does no harm, because the task is polled anyway.
  if (follower.mustListen)
    send(
      'subscriptions/listen',
      { notifications: { taskIds: [task.taskId] } },
      { signal: over.signal, timeoutMs: Infinity },
    ).catch(() => undefined);
  try {
    for (;;) {
      switch (task.status) {
        case 'completed':
          if (isObject(task.raw['result'])) return task.raw['result'];
          // 2025-11-25: the result is fetched with a separate request.
          return await send('tasks/result', { taskId: task.taskId }, { ...options, signal, timeoutMs: Infinity });
        case 'failed': {
          const error = task.raw['error'];
          if (isObject(error))
            throw new ProtocolError(
              typeof error['code'] === 'number' ? error['code'] : ErrorCode.internalError,
              typeof error['message'] === 'string' ? error['message'] : 'The task failed.',
              error['data'],
            );
          if ('result' in task.raw || task.raw['ttlMs'] !== undefined)
            throw new ProtocolError(ErrorCode.internalError, task.message ?? 'The task failed.');
          return await send('tasks/result', { taskId: task.taskId }, { ...options, signal });
        }
        case 'cancelled':
          throw new HostError('cancelled', 'The server canceled the task.');
        case 'input_required':
          // 2025-11-25: the server sends its questions as requests, but only after the client has requested the result.
          if (task.raw['ttlMs'] === undefined && !isObject(task.raw['inputRequests'])) {
            return await send('tasks/result', { taskId: task.taskId }, { ...options, signal, timeoutMs: Infinity });
          }
          await answerInput(task);
          break;
        default:
          break;
      }
      follower.onProgress?.({ progress: ++polls, ...(task.message === undefined ? {} : { message: task.message }) });
      await watch.pause(clock, { leastMs: minPollMs, ms: task.pollMs }, signal);
      task = readTask(await send('tasks/get', { taskId: task.taskId }, { ...options, signal }));
    }
  } catch (error) {
    if (signal?.aborted) {
      // Cancellation is cooperative: the server may finish the task anyway, so the response is ignored.
      send('tasks/cancel', { taskId: task.taskId }, options).catch(() => undefined);
    }
    throw error;
  } finally {
    watch.dispose();
    over.abort(new Error('The task has ended.'));
  }

  /**
   * Answers the questions of a task of the 2026 extension. They are part of the task, and `tasks/update` answers each
   * key once.
   */
  async function answerInput(waiting: Task): Promise<void> {
    const requests = waiting.raw['inputRequests'];
    if (!isObject(requests)) return;
    const fresh = Object.entries(requests)
      .filter(([key]) => !answered.has(key) && key.length <= maxKeyLength && answered.size < maxAnswers)
      .slice(0, 32);
    if (fresh.length === 0) return;
    const abort = signal ?? new AbortController().signal;
    const responses = await Promise.all(
      fresh.map(async ([key, request]): Promise<[string, unknown]> => {
        answered.add(key);
        if (!isObject(request) || typeof request['method'] !== 'string')
          throw new HostError('invalid-message', 'The task asks for input but does not specify what to ask for.', {
            data: { problem: 'task-input' },
          });
        return [
          key,
          await answerInputRequest(
            request['method'],
            isObject(request['params']) ? request['params'] : {},
            handlers,
            abort,
            key,
          ),
        ];
      }),
    );
    await send(
      'tasks/update',
      { taskId: waiting.taskId, inputResponses: Object.fromEntries(responses) },
      { ...options, signal },
    );
  }
}

interface Task {
  taskId: string;
  status: string;
  message: string | undefined;
  pollMs: number;
  raw: Result;
}

/** Reads a task, in the wrapped format of 2025-11-25 or in the flat format of the extension. */
function readTask(value: unknown): Task {
  const raw = isObject(value) && isObject(value['task']) ? value['task'] : value;
  if (!isObject(raw) || typeof raw['taskId'] !== 'string' || typeof raw['status'] !== 'string') {
    throw new HostError('invalid-message', 'The server answered with a task that has no ID or no status.', {
      data: { problem: 'task' },
    });
  }
  const requested = raw['pollIntervalMs'] ?? raw['pollInterval'];
  const message = raw['statusMessage'];
  return {
    taskId: raw['taskId'],
    status: raw['status'],
    message: typeof message === 'string' ? visibleLine(message) : undefined,
    pollMs:
      typeof requested === 'number' && requested > 0
        ? Math.min(Math.max(requested, minPollMs), maxPollMs)
        : defaultPollMs,
    raw,
  };
}
