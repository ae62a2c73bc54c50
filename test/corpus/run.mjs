// Tests the shipped core with real, published servers: npm run test:corpus [-- name …] [--folder=path]
// Installs the servers in servers.json into .vscode-test/corpus (npm, no scripts), starts each, lists, calls one tool,
// closes: over stdio (`start`), and over every other transport that it has (`also`). `needs` explains why a server
// cannot run on every machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ensureBrowser } from '../harness/browser.mjs';
import { install, makeFixtures, nodeOf } from './install.mjs';
import { freePort, startListening } from './processes.mjs';

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const home = path.resolve(
  flags.find((flag) => flag.startsWith('--folder='))?.slice('--folder='.length) ?? '.vscode-test/corpus',
);
const installsOnly = flags.includes('--install');
const servers = JSON.parse(readFileSync('test/corpus/servers.json', 'utf8')).filter(
  ({ name }) => wanted.length === 0 || wanted.includes(name),
);

mkdirSync(home, { recursive: true });
const client = path.join(home, 'client.mjs');
await build({
  entryPoints: ['test/corpus/client.ts'],
  outfile: client,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
});
const { visit } = await import(pathToFileURL(client).href);

const places = {
  FIXTURES: makeFixtures(home),
  EVERYTHING: path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
};
const inherited = Object.fromEntries(
  ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMPDIR', 'APPDATA'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);

/** An entry with its folders and ports filled in. */
function filled(value, names) {
  return JSON.parse(
    JSON.stringify(value).replace(/\$\{(\w+)\}/g, (whole, name) =>
      names[name] === undefined ? whole : JSON.stringify(String(names[name])).slice(1, -1),
    ),
  );
}

/** One connection over one transport: the findings, and the differences from the expected ones. */
async function tryWay(server, way, cwd, node) {
  const browser = server.needsBrowser ? await ensureBrowser() : undefined;
  const names = {
    ...places,
    NODE: node,
    PORT: await freePort(),
    PORT2: await freePort(),
    CHROMIUM: browser?.executablePath,
  };
  const {
    start,
    env,
    url,
    type,
    headers,
    expect: other,
    beside,
    call,
  } = filled({ ...way, beside: server.beside, call: server.call }, names);
  const environment = { ...inherited, ...browser?.env, ...env };
  const expected = { ...server.expect, ...other };
  const running = beside
    ? [
        await startListening({
          command: process.execPath,
          args: beside.start,
          env: { ...inherited, ...beside.env },
          cwd,
          port: names.PORT,
          host: '127.0.0.1',
        }),
      ]
    : [];
  try {
    if (url !== undefined) {
      const { hostname, port } = new URL(url);
      running.push(
        await startListening({ command: node, args: start, env: environment, cwd, port: Number(port), host: hostname }),
      );
    }
    const found = await visit({
      server:
        url === undefined
          ? { command: node, args: start, env: environment, cwd }
          : { type, url, headers: headers ?? {} },
      call,
    });
    const problems = [...found.problems];
    // A server of both eras that starts slowly, as on a busy machine, may be used in either era.
    if (!expected.revision.split('|').includes(found.revision))
      problems.push(`revision ${found.revision}, expected ${expected.revision}`);
    if (found.counts.tools !== expected.tools) problems.push(`${found.counts.tools} tools, expected ${expected.tools}`);
    if (!new RegExp(expected.call, 's').test(found.call)) problems.push(`the call gave: ${found.call.slice(0, 200)}`);
    return { found, problems };
  } finally {
    for (const one of running) await one.stop();
  }
}

function leftRunning(cwd) {
  const left = (spawnSync('pgrep', ['-f', cwd], { encoding: 'utf8' }).stdout ?? '').trim();
  return left === '' ? [] : [`left running: ${left.replaceAll('\n', ', ')}`];
}

function described({ info, revision, counts, startMs, closeMs, call, warnings }) {
  const { tools, resources, templates, prompts } = counts;
  return [
    info,
    revision,
    `${tools}/${resources}/${templates}/${prompts}`,
    `${Math.round(startMs)} ms`,
    `${Math.round(closeMs)} ms`,
    call.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 50),
    warnings.length > 0 ? `${warnings.length} warnings: ${warnings[0].slice(0, 80)}` : '',
  ];
}

let passed = 0;
let failed = 0;
let leftOut = 0;
console.log(
  '| server | over | name | revision | tools/resources/templates/prompts | start | close | call | |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
);
for (const server of servers) {
  if (server.needs !== undefined) {
    leftOut++;
    console.log(`| ${server.name} | – | not run; it needs ${server.needs} |`);
    continue;
  }
  let cwd;
  let node;
  try {
    cwd = await install(home, server);
    node = await nodeOf(home, server.node);
  } catch (error) {
    failed++;
    console.log(
      `| ${server.name} | – | FAILED to install: ${String(error.stderr ?? error.message)
        .trim()
        .slice(0, 500)} |`,
    );
    continue;
  }
  if (installsOnly) continue;
  const ways = [
    ...(server.start ? [{ type: 'stdio', start: server.start, env: server.env }] : []),
    ...(server.also ?? []).map((way) => ({ ...way, env: { ...server.env, ...way.env } })),
  ];
  for (const way of ways) {
    let line = [];
    try {
      const { found, problems } = await tryWay(server, way, cwd, node);
      line = described(found);
      problems.push(...leftRunning(cwd));
      if (problems.length > 0) throw new Error(problems.join('; '));
      passed++;
    } catch (error) {
      failed++;
      line.push(`FAILED: ${error.message}`);
    }
    console.log(`| ${server.name} | ${way.type} | ${line.join(' | ')} |`);
  }
}
console.log(`${passed} passed, ${failed} failed, ${leftOut} servers not run`);
process.exitCode = failed === 0 && servers.length > 0 ? 0 : 1;
