// One client process: connects once, then runs a round on each command, and reports wall time and its own CPU time.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const connectors = {
  stdio: 'connectStdio',
  http: 'connectHttp',
  'http-sse': 'connectHttp',
  sse: 'connectSse',
  ws: 'connectWs',
};
const percentile = (values, share) =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** The measured operations. Each round checks its answers, so that skipped work is noticed. */
const workloads = {
  /** Sequential calls. */
  async echo(client, n) {
    const times = [];
    for (let i = 0; i < n; i++) {
      const start = performance.now();
      const { content } = await client.callTool('echo', { text: `hello ${i}` });
      times.push(performance.now() - start);
      if (content[0].text !== `hello ${i}`) throw new Error('wrong answer');
    }
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  },
  /** 64 calls in flight. */
  async inFlight64(client, n) {
    let next = 0;
    const lane = async () => {
      while (next < n) {
        const i = next++;
        const { content } = await client.callTool('echo', { text: `hello ${i}` });
        if (content[0].text !== `hello ${i}`) throw new Error('wrong answer');
      }
    };
    await Promise.all(Array.from({ length: 64 }, lane));
    return {};
  },
  /** One result of 16 MiB. */
  async big16MiB(client) {
    const { content } = await client.callTool('big', { bytes: 16 << 20 });
    if (content[0].text.length < 15e6) throw new Error('too short');
    return {};
  },
  /** A catalog of 5,000 tools, 100 per page. */
  async list5000(client) {
    await client.callTool('configure', { tools: 5_000, output: false });
    const start = performance.now();
    if ((await client.listAllTools()).length !== 5_000) throw new Error('tools lost');
    return { list: performance.now() - start };
  },
  /** The same with an output schema for every fifth tool, then one call. */
  async list5000WithOutput(client) {
    await client.callTool('configure', { tools: 5_000, output: true });
    const start = performance.now();
    if ((await client.listAllTools()).length !== 5_000) throw new Error('tools lost');
    const listed = performance.now();
    await client.callTool('list_issue_0', { owner: 'a', repository: 'b' });
    return { list: listed - start, firstCall: performance.now() - listed };
  },
  /** 100,000 notifications during one call; all must arrive. */
  async flood100k(client) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    let received = 0;
    client.onNotification(() => received++);
    await client.callTool('flood', { n: 100_000 }, { onprogress: () => received++ });
    for (let i = 0; i < 100 && received < 100_000; i++) await new Promise((resolve) => setImmediate(resolve));
    delay.disable();
    return { stall: delay.max / 1e6, lost: 100_000 - received };
  },
};

/** Measures the longest time that the event loop was blocked, ms, until the returned function is called. */
function longestStall() {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    look();
    clearInterval(timer);
    return longest;
  };
}

const { adapter, transport, target, workload, n, kept } = JSON.parse(process.argv[2]);
// The extension host loads both before any extension.
const { CodeCache } = kept === undefined ? {} : await import('../../dist/test/codeCache.mjs');
const cache = CodeCache && new CodeCache(kept);
if (cache) createHash('sha256');
const start = performance.now();
// The shipped files are loaded by require(), or with the code that V8 compiled in an earlier process.
const module = cache
  ? cache.load(adapter)
  : adapter.endsWith('.js')
    ? createRequire(import.meta.url)(adapter)
    : await import(pathToFileURL(adapter));
if (workload === 'cold') {
  const client = await module.connectStdio(...target);
  await client.listAllTools();
  const cold = performance.now() - start;
  await cache?.save();
  process.send({ cold });
  process.exit(0);
}
if (workload === 'heap') {
  const warm = await module.connectStdio(...target);
  const heap = () => (global.gc(), global.gc(), process.memoryUsage().heapUsed + process.memoryUsage().external);
  const before = heap();
  const clients = await Promise.all(Array.from({ length: n }, () => module.connectStdio(...target)));
  const heapKiB = (heap() - before) / 1024 / n;
  await cache?.save();
  process.send({ heapKiB });
  for (const client of [warm, ...clients]) client.close();
  process.exit(0);
}
// The first call of a process after a large catalog: nothing is compiled before it, and its check must not block the
// thread.
if (workload === 'firstCall') {
  const client = await module.connectStdio(...target);
  await client.callTool('configure', { tools: 5_000, output: true });
  if ((await client.listAllTools()).length !== 5_000) throw new Error('tools lost');
  global.gc();
  const stall = longestStall();
  const began = performance.now();
  await client.callTool('list_issue_0', { owner: 'a', repository: 'b' });
  const call = performance.now() - began;
  process.send({ call, stall: await stall() });
  process.exit(0);
}
if (workload === 'peak16MiB') {
  const client = await module.connectStdio(...target);
  await client.callTool('big', { bytes: 1 << 16 });
  global.gc();
  const before = process.memoryUsage().rss;
  await workloads.big16MiB(client);
  process.send({ peakMiB: (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20 });
  process.exit(0);
}
const connect = module[connectors[transport]];
const client = await connect(...target);
for (let warming = 0; warming < 2; warming++) await workloads[workload](client, n);
process.send({ ready: true });
process.on('message', async () => {
  global.gc();
  // This collection also discards compiled code. Half a round compiles it again, so that the round measures calls.
  if (n > 1) await workloads[workload](client, Math.ceil(n / 2));
  const before = process.cpuUsage();
  const began = performance.now();
  const more = await workloads[workload](client, n);
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  process.send({ wall, cpu: (user + system) / 1_000, ...more });
});
