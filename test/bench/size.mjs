// The size of the core: minified bytes without ajv, and the load time in a fresh process, compared with the official
// SDK.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { clientHalf, inParts, libraryFiles, libraryNames } from '../../esbuild.libraries.mjs';
import { median } from './median.mjs';

const withoutAjv = ['ajv', 'ajv/*', 'ajv-formats'];
const peers = {
  // OAuth, ws and ajv are loaded on first use, as in the window.
  'mcp-deck': `export * as adapter from './test/bench/adapter.ts'; export const signIn = () => import('./src/core/auth/oauthAuthorizer.ts');`,
  sdk: `export * as adapter from './test/bench/sdk.mjs';`,
};
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const common = {
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'silent',
};
const bundle = (name, outfile, more) =>
  build({
    ...common,
    stdin: { contents: peers[name], resolveDir: '.', loader: 'ts' },
    outfile,
    ...more,
  });

export async function printSizes(rounds) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-size-'));
  const loadTimes = { 'mcp-deck': [], sdk: [] };
  console.log();
  for (const name of Object.keys(peers)) {
    const file = path.join(folder, `${name}.cjs`);
    await bundle(name, file, { external: withoutAjv, ...(name === 'sdk' ? {} : { alias: clientHalf }) });
    const text = fs.readFileSync(file);
    console.log(
      `${name}: client with all transports and OAuth, without ajv: ${kilobytes(text.length)} minified, ${kilobytes(gzipSync(text).length)} gzip`,
    );
    // The load time includes everything, split into the same files as the package.
    await bundle(name, file, name === 'sdk' ? {} : inParts);
  }
  await build({ ...common, ...libraryFiles, outdir: path.join(folder, 'lib') });
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(peers)) {
      const script = `const start = performance.now(); require(${JSON.stringify(path.join(folder, `${name}.cjs`))}); console.log(performance.now() - start); process.exit(0);`;
      loadTimes[name].push(Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })));
    }
  }
  fs.rmSync(folder, { recursive: true });
  const ratios = loadTimes['mcp-deck'].map((time, round) => time / loadTimes.sdk[round]);
  console.log(`load: ${median(loadTimes['mcp-deck']).toFixed(1)} ms, ${median(ratios).toFixed(2)} of the SDK's`);
  for (const file of ['extension.js', 'deck.js', ...libraryNames.map((name) => `lib/${name}.js`)])
    console.log(`dist/${file}: ${kilobytes(fs.statSync(`dist/${file}`).size)}`);
  for (const file of fs.readdirSync('.').filter((name) => name.endsWith('.vsix')))
    console.log(`${file}: ${kilobytes(fs.statSync(file).size)}`);
}
