/**
 * The gateway without a window, as `dist/gateway.mjs` and as `mcp-deck gateway`:
 *
 *     mcp-deck gateway --config FILE [--port N] [--token T] [--state-seconds N] [--stdio]
 *
 * Serves all servers of the file at http://127.0.0.1:<port>/mcp and prints one line with the URL and the token, or,
 * with `--stdio`, serves the client on its standard streams. The command line is the consent: servers start without a
 * question, and tools run without one unless a rule of the file denies the call.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../core/base/clock.js';
import { messageOf } from '../core/base/hostError.js';
import { logEntry } from '../core/base/hostileText.js';
import type { Log } from '../core/base/log.js';
import type { ConfigurationSource } from '../core/config/configurationSource.js';
import type { ConfigSource } from '../core/config/serverDefinition.js';
import { Gateway } from '../core/gateway/gateway.js';
import { McpHost } from '../core/host/mcpHost.js';
import { ToolSwitches } from '../core/presets/toolSwitches.js';
import { HttpFront } from '../core/serving/httpFront.js';
import { isToken } from '../core/serving/httpGuards.js';
import { LineTransport } from '../core/serving/lineTransport.js';
import { ConfigurationFile } from './configurationFile.js';
import { lazyChecks } from './lazyChecks.js';
import { usageError, version } from './cliError.js';
import type { CliOption, ParsedOptions } from './options.js';
import { optionText } from './options.js';
import { programConsent } from './programConsent.js';
import { programPorts, refusedQuestions } from './programPorts.js';
import { openStoredNames } from './storedNames.js';

/** Maximum time that the first clients wait for servers that are starting, ms. */
const startPatienceMs = 3_000;

/** Maximum size of a request, bytes. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Maximum size of a message on the standard streams, bytes. */
const maxMessageBytes = 64 * 1024 * 1024;

const usage = 'Usage: mcp-deck gateway --config FILE [--port N] [--token T] [--state-seconds N] [--stdio]';

/** The options of `mcp-deck gateway`, which `dist/gateway.mjs` has as well. */
export const gatewayOptions = {
  config: { value: 'FILE', help: 'The file with the servers, such as mcp.json. Required.' },
  port: { value: 'N', help: 'The port. Default: any free port.' },
  token: { value: 'TEXT', help: 'The bearer token that clients need. Default: a random one.' },
  'state-seconds': {
    value: 'N',
    help: 'How long a client of 2026-07-28 may take to answer a question, in seconds. Default: 600.',
  },
  stdio: { help: 'Serve one client on the standard streams instead of HTTP.' },
} satisfies Record<string, CliOption>;

interface Options {
  config: string;
  port: number;
  token: string;
  stateLifetimeMs: number;
  isStdio: boolean;
}

/** Throws a usage error for a value that is missing or wrong, and for arguments that are not options. */
function optionsOf(parsed: ParsedOptions): Options {
  const config = optionText(parsed, 'config');
  const token = optionText(parsed, 'token');
  const port = Number(optionText(parsed, 'port') ?? 0);
  const stateSeconds = Number(optionText(parsed, 'state-seconds') ?? 600);
  if (parsed.words.length > 0)
    throw usageError(`This command takes only options. Name the file with --config. ${usage}`);
  if (config === undefined) throw usageError(`--config is missing. ${usage}`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usageError(`--port must be a number from 0 to 65535. ${usage}`);
  if (token !== undefined && !isToken(token))
    throw usageError(
      `--token must consist of visible ASCII characters without spaces, and must not be empty. ${usage}`,
    );
  if (!(stateSeconds > 0)) throw usageError(`--state-seconds must be a number above 0. ${usage}`);
  return {
    config,
    port,
    token: token ?? randomBytes(24).toString('base64url'),
    stateLifetimeMs: stateSeconds * 1_000,
    isStdio: parsed.values['stdio'] === true,
  };
}

/** Stdout is used for the protocol or for the one line with the URL, so the log goes to stderr. */
function openLog(isVerbose: boolean): Log {
  return {
    write: (level, line) =>
      (isVerbose || (level !== 'debug' && level !== 'trace')) && process.stderr.write(`${level} ${logEntry(line)}\n`),
  };
}

/** The servers are treated like those of the user settings, because the user named the file on the command line. */
function userConfiguration(config: ConfigurationFile): ConfigurationSource {
  const source: ConfigSource = { id: `user:${config.file}`, kind: 'user', label: path.basename(config.file) };
  return { read: async () => [{ source, text: await config.read() }], onDidChange: config.onDidChange };
}

/** Runs the gateway until it is ended by a signal, or by the end of its input with `--stdio`. */
export async function runGateway(parsed: ParsedOptions): Promise<void> {
  // V8 allocates objects of busy code among the old objects, where the objects of ended calls stay until the next full
  // collection, with everything that they refer to. Without this, garbage collection takes half as long.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const log = openLog(parsed.values['verbose'] === true);
  // One failed task must not end the program, which other servers and clients use.
  process.on('unhandledRejection', (reason) => log.write('error', `Internal error: ${messageOf(reason)}`));
  const options = optionsOf(parsed);
  const checks = lazyChecks();
  const config = new ConfigurationFile(path.resolve(options.config));
  const configuration = userConfiguration(config);
  const consent = programConsent(() => config.rules);
  const ports = { ...programPorts({ configuration, version, log, consent }), ...refusedQuestions };
  // Without a `ToolSwitches`, the host would ignore the `disabledTools` of a definition.
  const host = new McpHost(ports, { checkOutput: checks, switches: new ToolSwitches(ports.state) });
  await host.open();
  config.watch();
  const problem = host.servers.problems().flatMap(({ problems }) => problems)[0];
  if (problem) log.write('warn', problem.message);
  const names = await openStoredNames(config.file, log);
  const gateway = new Gateway({
    host,
    names,
    info: { name: 'mcp-deck', title: 'MCP Deck', version },
    log,
    validate: checks,
    stateLifetimeMs: options.stateLifetimeMs,
    // Questions reach the ports of the program, which answer them without a user: the command line approves every
    // start, and inputs are environment variables.
    mayAsk: true,
  });
  const front = new HttpFront({
    server: gateway.server,
    port: options.port,
    token: options.token,
    maxBodyBytes,
    maxSessions: 1_000,
    log,
  });
  const end = async () => {
    config.dispose();
    if (!options.isStdio) await front.close();
    gateway.dispose();
    await Promise.all([host.close(), names.written()]);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end());
  const patience = new Promise<void>((resolve) => systemClock.after(startPatienceMs, resolve));
  host.servers.onDidChange(({ server }) => server === undefined && void gateway.startServers());
  await Promise.race([gateway.startServers(), patience]);
  if (options.isStdio) {
    const streams = new LineTransport(process.stdin, process.stdout, {
      maxBytes: maxMessageBytes,
      release: () => void process.stdin.pause(),
    });
    await gateway.server.connect(streams, () => void end());
    return;
  }
  const { url } = await front.listen();
  process.stdout.write(`${JSON.stringify({ ok: true, url, token: options.token })}\n`);
}
