// Real servers of the wild against the shipped core: npm run test:corpus [name ...]
// Installs what servers.json names into .vscode-test/corpus (npm, no scripts), starts each, lists, calls one tool, closes.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const home = path.resolve('.vscode-test/corpus');
const wanted = process.argv.slice(2);
const servers = JSON.parse(readFileSync('test/corpus/servers.json', 'utf8')).filter(({ name }) => wanted.length === 0 || wanted.includes(name));

const fixtures = path.join(home, 'fixtures');
mkdirSync(fixtures, { recursive: true });
writeFileSync(path.join(fixtures, 'hello.txt'), 'hello\n');
writeFileSync(path.join(fixtures, 'd.drawio'), '<mxfile><diagram id="p1" name="Page-1"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/></root></mxGraphModel></diagram></mxfile>\n');
writeFileSync(
  path.join(fixtures, 'openapi.json'),
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Pets', version: '1' },
    paths: { '/pets': { get: { operationId: 'listPets', parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }], responses: { 200: { description: 'pets' } } } } },
  }),
);

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
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
});
const { visit } = await import(pathToFileURL(client).href);

async function install({ name, install: spec }) {
  const folder = path.join(home, name);
  const marker = path.join(folder, 'installed');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === spec) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', spec], { cwd: folder, timeout: 300_000, shell: process.platform === 'win32' });
  writeFileSync(marker, spec);
  return folder;
}

const fill = (value) => JSON.parse(JSON.stringify(value).replaceAll('${FIXTURES}', JSON.stringify(fixtures).slice(1, -1)));
const inherited = Object.fromEntries(['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMPDIR', 'APPDATA'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));

let failed = 0;
for (const server of servers) {
  let line;
  try {
    const cwd = await install(server);
    const { start, call, env = {} } = fill(server);
    const found = await visit({ server: { command: process.execPath, args: start, env: { ...inherited, ...env }, cwd }, call });
    const problems = [];
    if (found.revision !== server.expect.revision) problems.push(`revision ${found.revision}, expected ${server.expect.revision}`);
    if (found.counts.tools !== server.expect.tools) problems.push(`${found.counts.tools} tools, expected ${server.expect.tools}`);
    if (!new RegExp(server.expect.call, 's').test(found.call)) problems.push(`the call gave: ${found.call.slice(0, 200)}`);
    const left = spawnSync('pgrep', ['-f', cwd], { encoding: 'utf8' }).stdout ?? '';
    if (left.trim() !== '') problems.push(`left running: ${left.trim().replaceAll('\n', ', ')}`);
    const { tools, resources, prompts } = found.counts;
    line = [found.info, found.revision, `${tools}/${resources}/${prompts}`, `${Math.round(found.startMs)} ms`, `${Math.round(found.closeMs)} ms`, found.call.replace(/\s+/g, ' ').slice(0, 50), found.warnings.length > 0 ? `${found.warnings.length} warnings: ${found.warnings[0].slice(0, 80)}` : ''];
    if (problems.length > 0) throw Object.assign(new Error(problems.join('; ')), { line });
  } catch (error) {
    failed++;
    line = [...(error.line ?? []), `FAILED: ${error.message}`];
  }
  console.log(`| ${server.name} | ${line.join(' | ')} |`);
}
console.log(`${servers.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && servers.length > 0 ? 0 : 1;
