/** The content of the package. Reads the output of `npm run package` and `npm run build` in `dist/`. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

interface Vsce {
  PackageManager: { None: unknown };
  listFiles(options: { cwd: string; packageManager: unknown; readmePath: string }): Promise<string[]>;
}

/** The exact content of the package. */
const shipped = [
  'changelog.md',
  'dist/ThirdPartyNotices.txt',
  'dist/deck.js',
  ...readdirSync('docs')
    .sort()
    .map((file) => `dist/docs/${file}`),
  'dist/door.cjs',
  'dist/extension.js',
  'dist/lib/ajv.js',
  'dist/lib/eventsource.js',
  'dist/lib/fuzzArguments.js',
  'dist/lib/gateway.js',
  'dist/lib/search.js',
  'dist/lib/testReader.js',
  'dist/lib/testing.js',
  'dist/lib/tokens.js',
  'dist/lib/ws.js',
  'dist/lib/yaml.js',
  'dist/lib/yauzl.js',
  'dist/webview/app.css',
  'dist/webview/app.js',
  'dist/webview/codicon.css',
  'dist/webview/codicon.ttf',
  'dist/webview/formRequest.css',
  'dist/webview/formRequest.js',
  'dist/webview/gallery.css',
  'dist/webview/gallery.js',
  'dist/webview/sampling.css',
  'dist/webview/sampling.js',
  'dist/webview/server.css',
  'dist/webview/server.js',
  'dist/webview/shared1.js',
  'dist/webview/shared2.js',
  'dist/webview/shared3.js',
  'dist/webview/shared4.js',
  'dist/webview/shared5.js',
  'dist/webview/shared6.js',
  'dist/webview/shared7.js',
  'dist/webview/shared8.js',
  'dist/webview/shared9.js',
  'dist/webview/toolPanel.css',
  'dist/webview/toolPanel.js',
  'dist/webview/trace.css',
  'dist/webview/trace.js',
  'license',
  'media/icon.png',
  'media/markdown.tmLanguage.json',
  'media/mcp-deck.schema.json',
  'media/mcp-deck.svg',
  'media/mcp.schema.json',
  'media/mcptest.schema.json',
  'media/prompt-dark.svg',
  'media/prompt-light.svg',
  'media/server-dark.svg',
  'media/server-light.svg',
  'media/template-dark.svg',
  'media/template-light.svg',
  'media/tool-dark.svg',
  'media/tool-light.svg',
  'media/vscode-mcp.schema.json',
  'media/walkthrough/add.svg',
  'media/walkthrough/log.svg',
  'media/walkthrough/panel.svg',
  'media/walkthrough/run.svg',
  'media/walkthrough/servers.svg',
  'package.json',
  'package.nls.json',
  'readme.md',
];
const bundles = [
  'dist/door.cjs',
  'dist/extension.js',
  'dist/deck.js',
  'dist/lib/ajv.js',
  'dist/lib/eventsource.js',
  'dist/lib/fuzzArguments.js',
  'dist/lib/gateway.js',
  'dist/lib/search.js',
  'dist/lib/testReader.js',
  'dist/lib/testing.js',
  'dist/lib/tokens.js',
  'dist/lib/ws.js',
  'dist/lib/yaml.js',
  'dist/webview/toolPanel.js',
  'dist/webview/formRequest.js',
  'dist/webview/sampling.js',
  'dist/webview/gallery.js',
  'dist/webview/app.js',
  'dist/webview/server.js',
  'dist/webview/shared1.js',
  'dist/webview/shared2.js',
  'dist/webview/shared3.js',
  'dist/webview/shared4.js',
  'dist/webview/shared5.js',
  'dist/webview/trace.js',
];
/** Of these, 1 MB is the table of the encoding `o200k_base`, which is loaded on demand. */
const maxBytes = 2_400_000;
/** The packaged readme.md: see `esbuild.docs.mjs`. */
const readmePath = 'dist/readme.md';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
const vsix = `${name}-${version}.vsix`;

test('the package has exactly the files of the list', async () => {
  const files = existsSync(vsix) ? filesOfVsix(readFileSync(vsix)) : await filesToPackage();
  // vsce renames well-known files: LICENSE becomes LICENSE.txt, dist/readme.md becomes readme.md.
  const names = files.map((file) => (file.includes('/') ? file : file.toLowerCase().replace('license.txt', 'license')));
  assert.deepEqual(names.sort(), shipped);
});

test('the package is at most 2.4 MB', () => {
  if (existsSync(vsix)) assert.ok(statSync(vsix).size <= maxBytes, `${vsix} has ${statSync(vsix).size} bytes`);
  // Also for the current build; a zip compresses as gzip does.
  const bytes = [
    ...bundles,
    'media/icon.png',
    'package.json',
    readmePath,
    ...shipped.filter((file) => file.startsWith('dist/docs/')),
    'dist/ThirdPartyNotices.txt',
  ].reduce((total, file) => total + gzipSync(readFileSync(file)).length, 0);
  assert.ok(bytes <= maxBytes, `the files have ${bytes} bytes compressed`);
});

for (const file of bundles) {
  test(`${file} contains nothing about the build machine, and no tests`, () => {
    const text = readFileSync(file, 'utf8');
    for (const folder of new Set([process.cwd(), homedir()])) {
      if (folder.length > 1) assert.ok(!text.includes(`${folder}${path.sep}`), `it contains ${folder}`);
    }
    for (const mark of [
      'sourceMappingURL',
      'node_modules/',
      'node:test',
      'test/unit',
      'MCP_DECK_TEST_',
      'MCP_DECK_BENCH_',
    ]) {
      assert.ok(!text.includes(mark), `it contains ${mark}`);
    }
  });
}

test('all files of the extension share one copy of the wrapper of the VS Code API, which is large', () => {
  for (const file of ['dist/extension.js', 'dist/deck.js']) {
    const text = readFileSync(file, 'utf8');
    assert.ok(text.includes('require("vscode")'), file);
    assert.doesNotMatch(text, /\(require\("vscode"\)/, file);
  }
});

/**
 * The names in the central directory of a zip (APPNOTE 4.3.12), without the files that vsce adds outside the
 * extension's folder.
 */
function filesOfVsix(zip: Buffer): string[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameSize = 0, extraSize = 0, commentSize = 0] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    names.push(zip.toString('utf8', at + 46, at + 46 + nameSize));
    at += 46 + nameSize + extraSize + commentSize;
  }
  const added = ['[Content_Types].xml', 'extension.vsixmanifest'];
  return names.filter((file) => !added.includes(file)).map((file) => file.replace(/^extension\//, ''));
}

/** The same without a package; slow, because vsce reads everything below the folder. */
async function filesToPackage(): Promise<string[]> {
  const vsce = createRequire(path.resolve('package.json'))('@vscode/vsce') as Vsce;
  const files = await vsce.listFiles({ cwd: process.cwd(), packageManager: vsce.PackageManager.None, readmePath });
  return files.map((file) => file.replaceAll('\\', '/')).map((file) => (file === readmePath ? 'readme.md' : file));
}
