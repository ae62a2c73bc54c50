import { ProtocolError } from '../../../protocol/jsonRpc.js';
import { isObject } from '../../../base/guards.js';
import type { CallOptions, ServerView, WrittenRequest } from '../../../catalog/hostTypes.js';
import type { LintSubject, ServerProbes } from './lintRule.js';

/** The lists of a running server, for the rules. They are empty if the server is not running. */
export function lintSubject(view: ServerView, probes?: ServerProbes): LintSubject {
  const { id, features } = view;
  return {
    server: id,
    instructions: features?.identity.instructions,
    tools: features?.tools ?? [],
    resources: features?.resources ?? [],
    resourceTemplates: features?.resourceTemplates ?? [],
    prompts: features?.prompts ?? [],
    failedLists: features?.failedLists ?? [],
    probes,
  };
}

/** A name that no tool has. */
const unknownTool = 'no_such_tool_for_checks';

/** The part of the host that sends the probing requests. */
export interface ProbedCalls {
  sendRequest(request: WrittenRequest, options?: CallOptions): Promise<unknown>;
}

interface ProbeOptions {
  /** Limit of each request, in milliseconds. Default 10,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Whether to call a tool that does not exist. The call is recorded like any other. Default true. */
  isCalling?: boolean;
}

/** Sends requests that run no tool: lists the tools twice, and calls a tool that does not exist. */
export async function probeServer(
  calls: ProbedCalls,
  server: string,
  { timeoutMs = 10_000, signal, isCalling = true }: ProbeOptions,
): Promise<ServerProbes> {
  const options: CallOptions = { timeoutMs, ...(signal ? { signal } : {}) };
  const firstOrder = await listedNames(calls, server, options);
  const secondOrder = await listedNames(calls, server, options);
  signal?.throwIfAborted();
  const unknownTool = isCalling ? await answerToUnknownTool(calls, server, options) : 'notTried';
  return { firstOrder, secondOrder, unknownTool };
}

async function listedNames(calls: ProbedCalls, server: string, options: CallOptions): Promise<string[]> {
  try {
    const result = await calls.sendRequest({ server, method: 'tools/list' }, options);
    const tools = isObject(result) && Array.isArray(result['tools']) ? result['tools'] : [];
    return tools.map((tool: unknown) => (isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : ''));
  } catch {
    // The rule `list-failed` reports lists that fail, so the error is ignored here.
    return [];
  }
}

async function answerToUnknownTool(
  calls: ProbedCalls,
  server: string,
  options: CallOptions,
): Promise<ServerProbes['unknownTool']> {
  const params = { name: unknownTool, arguments: {} };
  try {
    const result = await calls.sendRequest({ server, method: 'tools/call', params }, options);
    if (!isObject(result) || result['isError'] !== true) return 'success';
    return hasText(result['content']) ? 'error' : 'errorWithoutText';
  } catch (error) {
    if (error instanceof ProtocolError) return error.message.trim() === '' ? 'errorWithoutText' : 'error';
    return 'noAnswer';
  }
}

/** Whether the content of a result has a text that is not empty. */
function hasText(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.some(
      (block: unknown) => isObject(block) && typeof block['text'] === 'string' && block['text'].trim() !== '',
    )
  );
}
