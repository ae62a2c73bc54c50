import { randomBytes } from 'node:crypto';
import { logEntry } from '../core/base/hostileText.js';
import type { Log } from '../core/base/log.js';
import { HttpFront } from '../core/serving/httpFront.js';
import { isToken } from '../core/serving/httpGuards.js';
import { LineTransport } from '../core/serving/lineTransport.js';
import type { LoopbackOptions } from '../core/serving/loopbackHttp.js';
import type { McpServer } from '../core/serving/mcpServer.js';
import { SseFront } from '../core/serving/sseFront.js';
import { WebSocketFront } from '../core/serving/webSocketFront.js';
import { usageError } from './cliError.js';
import type { CommandRun } from './commands/command.js';
import type { CliOption, ParsedOptions } from './options.js';
import { optionNumber, optionText } from './options.js';
import type { Output } from './output.js';

/** Maximum size of a message of a client, bytes. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Options of the commands that serve clients. */
export const servingOptions = {
  transport: {
    value: 'NAME',
    help: 'stdio (default), http, sse (HTTP+SSE, for clients of versions up to 2025-11-25), or ws (WebSocket).',
  },
  port: { value: 'N', help: 'The port on 127.0.0.1, except for stdio. Default: any free port.' },
  token: { value: 'TEXT', help: 'The bearer token that clients need, except for stdio. Default: a random one.' },
} satisfies Record<string, CliOption>;

/** The fronts by the name of the transport; clients on the standard streams need none. */
const fronts = {
  http: (options: LoopbackOptions) => new HttpFront(options),
  sse: (options: LoopbackOptions) => new SseFront(options),
  ws: (options: LoopbackOptions) => new WebSocketFront(options),
} as const;

/** A log that writes warnings and errors to stderr, because stdout belongs to the clients. */
export function servingLog(output: Output): Log {
  return {
    write: (level, line) => {
      if (level === 'warn' || level === 'error' || output.isVerbose) output.note(`${level} ${logEntry(line)}`);
    },
  };
}

/**
 * Serves clients until the signal is aborted, or until the client on the standard streams has closed them. Throws a
 * usage error for wrong options.
 */
export async function serveClients(server: McpServer, { options, output, signal }: CommandRun): Promise<void> {
  const port = optionNumber(options, 'port', 0, 65_535);
  const given = optionText(options, 'token');
  const transport = transportOf(options);
  if (transport === 'stdio' && (port !== undefined || given !== undefined))
    throw usageError('--port and --token need --transport http, sse, or ws.');
  if (given !== undefined && !isToken(given))
    throw usageError('--token must consist of visible ASCII characters without spaces, and must not be empty.');
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  if (transport === 'stdio') {
    const streams = new LineTransport(process.stdin, process.stdout, {
      maxBytes: maxMessageBytes,
      release: () => void process.stdin.pause(),
    });
    const closed = new Promise<void>((resolve) => void server.connect(streams, resolve));
    await Promise.race([closed, ended]);
    return;
  }
  const token = given ?? randomBytes(24).toString('base64url');
  const front = fronts[transport]({
    server,
    token,
    maxBodyBytes: maxMessageBytes,
    log: servingLog(output),
    ...(port === undefined ? {} : { port }),
  });
  const { url } = await front.listen().catch((error: unknown) => {
    throw usageError(`The port ${port ?? 0} cannot be opened: ${(error as Error).message}`);
  });
  process.stdout.write(`${JSON.stringify({ ok: true, url, token })}\n`);
  await ended;
  await front.close();
}

/** The transport that the options name. */
function transportOf(options: ParsedOptions): 'stdio' | keyof typeof fronts {
  const named = optionText(options, 'transport') ?? 'stdio';
  if (named !== 'stdio' && named !== 'http' && named !== 'sse' && named !== 'ws')
    throw usageError('--transport must be stdio, http, sse, or ws.');
  return named;
}
