import { visibleLine } from '../../core/base/hostileText.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import type { Drift } from '../../core/testing/checks/lock/lockDrift.js';
import { runAtOnce } from '../../core/base/timeSlice.js';
import { driftOf } from '../../core/testing/checks/lock/lockDrift.js';
import type { LockedServer, LockFile } from '../../core/testing/checks/lock/lockModel.js';
import { lockedServer, lockPath } from '../../core/testing/checks/lock/lockModel.js';
import { LockError, readLock, writeLock } from '../../core/testing/checks/lock/lockStore.js';
import type { ExitCode } from '../cliError.js';
import { CliError, usageError } from '../cliError.js';
import { findServer, startServer } from '../cliHost.js';
import type { CliOption } from '../options.js';
import { serverOptions } from '../options.js';
import { isOnCommandLine } from '../serverSources.js';
import type { Command, CommandRun } from './command.js';
import { withServers } from './serverCommand.js';

const options: Readonly<Record<string, CliOption>> = {
  check: { help: 'Compare with the lock file instead of writing it. Ends with 1 if something differs.' },
  config: serverOptions.config,
  timeout: serverOptions.timeout,
  yes: serverOptions.yes,
};

export const lockCommand: Command = {
  words: '[servers]',
  help: `Record the tools of servers in ${lockPath}, or compare them with this file. Without names: all servers.`,
  options,
  examples: ['mcp-deck lock --yes', 'mcp-deck lock calculator --yes', 'mcp-deck lock --check --yes'],
  run: async (run) => {
    if (isOnCommandLine(run.options))
      throw usageError('The lock file records only servers from files. Remove --command and --url.');
    return withServers(run, (host) => lockServers(run, host)).catch((error: unknown) => {
      throw error instanceof LockError ? new CliError(2, 'lock-file', error.message) : error;
    });
  },
};

async function lockServers(run: CommandRun, host: McpHost): Promise<ExitCode> {
  const { options: parsed, output, folder } = run;
  const isCheck = parsed.values['check'] === true;
  const lock = await readLock(folder);
  const configured = host.servers
    .list()
    .filter(({ entry }) => entry.isEnabled)
    .map(({ id }) => id);
  const all = isCheck
    ? configured.concat(Object.keys(lock.servers).filter((id) => !configured.includes(id)))
    : configured;
  const names =
    parsed.words.length > 0
      ? parsed.words.map((name) => (isCheck && Object.hasOwn(lock.servers, name) ? name : findServer(host, name)))
      : all;
  if (names.length === 0)
    throw usageError('There are no enabled servers. Default files: .vscode/mcp.json, .mcp.json, and mcp.json.');
  const current = new Map<string, LockedServer>();
  for (const name of names) if (configured.includes(name)) current.set(name, await recordServer(run, host, name));
  const drift = names.flatMap((name) => {
    const locked = Object.hasOwn(lock.servers, name) ? lock.servers[name] : undefined;
    const now = current.get(name);
    return now ? runAtOnce(driftOf(name, locked, now)) : [goneServer(name)];
  });
  if (isCheck) return report(run, drift);
  // A server that is no longer configured leaves the file when all servers are locked.
  const kept = parsed.words.length > 0 ? lock.servers : {};
  const next: LockFile = { version: lock.version, servers: { ...kept, ...Object.fromEntries(current) } };
  await writeLock(folder, next);
  if (output.isJson) output.json({ ok: true, file: lockPath, servers: [...current.keys()], drift });
  else {
    drawDrift(run, drift);
    output.line(`${lockPath} has ${Object.keys(next.servers).length} servers.`);
  }
  return 0;
}

async function recordServer(
  { output, questions, signal }: CommandRun,
  host: McpHost,
  id: string,
): Promise<LockedServer> {
  output.progress(`Starting ${visibleLine(id, 60)}…`);
  await startServer(host, id, questions, signal);
  output.clearProgress();
  const features = host.servers.get(id)?.features;
  if (!features)
    throw new CliError(2, 'stopped', `The server "${visibleLine(id, 60)}" stopped before it was recorded.`);
  const [failed] = features.failedLists ?? [];
  if (failed)
    throw new CliError(
      2,
      'list-failed',
      `"${visibleLine(id, 60)}" could not list its ${failed.list}: ${failed.reason}`,
    );
  return runAtOnce(lockedServer(features, host.servers.secretValues(id)));
}

function goneServer(server: string): Drift {
  const message = `The server "${visibleLine(server, 60)}" is in the lock file, but is not configured.`;
  return { server, kind: 'removed', item: 'server', name: server, message };
}

function report(run: CommandRun, drift: readonly Drift[]): ExitCode {
  const { output } = run;
  const ok = drift.length === 0;
  if (output.isJson) output.json({ ok, file: lockPath, drift });
  else {
    drawDrift(run, drift);
    output.line(ok ? `Everything matches ${lockPath}.` : 'Check the changes, and run "mcp-deck lock" to accept them.');
  }
  return ok ? 0 : 1;
}

const marks = { added: ['+', 'green'], removed: ['-', 'red'], changed: ['~', 'yellow'] } as const;

function drawDrift({ output }: CommandRun, drift: readonly Drift[]): void {
  for (const { server, kind, message } of drift) {
    const [mark, style] = marks[kind];
    output.line(`${output.style(mark, style)} ${visibleLine(server, 60)}: ${message}`);
  }
}
