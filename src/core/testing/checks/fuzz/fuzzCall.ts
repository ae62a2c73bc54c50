import { HostError, isCancelled } from '../../../base/hostError.js';
import type { HostApi } from '../../../host/hostApi.js';
import { failureText } from '../../../present/failure/failureText.js';
import { ProtocolError } from '../../../protocol/jsonRpc.js';
import type { FuzzOutcome } from './fuzzServer.js';

/** Time limit of one call, in milliseconds. */
const callMs = 10_000;

/** Errors of a call whose server ended, or whose connection was lost. */
const ends: ReadonlySet<string> = new Set(['exited', 'closed', 'connection-lost', 'not-running']);

/**
 * Calls a tool of a running server once, with generated arguments. Rejects if the signal is aborted, or if the call
 * failed for a reason other than the server, for example because a rule denies the call.
 */
export async function fuzzCall(
  { servers, calls }: Pick<HostApi, 'servers' | 'calls'>,
  call: { server: string; tool: string; arguments: Record<string, unknown> },
  signal: AbortSignal,
): Promise<FuzzOutcome> {
  const { server } = call;
  let outputProblems: readonly string[] = [];
  try {
    const result = await calls.runTool(call, {
      caller: 'script',
      isApi: true,
      signal,
      timeoutMs: callMs,
      onOutputProblems: (problems) => (outputProblems = problems),
    });
    const hasText = result.content.some((block) => block.type === 'text' && block.text.trim() !== '');
    return { kind: 'result', isError: result.isError === true, hasText, outputProblems };
  } catch (error) {
    if (signal.aborted || isCancelled(error)) throw error;
    if (error instanceof ProtocolError) return { kind: 'refused', code: error.code, message: error.message };
    if (error instanceof HostError && error.code === 'timeout') return { kind: 'hung' };
    const isEnd = error instanceof HostError && ends.has(error.code);
    if (servers.get(server)?.state.kind !== 'running' || isEnd)
      return { kind: 'crashed', message: failureText(error, server).what };
    throw error;
  }
}
