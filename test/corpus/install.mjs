// Installs the packages of a server, and the files that servers work on, into separate folders. Install scripts of
// packages do not run.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const nodeVersion = '24.21.0';

/** Installs `spec` (packages with versions) into a folder of that name, once. Returns the folder. */
export async function install(home, { name, install: spec, overrides = {} }) {
  const folder = path.join(home, name);
  const marker = path.join(folder, 'installed');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === spec) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ private: true, overrides })}\n`);
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...spec.split(' ')], {
    cwd: folder,
    timeout: 300_000,
    shell: process.platform === 'win32',
  });
  writeFileSync(marker, spec);
  return folder;
}

/** A Node of at least this major version: the current one, or else one from the registry. */
export async function nodeOf(home, major = 20) {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = await install(home, { name: 'node', install: `${name}@${nodeVersion}` });
  return path.join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node');
}

/** Creates files for servers to work on; returns their folder. */
export function makeFixtures(home) {
  const folder = path.join(home, 'fixtures');
  mkdirSync(path.join(folder, 'repo'), { recursive: true });
  const write = (name, text) => writeFileSync(path.join(folder, name), text);
  write('hello.txt', 'hello\n');
  write('hello.js', 'const unused = 1;\n');
  write('eslint.config.mjs', "export default [{ rules: { 'no-unused-vars': 'error' } }];\n");
  write(
    'd.drawio',
    '<mxfile><diagram id="p1" name="Page-1"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/></root></mxGraphModel></diagram></mxfile>\n',
  );
  write(
    'openapi.json',
    JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Pets', version: '1' },
      paths: {
        '/pets': {
          get: {
            operationId: 'listPets',
            parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
            responses: { 200: { description: 'pets' } },
          },
        },
      },
    }),
  );
  if (!existsSync(path.join(folder, 'repo', '.git')))
    execFileSync('git', ['init', '-q', '-b', 'main', path.join(folder, 'repo')]);
  return folder;
}
