// Figures of the protocol core and of the shipped files:  npm run bench [-- --rounds=5 --only=echo --no-window]
// Every speed figure is a ratio to the floor (test/bench/floor.mjs), paired round by round in one run, as
// min-median-max; the official SDK is measured for comparison. Nothing is asserted, because machines differ; ratios are
// comparable.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { median } from './median.mjs';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' }, 'no-window': { type: 'boolean' } },
});
const rounds = Number(options.rounds);
const adapters = {
  floor: path.resolve('test/bench/floor.mjs'),
  'mcp-deck': path.resolve('dist/bench-adapter.js'),
  sdk: path.resolve('test/bench/sdk.mjs'),
};
const node = process.execPath;
const server = path.resolve('test/bench/server.mjs');

const web = spawn(node, [server, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
const port = await new Promise((resolve) => web.stdout.once('data', (data) => resolve(Number(String(data)))));
const targets = {
  stdio: [node, [server, 'stdio']],
  http: [`http://127.0.0.1:${port}/mcp`],
  'http-sse': [`http://127.0.0.1:${port}/mcp-sse`],
  sse: [`http://127.0.0.1:${port}/sse`],
  ws: [`ws://127.0.0.1:${port}/ws`],
};
const workloads = [
  ['echo', 'stdio', 2_000],
  ['echo', 'http', 500],
  ['echo', 'http-sse', 500],
  ['echo', 'sse', 500],
  ['echo', 'ws', 2_000],
  ['inFlight64', 'stdio', 10_000],
  ['inFlight64', 'http', 1_500],
  ['inFlight64', 'ws', 10_000],
  ['big16MiB', 'stdio', 1],
  ['list5000', 'stdio', 1],
  ['list5000WithOutput', 'stdio', 1],
  ['flood100k', 'stdio', 1],
  ['flood100k', 'http-sse', 1],
];

function startWorker(job) {
  const child = fork('test/bench/worker.mjs', [JSON.stringify(job)], { execArgv: ['--expose-gc', '--no-warnings'] });
  const next = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`the worker ended with code ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        resolve(message);
      });
    });
  return { child, next };
}

const show = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** Prints one line per metric: the median of the floor, then min-median-max of each ratio. */
function print(title, samples) {
  for (const metric of Object.keys(samples.floor[0])) {
    const cells = Object.keys(samples)
      .filter((name) => name !== 'floor')
      .map((name) => {
        if (metric === 'lost') return `${name} ${Math.max(...samples[name].map((sample) => sample.lost))} lost`;
        const ratios = samples[name].map((sample, round) => sample[metric] / samples.floor[round][metric]);
        return `${name} ${show(Math.min(...ratios))}-${show(median(ratios))}-${show(Math.max(...ratios))}`;
      });
    console.log(
      `${title.padEnd(28)} ${metric.padEnd(9)} floor ${show(median(samples.floor.map((sample) => sample[metric]))).padStart(6)}   ${cells.join('   ')}`,
    );
  }
}

async function steady(workload, transport, n) {
  const workers = {};
  for (const [name, adapter] of Object.entries(adapters)) {
    workers[name] = startWorker({ adapter, transport, target: targets[transport], workload, n });
    await workers[name].next();
  }
  // One uncounted warm-up round for each.
  const samples = Object.fromEntries(Object.keys(workers).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, { child, next }] of Object.entries(workers)) {
      const answer = next();
      child.send('go');
      const sample = await answer;
      if (round >= 0) samples[name].push(sample);
    }
  }
  for (const { child } of Object.values(workers)) child.kill();
  print(`${workload} ${transport}`, samples);
}

async function fresh(workload, n, { from = adapters, target = targets.stdio } = {}) {
  const samples = Object.fromEntries(Object.keys(from).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, adapter] of Object.entries(from)) {
      samples[name].push(
        await startWorker({ target, workload, n, ...(typeof adapter === 'string' ? { adapter } : adapter) }).next(),
      );
    }
  }
  print(workload, samples);
}

/** The same, plus the shipped files as from their second start on, with the code that V8 compiled in the first. */
async function freshAndKept(workload, n, { from = adapters, target = targets.stdio } = {}) {
  const kept = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-kept-'));
  const again = { adapter: from['mcp-deck'], kept };
  await startWorker({ target, workload, n, ...again }).next();
  await fresh(workload, n, { from: { ...from, 'mcp-deck again': again }, target });
  rmSync(kept, { recursive: true });
}

/** From process start to a listed catalog, each client as one bundle, with a server that starts in almost no time. */
async function coldStart() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-cold-'));
  const { floor, sdk } = adapters;
  await build({
    entryPoints: { floor, sdk },
    outdir: folder,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'silent',
  });
  await freshAndKept('cold', 1, {
    from: { ...adapters, floor: path.join(folder, 'floor.js'), sdk: path.join(folder, 'sdk.js') },
    target: ['/bin/sh', [path.resolve('test/bench/tinyServer.sh')]],
  });
  rmSync(folder, { recursive: true });
}

const wanted = (name) => options.only === undefined || name.includes(options.only);
console.log(`${process.version}, ${rounds} rounds; ms unless named otherwise; ratios to the floor as min-median-max\n`);
for (const [workload, transport, n] of workloads)
  if (wanted(`${workload} ${transport}`)) await steady(workload, transport, n);
if (wanted('cold')) await coldStart();
if (wanted('firstCall')) await fresh('firstCall', 1);
if (wanted('heap')) await freshAndKept('heap', 50);
if (wanted('peak16MiB')) await fresh('peak16MiB', 1);
web.kill();

if (wanted('configuration')) await (await import('./configuration.mjs')).printConfiguration(rounds);
if (wanted('trace'))
  await once(spawn(node, ['--expose-gc', path.resolve('dist/bench-trace.mjs')], { stdio: 'inherit' }), 'exit');
if (wanted('form')) await (await import('./forms.mjs')).printForms(rounds);
if (wanted('lists')) await import(pathToFileURL(path.resolve('dist/test/lists.mjs')).href);
if (wanted('rules')) (await import(pathToFileURL(path.resolve('dist/bench-rules.mjs')).href)).printRules();
if (wanted('testFiles'))
  await (await import(pathToFileURL(path.resolve('dist/bench-test-files.mjs')).href)).printTestFiles();
if (wanted('testRun')) await (await import('./testRun.mjs')).printTestRuns(rounds);
if (wanted('registry'))
  await (await import(pathToFileURL(path.resolve('dist/bench-registry.mjs')).href)).printRegistry();
if (wanted('gateway')) await (await import('./gateway.mjs')).printGateway(rounds);
if (wanted('size')) await (await import('./size.mjs')).printSizes(Math.max(rounds, 9));
if (!options['no-window'] && wanted('window')) {
  const { runWindowBench } = await import('./window.mjs');
  await runWindowBench();
}
if (!options['no-window'] && wanted('window trace')) await (await import('./windowTrace.mjs')).runWindowTraceBench();
if (!options['no-window'] && wanted('drawing')) await (await import('./drawing.mjs')).printDrawing();
