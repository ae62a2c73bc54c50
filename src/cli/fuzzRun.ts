import { randomInt } from 'node:crypto';
import { HostError, isCancelled } from '../core/base/hostError.js';
import { visibleLine } from '../core/base/hostileText.js';
import type { McpHost } from '../core/host/mcpHost.js';
import { failureText } from '../core/present/failure/failureText.js';
import type { Tool } from '../core/protocol/mcp.js';
import { ProtocolError } from '../core/protocol/jsonRpc.js';
import type { FuzzFinding, FuzzOutcome } from '../core/testing/checks/fuzz/fuzzServer.js';
import type { CommandRun } from './commands/command.js';
import { usageError } from './cliError.js';
import { startServer } from './cliHost.js';
import { numberOf } from './options.js';

/** Time limit of one call, in milliseconds. */
const callMs = 10_000;

/** The findings of calls with generated arguments. */
export interface FuzzRun {
  seed: number;
  /** Numbers of tools that were called, and that were not because they may change something. */
  called: number;
  skipped: number;
  findings: readonly FuzzFinding[];
}

/**
 * Calls the tools of a running server with generated arguments: those that only read, or all with `--fuzz-all`, which
 * needs `--yes`.
 */
export async function fuzzRun(run: CommandRun, host: McpHost, server: string): Promise<FuzzRun> {
  const { options, output, questions, signal } = run;
  const { fuzzServer, onlyReads } = await import('../core/testing/checks/fuzz/fuzzServer.js');
  const all = host.servers.get(server)?.features?.tools ?? [];
  const isAll = options.values['fuzz-all'] === true;
  const reading = all.filter((tool) => onlyReads(tool));
  if (isAll && options.values['yes'] !== true) throw needsYes(all.filter((tool) => !reading.includes(tool)));
  const tools = isAll ? all : reading;
  const seed = numberOf(options, 'seed', 0, 2 ** 31 - 1) ?? randomInt(2 ** 31 - 1);
  const findings = await fuzzServer(tools, {
    seed,
    runs: numberOf(options, 'runs', 1, 10_000) ?? 50,
    signal,
    onTool: (tool) => output.progress(`Calling ${visibleLine(tool, 60)}…`),
    call: async (tool, values) => {
      if (host.servers.get(server)?.state.kind !== 'running') await startServer(host, server, questions, signal);
      return outcomeOf(host, server, tool, values, signal);
    },
  });
  output.clearProgress();
  return { seed, called: tools.length, skipped: all.length - tools.length, findings };
}

function needsYes(tools: readonly Tool[]): Error {
  const names = tools.slice(0, 10).map(({ name }) => visibleLine(name, 60));
  const more = tools.length > names.length ? `, and ${tools.length - names.length} more` : '';
  return usageError(
    `These tools may change something: ${names.join(', ')}${more}. Add --yes to call them with generated arguments.`,
  );
}

async function outcomeOf(
  host: McpHost,
  server: string,
  tool: string,
  values: Record<string, unknown>,
  signal: AbortSignal,
): Promise<FuzzOutcome> {
  let outputProblems: readonly string[] = [];
  try {
    const result = await host.calls.runTool(
      { server, tool, arguments: values },
      {
        caller: 'script',
        isApi: true,
        signal,
        timeoutMs: callMs,
        onOutputProblems: (problems) => (outputProblems = problems),
      },
    );
    const hasText = result.content.some((block) => block.type === 'text' && block.text.trim() !== '');
    return { kind: 'result', isError: result.isError === true, hasText, outputProblems };
  } catch (error) {
    if (signal.aborted || isCancelled(error)) throw error;
    if (error instanceof ProtocolError) return { kind: 'refused', code: error.code, message: error.message };
    if (error instanceof HostError && error.code === 'timeout') return { kind: 'hung' };
    if (host.servers.get(server)?.state.kind !== 'running' || isEnd(error))
      return { kind: 'crashed', message: failureText(error, server).what };
    throw error;
  }
}

function isEnd(error: unknown): boolean {
  return error instanceof HostError && ['exited', 'closed', 'connection-lost', 'not-running'].includes(error.code);
}
