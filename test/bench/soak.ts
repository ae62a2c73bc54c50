/**
 * Simulates a long day in minutes:  npm run soak [-- --minutes=10 --servers=200 --rate=5000]
 *
 * One whole host, headless, with 200 servers of 100 tools each: 20 are separate processes on stdio, 90 use Streamable
 * HTTP and 90 WebSocket; two more processes serve these 180. All together they send 5,000 messages per second
 * (progress, log messages, results), and at random times the notification that their tools changed. Prints memory after
 * collection over time, the delay of the event loop, and lost messages. Only lost messages and leftover processes are
 * failures; figures of time and memory depend on the machine and are informational.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { headlessHost } from '../support/headlessHost.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    servers: { type: 'string', default: '200' },
    rate: { type: 'string', default: '5000' },
  },
});
const minutes = Number(values.minutes);
const serverCount = Number(values.servers);
const rate = Number(values.rate);

const program = path.resolve('test/bench/soakServer.mjs');
/** One call of every server per second; the result counts as a message too. */
const steps = Math.max(1, Math.round(rate / serverCount) - 1);
const logSteps = Math.floor(steps / 5);
const samplesWanted = 30;
const mib = (bytes: number) => bytes / 2 ** 20;

async function startNet(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [program, 'net'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(String(line)) };
}

/** Received and expected messages of one kind. */
const counts = { progress: 0, log: 0, results: 0, calls: 0, failures: 0 };

const nets = [await startNet(), await startNet()];
const servers: Record<string, unknown> = {};
for (let i = 0; i < serverCount; i++) {
  const port = nets[i % nets.length]?.port;
  if (i % 10 === 0) servers[`stdio-${i}`] = { command: process.execPath, args: [program, 'stdio'], protocol: 'legacy' };
  else if (i % 2 === 0)
    servers[`http-${i}`] = { type: 'http', url: `http://127.0.0.1:${port}/http/${i}`, protocol: 'legacy' };
  else servers[`ws-${i}`] = { type: 'ws', url: `ws://127.0.0.1:${port}/ws/${i}`, protocol: 'legacy' };
}
const never = { event: () => ({ dispose: () => undefined }) };
const { host } = headlessHost({
  servers,
  settings: { maxMessageBytes: 2 ** 26 },
  ports: {
    serverLog: () => ({
      write: (_level, line) => void (counts.log += line.startsWith('step ') ? 1 : 0),
      level: () => 'info',
      onDidChangeLevel: never.event,
    }),
  },
});
await host.open();
const ids = host.servers.list().map(({ id }) => id);
const startedAt = performance.now();
// In groups, as on a user's machine: a start of two hundred processes and sockets at once is a different test.
for (let i = 0; i < ids.length; i += 20) await Promise.all(ids.slice(i, i + 20).map((id) => host.lifecycle.start(id)));
const pids = host.servers.list().flatMap(({ endpoint }) => (endpoint?.pid === undefined ? [] : [endpoint.pid]));
const toolCount = host.servers.list().reduce((sum, { features }) => sum + (features?.tools.length ?? 0), 0);
console.log(
  `${ids.length} servers with ${toolCount} tools started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s (${pids.length} processes); ${ids.length * (steps + 1)} messages a second for ${minutes} min`,
);

let isOver = false;
/** Calls one server once a second until the end; a late call does not delay the next one. */
async function keepCalling(id: string, index: number): Promise<void> {
  const open = new Set<Promise<void>>();
  await sleep((index / ids.length) * 1_000);
  for (let next = performance.now(); !isOver; next += 1_000) {
    const call = callOnce(id).finally(() => open.delete(call));
    open.add(call);
    await sleep(Math.max(0, next + 1_000 - performance.now()));
  }
  await Promise.all(open);
}

async function callOnce(server: string): Promise<void> {
  counts.calls++;
  try {
    await host.calls.runTool(
      { server, tool: 'stream', arguments: { steps } },
      { caller: 'user', onProgress: () => void counts.progress++ },
    );
    counts.results++;
  } catch (error) {
    counts.failures++;
    console.error(`${server}: ${String(error)}`);
  }
}

const calling = Promise.all(ids.map(keepCalling));
const delay = monitorEventLoopDelay({ resolution: 1 });
const memory: { heap: number; rss: number }[] = [];
// The first seconds compile code and fill caches, so they do not count.
await sleep(5_000);
const [busyBefore, cpuBefore, measuredFrom] = [
  performance.eventLoopUtilization(),
  process.cpuUsage(),
  performance.now(),
];
const sampleMs = Math.max(1_000, (minutes * 60_000) / samplesWanted);
for (const end = performance.now() + minutes * 60_000; performance.now() < end;) {
  delay.enable();
  await sleep(sampleMs);
  // The bench triggers these collections, not the host, so they do not count as delay.
  delay.disable();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  memory.push({ heap: mib(heapUsed), rss: mib(rss) });
  console.log(
    `  ${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(4)} s   heap ${mib(heapUsed).toFixed(1)} MiB   rss ${mib(rss).toFixed(0)} MiB   ${counts.progress + counts.log + counts.results} messages   delay p99 ${ms(delay.percentile(99))} ms`,
  );
}
const { utilization } = performance.eventLoopUtilization(busyBefore);
const { user, system } = process.cpuUsage(cpuBefore);
const cpuShare = (user + system) / 1_000 / (performance.now() - measuredFrom);
isOver = true;
await calling;

const third = Math.max(1, Math.floor(memory.length / 3));
const average = (part: typeof memory, of: 'heap' | 'rss') =>
  part.reduce((sum, sample) => sum + sample[of], 0) / part.length;
const compare = (of: 'heap' | 'rss') =>
  `${average(memory.slice(0, third), of).toFixed(1)} → ${average(memory.slice(-third), of).toFixed(1)} MiB`;
console.log(`memory, first third → last third: heap ${compare('heap')}, rss ${compare('rss')}`);
console.log(
  `event-loop delay: p50 ${ms(delay.percentile(50))}, p99 ${ms(delay.percentile(99))}, p99.9 ${ms(delay.percentile(99.9))}, max ${ms(delay.max)} ms`,
);

console.log(
  `event loop busy ${(utilization * 100).toFixed(0)} % of the time, ${(cpuShare * 100).toFixed(0)} % of one core (with our own collections of garbage)`,
);

const closingAt = performance.now();
await host.close();
console.log(`stopped in ${((performance.now() - closingAt) / 1_000).toFixed(1)} s`);
for (const { child } of nets) {
  child.stdin?.end();
  await once(child, 'exit');
}
const expected = counts.calls * (steps + 1);
const lost = expected - counts.progress - counts.log - counts.results;
const left = pids.filter(isAlive);
console.log(
  `${expected} messages expected, ${lost} lost; ${counts.failures} of ${counts.calls} calls failed; ${left.length} processes left`,
);
console.log(
  `  progress ${counts.progress} of ${counts.calls * (steps - logSteps)}, log ${counts.log} of ${counts.calls * logSteps}, results ${counts.results} of ${counts.calls}`,
);
process.exitCode = lost === 0 && left.length === 0 ? 0 : 1;

function ms(nanoseconds: number): string {
  return (nanoseconds / 1e6).toFixed(1);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
