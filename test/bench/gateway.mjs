// What the gateway adds to a call, as ratios to a process that only passes bytes on (`gatewayPeer.mjs floor`), measured
// round by round in one run, and the same for a gateway that does nothing but read and write each message (`minimal`); the memory of sessions; and the time of the first list while servers are silent.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Caller } from './gatewayCaller.mjs';
import { median } from './median.mjs';

const peer = path.resolve('test/bench/gatewayPeer.mjs');
const eras = ['legacy', 'modern'];
const callerCounts = [1, 8, 32];
/** Duration of one round of one subject, ms. */
const roundMs = 300;
const sessionCount = 1_000;
const warmUpCount = 3_000;
const silentCount = 10;

const children = new Set();

/** Starts a program; resolves with the first line that it prints. */
async function start(args) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  children.add(child);
  const [line] = await once(readline.createInterface({ input: child.stdout }), 'line');
  return { child, line };
}

async function stop({ child }) {
  children.delete(child);
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The gateway in front of these servers. */
async function startGateway(servers) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-gateway-'));
  const file = path.join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ servers }));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // The gateway stores names here, and not in the folder of the user.
  process.env.XDG_STATE_HOME = folder;
  const started = await start([path.resolve('dist/gateway.mjs'), '--config', file]);
  return { ...started, ...JSON.parse(started.line) };
}

/** Callers of one era, each with the name of the tool of a server. */
async function crew(target, era, serverEra) {
  const callers = [];
  for (let index = 0; index < Math.max(...callerCounts); index++) {
    const caller = await Caller.open(era, target);
    const find = async () => (await caller.request('tools/list')).tools.find(({ name }) => name.endsWith(serverEra));
    let tool = await find();
    // A server may still be starting.
    while (!tool) tool = await find();
    callers.push({ caller, name: tool.name });
  }
  return callers;
}

/** One round; returns the median time of a call in ms, and the calls per second. */
async function round(callers) {
  const times = [];
  const begin = performance.now();
  await Promise.all(
    callers.map(async ({ caller, name }, index) => {
      for (let call = 0; performance.now() - begin < roundMs; call++) {
        const text = `${index}.${call}`;
        const at = performance.now();
        const { content } = await caller.request('tools/call', { name, arguments: { text } });
        times.push(performance.now() - at);
        if (content[0].text !== text) throw new Error(`The answer to ${text} is ${content[0].text}.`);
      }
    }),
  );
  return { p50: median(times), perSecond: times.length / ((performance.now() - begin) / 1_000) };
}

async function printCalls(rounds) {
  const direct = {};
  const floor = {};
  const minimal = {};
  for (const era of eras) {
    direct[era] = await start([peer, era, 'http']);
    floor[era] = await start([peer, 'floor', direct[era].line]);
    minimal[era] = await start([peer, 'minimal', direct[era].line]);
  }
  const byHttp = await startGateway(
    Object.fromEntries(eras.map((era) => [era, { type: 'http', url: direct[era].line }])),
  );
  const byStdio = await startGateway(
    Object.fromEntries(eras.map((era) => [era, { command: process.execPath, args: [peer, era] }])),
  );
  const subjects = {};
  for (const era of eras) {
    subjects[`direct ${era}`] = await crew({ url: direct[era].line }, era, era);
    subjects[`floor ${era}`] = await crew({ url: floor[era].line }, era, era);
    subjects[`minimal ${era} ${era}`] = await crew({ url: minimal[era].line }, era, era);
  }
  const cells = eras.flatMap((era) => eras.map((serverEra) => ({ era, serverEra })));
  for (const { era, serverEra } of cells) {
    subjects[`http ${era} ${serverEra}`] = await crew(byHttp, era, serverEra);
    subjects[`stdio ${era} ${serverEra}`] = await crew(byStdio, era, serverEra);
  }
  for (const count of callerCounts) {
    const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
    // One uncounted warm-up round for each.
    for (let index = -1; index < rounds; index++)
      for (const [name, callers] of Object.entries(subjects)) {
        const sample = await round(callers.slice(0, count));
        if (index >= 0) samples[name].push(sample);
      }
    const of = (name, metric) => median(samples[name].map((sample) => sample[metric]));
    for (const way of ['minimal', 'http', 'stdio'])
      for (const { era, serverEra } of cells) {
        // It does not translate between the eras.
        if (way === 'minimal' && era !== serverEra) continue;
        const added = (name) => of(name, 'p50') - of(`direct ${serverEra}`, 'p50');
        const name = `${way} ${era} ${serverEra}`;
        const ratio = added(name) / added(`floor ${serverEra}`);
        const throughput = of(name, 'perSecond') / of(`floor ${serverEra}`, 'perSecond');
        const title = `gateway ${era} to ${serverEra}, ${way}, ${count} callers`;
        console.log(
          `${title.padEnd(46)} added p50 ${ratio.toFixed(2)} x floor   calls/s ${(100 * throughput).toFixed(0)} % of floor`,
        );
      }
  }
  for (const callers of Object.values(subjects)) await Promise.all(callers.map(({ caller }) => caller.close()));
  for (const started of [byHttp, byStdio, ...Object.values(minimal), ...Object.values(floor), ...Object.values(direct)])
    await stop(started);
}

/** Resident memory of a process, MiB. */
function memoryOf({ child }) {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)]).toString()) / 1024;
}

async function printSessions() {
  const gateway = await startGateway({ echo: { command: process.execPath, args: [peer, 'legacy'] } });
  const session = async () => {
    const caller = await Caller.open('legacy', gateway);
    const { tools } = await caller.request('tools/list');
    if (tools[0]) await caller.request('tools/call', { name: tools[0].name, arguments: { text: 'x' } });
    await caller.close();
  };
  // The heap of a program grows to its working size with the first sessions.
  for (let index = 0; index < warmUpCount; index++) await session();
  const before = memoryOf(gateway);
  for (let index = 0; index < sessionCount; index++) await session();
  console.log(`gateway ${sessionCount} sessions: ${(memoryOf(gateway) - before).toFixed(1)} MiB more memory`);
  await stop(gateway);
}

async function printFirstList() {
  const servers = {};
  for (let index = 0; index < silentCount; index++) {
    servers[`echo${index}`] = { command: process.execPath, args: [peer, eras[index % 2]] };
    servers[`silent${index}`] = { command: process.execPath, args: [peer, eras[index % 2], 'silent'] };
  }
  const gateway = await startGateway(servers);
  for (const era of eras) {
    const begin = performance.now();
    const caller = await Caller.open(era, gateway);
    const { tools } = await caller.request('tools/list');
    const ms = (performance.now() - begin).toFixed(0);
    console.log(`gateway first list, ${era}: ${ms} ms, ${tools.length} tools, with ${silentCount} silent servers`);
    await caller.close();
  }
  await stop(gateway);
}

/** Prints the figures. `ps` is not available on Windows, so the memory of sessions is left out there. */
export async function printGateway(rounds) {
  try {
    await printCalls(rounds);
    if (process.platform !== 'win32') await printSessions();
    await printFirstList();
  } finally {
    for (const child of children) child.kill();
  }
}
