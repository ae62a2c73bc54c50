import { visibleLine } from '../../core/base/hostileText.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import type { HostPorts } from '../../core/host/ports.js';
import { usageError } from '../cliError.js';
import { findServer, startServer, withHost } from '../cliHost.js';
import { optionNumber } from '../options.js';
import { isOnCommandLine, namelessServer, protocolOf, serverSources } from '../serverSources.js';
import type { CommandRun } from './command.js';

/**
 * Divides the arguments of a command into the name of the server and the rest. Throws a usage error if an argument is
 * missing, or if there are too many.
 */
export function serverAndWords(
  { options }: CommandRun,
  names: readonly string[],
  required: number,
): { server: string; rest: (string | undefined)[] } {
  const words = [...options.words];
  const server = isOnCommandLine(options) ? namelessServer : words.shift();
  const missing = server === undefined ? 'server' : names.slice(0, required)[words.length];
  if (server === undefined || words.length < required) throw usageError(`<${missing}> is missing. See --help.`);
  const extra = words[names.length];
  if (extra !== undefined) throw usageError(`"${visibleLine(extra, 60)}" is one argument too many. See --help.`);
  return { server, rest: names.map((_, index) => words[index]) };
}

/** Opens a host, starts a server, and stops it when `use` has ended. */
export function withServer<T>(
  run: CommandRun,
  name: string,
  use: (host: McpHost, server: string) => Promise<T>,
): Promise<T> {
  return withServers(run, async (host) => {
    const server = findServer(host, name);
    run.output.progress(`Starting ${visibleLine(server, 60)}…`);
    await startServer(host, server, run.questions, run.signal);
    run.output.clearProgress();
    return use(host, server);
  });
}

/**
 * Opens a host with the servers of the options. Starts none of them.
 * @param ports ports that replace those of the command line.
 */
export function withServers<T>(
  run: CommandRun,
  use: (host: McpHost) => Promise<T>,
  ports?: Partial<HostPorts>,
): Promise<T> {
  const { options, output, questions, folder } = run;
  if (protocolOf(options) !== undefined && !isOnCommandLine(options))
    throw usageError('--protocol needs --command or --url. For other servers, set "protocol" in their definition.');
  const seconds = optionNumber(options, 'timeout', 1, 86_400);
  const timeoutMs = seconds === undefined ? undefined : seconds * 1_000;
  return withHost({ output, questions, configuration: serverSources(options, folder), timeoutMs, ports }, use);
}
