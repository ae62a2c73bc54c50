import { randomInt } from 'node:crypto';
import { visibleLine } from '../core/base/hostileText.js';
import type { McpHost } from '../core/host/mcpHost.js';
import type { Tool } from '../core/protocol/mcp.js';
import { fuzzCall } from '../core/testing/checks/fuzz/fuzzCall.js';
import type { FuzzFinding } from '../core/testing/checks/fuzz/fuzzServer.js';
import { fuzzServer, onlyReads } from '../core/testing/checks/fuzz/fuzzServer.js';
import type { CommandRun } from './commands/command.js';
import { usageError } from './cliError.js';
import { startServer } from './cliHost.js';
import { optionNumber } from './options.js';

/** The findings of calls with generated arguments. */
export interface FuzzRun {
  seed: number;
  /** Number of tools that were called. */
  called: number;
  /** Number of tools that were not called, because they may change something. */
  skipped: number;
  findings: readonly FuzzFinding[];
}

/**
 * Calls the tools of a running server with generated arguments: those that only read, or all with `--fuzz-all`, which
 * needs `--yes`.
 */
export async function fuzzRun(run: CommandRun, host: McpHost, server: string): Promise<FuzzRun> {
  const { options, output, questions, signal } = run;
  const { fuzzArguments } = await import('../core/testing/checks/fuzz/fuzzArguments.js');
  const all = host.servers.get(server)?.features?.tools ?? [];
  const isAll = options.values['fuzz-all'] === true;
  const reading = all.filter((tool) => onlyReads(tool));
  if (isAll && options.values['yes'] !== true) throw needsYes(all.filter((tool) => !reading.includes(tool)));
  const tools = isAll ? all : reading;
  const seed = optionNumber(options, 'seed', 0, 2 ** 31 - 1) ?? randomInt(2 ** 31 - 1);
  const findings = await fuzzServer(tools, {
    seed,
    runs: optionNumber(options, 'runs', 1, 10_000) ?? 50,
    signal,
    generate: fuzzArguments,
    onTool: (tool) => output.progress(`Calling ${visibleLine(tool, 60)}…`),
    call: async (tool, values) => {
      if (host.servers.get(server)?.state.kind !== 'running') await startServer(host, server, questions, signal);
      return fuzzCall(host, { server, tool, arguments: values }, signal);
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
