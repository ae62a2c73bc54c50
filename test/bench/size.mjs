// What the core weighs: minified bytes without ajv, and the time a fresh process needs to load it, beside the official SDK.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const withoutAjv = ['ajv', 'ajv/*', 'ajv-formats'];
const peers = {
  // OAuth, ws and ajv are loaded when first used, as they are in the window.
  'mcp-deck': `export * as adapter from './test/bench/adapter.ts'; export const signIn = () => import('./src/core/auth/oauthAuthorizer.ts');`,
  sdk: `export * as adapter from './test/bench/sdk.mjs';`,
};
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const bundle = (name, outfile, external) =>
  build({
    stdin: { contents: peers[name], resolveDir: '.', loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    alias: name === 'sdk' ? {} : { ws: path.resolve('node_modules/ws/lib/websocket.js') },
    external,
    legalComments: 'none',
    logLevel: 'silent',
  });

export async function printSizes(rounds) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-size-'));
  const loadTimes = { 'mcp-deck': [], sdk: [] };
  console.log();
  for (const name of Object.keys(peers)) {
    const file = path.join(folder, `${name}.cjs`);
    await bundle(name, file, withoutAjv);
    const text = fs.readFileSync(file);
    console.log(`${name}: client with all transports and OAuth, without ajv: ${kilobytes(text.length)} minified, ${kilobytes(gzipSync(text).length)} gzip`);
    await bundle(name, file, []); // loading is measured with everything in it
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(peers)) {
      const script = `const start = performance.now(); require(${JSON.stringify(path.join(folder, `${name}.cjs`))}); console.log(performance.now() - start); process.exit(0);`;
      loadTimes[name].push(Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })));
    }
  }
  fs.rmSync(folder, { recursive: true });
  const ratios = loadTimes['mcp-deck'].map((time, round) => time / loadTimes.sdk[round]);
  console.log(`load: ${median(loadTimes['mcp-deck']).toFixed(1)} ms, ${median(ratios).toFixed(2)} of the SDK's`);
  for (const file of ['extension.js', 'deck.js']) console.log(`dist/${file}: ${kilobytes(fs.statSync(`dist/${file}`).size)}`);
  for (const file of fs.readdirSync('.').filter((name) => name.endsWith('.vsix'))) console.log(`${file}: ${kilobytes(fs.statSync(file).size)}`);
}
