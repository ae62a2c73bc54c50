import { randomBytes } from 'node:crypto';
import { logEntry } from '../core/base/hostileText.js';
import type { Log } from '../core/base/log.js';
import { HttpFront } from '../core/serving/httpFront.js';
import { isToken } from '../core/serving/httpGuards.js';
import { LineTransport } from '../core/serving/lineTransport.js';
import type { McpServer } from '../core/serving/mcpServer.js';
import { usageError } from './cliError.js';
import type { CommandRun } from './commands/command.js';
import type { Option } from './options.js';
import { optionNumber, optionText } from './options.js';
import type { Output } from './output.js';

/** Maximum size of a message of a client, bytes. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Options of the commands that serve clients. */
export const servingOptions = {
  http: { help: 'Serve HTTP at 127.0.0.1. stdout has one line with the address. Default: the standard streams.' },
  port: { value: 'N', help: 'The port for --http. Default: any free port.' },
  token: { value: 'TEXT', help: 'The bearer token that clients of --http need. Default: a random one.' },
} satisfies Record<string, Option>;

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
  const isHttp = options.values['http'] === true;
  if (!isHttp && (port !== undefined || given !== undefined)) throw usageError('--port and --token need --http.');
  if (given !== undefined && !isToken(given))
    throw usageError('--token must be a text without spaces, and must not be empty.');
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  if (!isHttp) {
    const streams = new LineTransport(process.stdin, process.stdout, {
      maxBytes: maxMessageBytes,
      release: () => void process.stdin.pause(),
    });
    const closed = new Promise<void>((resolve) => void server.connect(streams, resolve));
    await Promise.race([closed, ended]);
    return;
  }
  const token = given ?? randomBytes(24).toString('base64url');
  const front = new HttpFront({
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
