/** Real servers as separate processes, started for a test and ended after it. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import type { StdioFraming } from '../../src/core/config/serverDefinition.js';
import { StdioTransport } from '../../src/core/transport/stdio/stdioTransport.js';

const environment: Record<string, string> = Object.fromEntries(
  ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMPDIR'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);

/** A transport to `node script ...args`. */
export function stdioOf(
  args: readonly string[],
  env: Record<string, string> = {},
  framing: StdioFraming = 'newline',
): StdioTransport {
  return new StdioTransport({
    command: process.execPath,
    args,
    env: { ...environment, ...env },
    cwd: process.cwd(),
    framing,
  });
}

const running = new Set<ChildProcess>();
// Also when the test runner aborts the whole file.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
process.once('SIGTERM', () => process.exit(143));

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export interface ListeningProcess {
  /** The address from its `listening` line, or the address that was given. */
  url: string;
  pid: number;
  close(): Promise<void>;
}

/** Starts one of our own peers, which prints `listening <url>` on its standard output. */
export async function startPeer(args: readonly string[]): Promise<ListeningProcess> {
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const [output, errors] = [collect(child.stdout), collect(child.stderr)];
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /^listening (.+)$/m.exec(output());
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`The peer ended with code ${code}: ${errors()}`)));
  });
  return { url, pid: child.pid ?? 0, close: () => end(child) };
}

/** Starts a third-party server on a free port. It takes the port from the environment or its arguments. */
export async function startOnFreePort(
  args: readonly string[] | ((port: number) => readonly string[]),
  path: string,
): Promise<ListeningProcess> {
  for (let attempt = 0; ; attempt++) {
    const port = await freePort();
    const child = spawn(process.execPath, typeof args === 'function' ? args(port) : args, {
      env: { ...environment, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(child);
    const errors = collect(child.stderr);
    if (await answersOn(port, child))
      return { url: `http://127.0.0.1:${port}${path}`, pid: child.pid ?? 0, close: () => end(child) };
    // Another process may have taken the port in the meantime.
    if (attempt === 3 || !errors().includes('EADDRINUSE')) throw new Error(`The server did not listen: ${errors()}`);
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  return () => text;
}

/**
 * A free port below the range that operating systems use for port 0, so that no other test listens on it before the
 * server does.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = net.createServer().listen(port, '127.0.0.1');
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('listening', () => resolve(true)).once('error', () => resolve(false));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** True as soon as the port accepts connections; false if the child ended before. */
async function answersOn(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
