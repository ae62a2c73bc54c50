// Makes the npm package of the command line:  node esbuild.cli.mjs [folder for the .tgz file, default: .]
// The package contains two bundles, the program and the encoding of tokens, and has no dependencies.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { tokensApart } from './esbuild.libraries.mjs';
import { writeNotices } from './esbuild.notices.mjs';

const target = 'dist/npm';
const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'));
const bundle = path.join(target, 'mcp-deck.mjs');

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const { metafile } = await build({
  entryPoints: { 'mcp-deck': 'src/cli/cli.ts', tokens: 'src/core/present/text/o200k.ts' },
  outdir: target,
  outExtension: { '.js': '.mjs' },
  plugins: [tokensApart],
  bundle: true,
  minify: true,
  metafile: true,
  target: 'node20',
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
  alias: { '@vscode/l10n': path.resolve('node_modules/@vscode/l10n/dist/browser.js') },
  define: { deckVersion: JSON.stringify(version) },
  // Bundled CommonJS packages call require() for modules of Node.
  banner: {
    js: "#!/usr/bin/env node\nimport{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
});
chmodSync(bundle, 0o755);
writeNotices([metafile], target);
copyFileSync('LICENSE', path.join(target, 'LICENSE'));
// Links to other pages of the documentation lead nowhere in the package.
const page = readFileSync('docs/command-line.md', 'utf8').replace(/\[([^\]]+)\]\([\w-]+\.md\)/g, '$1');
writeFileSync(path.join(target, 'README.md'), page);
const manifest = {
  name: 'mcp-deck',
  version,
  license,
  description: 'Lists, calls, tests, and diagnoses Model Context Protocol servers.',
  type: 'module',
  bin: { 'mcp-deck': 'mcp-deck.mjs' },
  files: ['mcp-deck.mjs', 'tokens.mjs', 'ThirdPartyNotices.txt'],
  engines: { node: '>=20' },
};
writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
const destination = path.resolve(process.argv[2] ?? '.');
const { status } = spawnSync('npm', ['pack', '--silent', '--pack-destination', destination], {
  cwd: target,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
process.exitCode = status ?? 1;
