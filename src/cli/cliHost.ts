import { LocalLock } from '../core/auth/authLock.js';
import { LoopbackReceiver } from '../core/auth/loopbackReceiver.js';
import { neverEvent } from '../core/base/event.js';
import { HostError, isCancelled, messageOf } from '../core/base/hostError.js';
import { logEntry, visibleLine } from '../core/base/hostileText.js';
import { nearestName } from '../core/base/editDistance.js';
import type { ConfigurationSource } from '../core/config/configurationSource.js';
import type { HostPorts } from '../core/host/ports.js';
import { McpHost } from '../core/host/mcpHost.js';
import { failureLines, failureText } from '../core/present/failure/failureText.js';
import { ToolSwitches } from '../core/presets/toolSwitches.js';
import { CliError, usageError, version } from './cliError.js';
import { lazyChecks } from './lazyChecks.js';
import { openBrowser } from './openBrowser.js';
import type { Output } from './output.js';
import { programConsent } from './programConsent.js';
import { programPorts } from './programPorts.js';
import type { Questions } from './questions.js';

/** Maximum number of lines of the server's error output that a failure shows. */
const maxErrorLines = 20;

export interface CliHostOptions {
  output: Output;
  questions: Questions;
  configuration: ConfigurationSource;
  /** Time limit of a request, in milliseconds. Default 60,000. */
  timeoutMs?: number | undefined;
  /** Ports that replace those of the command line. */
  ports?: Partial<HostPorts> | undefined;
}

/** The ports of a host for the command line: questions go to the terminal, and nothing is stored. */
export function cliPorts({ output, questions, configuration, timeoutMs }: CliHostOptions): HostPorts {
  const log: HostPorts['log'] = {
    write: (level, line) => output.isVerbose && output.note(`${level} ${logEntry(line)}`),
  };
  const ports = programPorts({
    configuration,
    version,
    log,
    consent: programConsent(() => undefined),
    settings: {
      restartOnCrash: false,
      ...(timeoutMs === undefined ? {} : { requestTimeoutMs: timeoutMs }),
    },
  });
  const tokens = new Map<string, string>();
  return {
    ...ports,
    serverLog: (entry) => ({
      write: (level, line) => log.write(level, `[${entry.id}] ${line}`),
      level: () => 'debug',
      onDidChangeLevel: neverEvent,
    }),
    trust: { ...ports.trust, confirmStart: (entry, description) => questions.confirmStart(entry, description) },
    inputs: { ask: async (input) => questions.input(input) },
    signIn: () =>
      Promise.resolve({
        secrets: {
          get: (key) => Promise.resolve(tokens.get(key)),
          set: (key, value) => Promise.resolve(void tokens.set(key, value)),
          delete: (key) => Promise.resolve(void tokens.delete(key)),
          onDidChange: neverEvent,
        },
        lock: new LocalLock(),
        openBrowser: async (url, request) => {
          if (!(await questions.confirmSignIn(request))) return false;
          output.note(`Open this URL in your browser to sign in:\n${url}`);
          openBrowser(url);
          return true;
        },
        receiver: new LoopbackReceiver(),
        askClient: () => Promise.resolve(undefined),
      }),
  };
}

/** Opens a host, and closes it when `use` has ended. */
export async function withHost<T>(options: CliHostOptions, use: (host: McpHost) => Promise<T>): Promise<T> {
  const ports = { ...cliPorts(options), ...options.ports };
  const host = new McpHost(ports, { checkOutput: lazyChecks(), switches: new ToolSwitches(ports.state) });
  try {
    await host.open();
    for (const { source, problems } of host.servers.problems())
      for (const { message, position } of problems)
        options.output.note(`${source.label}:${position.line + 1}: ${visibleLine(message, 1_000)}`);
    return await use(host);
  } finally {
    await host.close();
  }
}

/**
 * Finds a server by its name. Throws CliError `unknown-server`, which names the nearest server, or else the known
 * servers or the options that name one.
 */
export function findServer(host: McpHost, name: string): string {
  const known = host.servers.list().map(({ id }) => id);
  if (known.includes(name)) return name;
  const nearest = nearestName(name, known);
  const hint =
    known.length === 0
      ? 'There are no servers. Default files: .vscode/mcp.json, .mcp.json, and mcp.json. Use --config, --command, or --url.'
      : nearest === undefined
        ? `Known servers: ${known.map((id) => visibleLine(id, 60)).join(', ')}.`
        : `Did you mean "${visibleLine(nearest, 60)}"?`;
  throw new CliError(2, 'unknown-server', `The server "${visibleLine(name, 60)}" is not known. ${hint}`);
}

/** Starts a server. A failure ends the command with exit code 2. */
export async function startServer(host: McpHost, id: string, questions: Questions, signal: AbortSignal): Promise<void> {
  try {
    await host.lifecycle.start(id, { interactive: true, signal });
  } catch (error) {
    throw startFailure(error, id, questions, host.servers.get(id)?.stderr ?? []);
  }
}

/** The failure of a start, with the reason and the last lines of the error output. */
function startFailure(error: unknown, id: string, questions: Questions, stderr: readonly string[]): CliError {
  if (error instanceof CliError) return error;
  if (isCancelled(error)) return questions.refusal ?? new CliError(2, 'cancelled', 'The command was canceled.');
  if (error instanceof HostError && error.code === 'not-trusted')
    return (
      questions.refusal ?? new CliError(2, 'not-approved', `The server "${visibleLine(id, 60)}" was not approved.`)
    );
  const { what } = failureText(error, id);
  const code = error instanceof HostError ? error.code : 'start-failed';
  return new CliError(2, code, what, failureLines(error, stderr).slice(-maxErrorLines));
}

/** The failure of a request, with exit code 1. */
export function requestFailure(error: unknown, id: string): CliError {
  if (error instanceof CliError) return error;
  const { what } = failureText(error, id);
  return new CliError(1, error instanceof HostError ? error.code : 'refused', what);
}

/** Reads a JSON object from an argument of the command line; `-` reads it from stdin. */
export async function readObject(argument: string | undefined): Promise<Record<string, unknown>> {
  if (argument === undefined) return {};
  let text = argument;
  if (argument === '-') {
    text = '';
    for await (const chunk of process.stdin) text += String(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`The arguments are not valid JSON: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError('The arguments must be a JSON object, such as {"a": 1}.');
  return value as Record<string, unknown>;
}
