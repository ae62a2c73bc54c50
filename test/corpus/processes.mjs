// Servers on a port: started beside the client, waited for, and ended with all processes that they started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const listenTimeoutMs = 60_000;

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a server and resolves once it accepts connections on its port. Rejects with its output when it ends before.
 */
export async function startListening({ command, args, env, cwd, port, host }) {
  // Its input stays open, because some servers end when it closes.
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (printed = (printed + text).slice(-2_000)));
  const deadline = performance.now() + listenTimeoutMs;
  while (!(await takesConnections(port, host))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await end(child);
      throw new Error(`nothing listens at port ${port}; it printed: ${printed.trim()}`);
    }
    await delay(50);
  }
  return { stop: () => end(child) };
}

function takesConnections(port, host) {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // Ends the process group, which includes the processes that the server started.
  if (process.platform === 'win32') child.kill();
  else process.kill(-child.pid, 'SIGKILL');
  await exited;
}
