/**
 * Third-party code in the package. Reads the output of the build in `dist/`: the shipped notices, and the list of
 * source files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

interface Package {
  name: string;
  version: string;
  license: string;
  text: string;
}

interface Manifest {
  dependencies: Record<string, string>;
}

/**
 * Every shipped npm package, with its reviewed version and license. Review a package again before changing its entry.
 */
const reviewed = [
  '@lit/reactive-element 2.1.2 BSD-3-Clause',
  '@vscode-elements/elements 2.5.1 MIT',
  '@vscode/codicons 0.0.45 CC-BY-4.0',
  '@vscode/l10n 0.0.18 MIT',
  'ajv 8.20.0 MIT',
  'ajv-formats 3.0.1 MIT',
  'entities 8.1.0 BSD-2-Clause',
  'eventsource 4.1.1 MIT',
  'eventsource-parser 3.1.1 MIT',
  'fast-check 4.10.2 MIT',
  'fast-deep-equal 3.1.3 MIT',
  'fast-uri 3.1.9 BSD-3-Clause',
  'gpt-tokenizer 4.0.0 MIT',
  'json-p3 2.3.1 MIT',
  'json-schema-traverse 1.0.0 MIT',
  'jsonc-parser 3.3.1 MIT',
  'linkify-it 6.1.0 MIT',
  'lit 3.3.3 BSD-3-Clause',
  'lit-element 4.2.2 BSD-3-Clause',
  'lit-html 3.3.3 BSD-3-Clause',
  'markdown-it 15.0.3 MIT',
  'mdurl 2.1.0 MIT',
  'oauth4webapi 3.8.8 MIT',
  'pend 1.2.0 MIT',
  'punycode.js 2.3.1 MIT',
  'pure-rand 8.4.2 MIT',
  'uc.micro 3.0.0 MIT',
  'ws 8.23.0 MIT',
  'yaml 2.9.1 ISC',
  'yauzl 3.4.0 MIT',
];
/** Licenses that permit to ship such code with their text; any other license needs a decision first. */
const permitted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC-BY-4.0', 'ISC', 'MIT'];

const notices = readFileSync('dist/ThirdPartyNotices.txt', 'utf8');
const entries = [
  ...notices.matchAll(
    /^={80}\nPackage: (.+)\nVersion: (.+)\nLicence: (.+)\n-{80}\n\n([^]*?)(?=^={80}\nPackage: |(?![^]))/gm,
  ),
].map(([, name = '', version = '', license = '', text = '']) => ({ name, version, license, text }));
const shipped = JSON.parse(readFileSync('dist/shipped.json', 'utf8')) as Record<string, string[]>;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<
    string,
    Partial<Manifest> & { version: string; integrity?: string; license?: string; link?: boolean }
  >;
};

test('[SC1] every shipped npm package was reviewed, in that version and with that license', () => {
  assert.deepEqual(
    entries.map(({ name, version, license }) => `${name} ${version} ${license}`),
    reviewed,
  );
  assert.deepEqual(
    entries.filter(({ license }) => !permitted.includes(license)),
    [],
  );
});

test('[SC1] the notices name exactly the npm packages with a file built into the extension', () => {
  const folders = Object.values(shipped)
    .flat()
    .flatMap((file) =>
      file.includes('node_modules/') ? [(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [''])[0]] : [],
    );
  const packages = [...new Set(folders)].map(
    (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Package,
  );
  assert.deepEqual(
    packages.map(({ name, version }) => `${name} ${version}`).sort(),
    entries.map(({ name, version }) => `${name} ${version}`).sort(),
  );
  assert.ok(
    Object.keys(shipped).includes('dist/deck.js') && Object.keys(shipped).includes('dist/webview/toolPanel.js'),
  );
});

test('[SC1] each notice has the license text with its copyright holder', () => {
  for (const { name, text } of entries) {
    assert.match(text, /permission|redistribution|licensed|permitted/i, name);
    assert.match(text, /copyright|creative commons/i, name);
  }
});

test('[SC2] shipped packages have an exact version, and the lock file has that version with its checksum', () => {
  assert.deepEqual(lock.packages['']?.dependencies, manifest.dependencies);
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, `${name} ${version}`);
    assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name);
  }
  const unchecked = Object.entries(lock.packages).filter(
    ([place, { integrity, link }]) => place !== '' && link !== true && integrity?.startsWith('sha512-') !== true,
  );
  assert.deepEqual(
    unchecked.map(([place]) => place),
    [],
  );
});

test('[SC2] the installed packages that ship are those of the lock file', () => {
  for (const { name, version, license } of entries) {
    const locked = Object.entries(lock.packages)
      .filter(([place]) => place.endsWith(`node_modules/${name}`))
      .map(([, one]) => `${one.version} ${one.license}`);
    assert.ok(
      locked.includes(`${version} ${license}`),
      `${name} ${version} ${license}, the lock file has ${locked.join(', ')}`,
    );
  }
});

test('[SC1] a package without a license or its text cannot be built in', async () => {
  const { readPackage } = (await import(pathToFileURL(path.resolve('esbuild.notices.mjs')).href)) as {
    readPackage: (folder: string) => Package;
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-deck-notices-'));
  const withManifest = (name: string, fields: object): string => {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...fields }));
    return path.join(folder, name);
  };
  try {
    assert.throws(() => readPackage(withManifest('unlicensed', {})), /no name, version or license/);
    assert.throws(
      () => readPackage(withManifest('textless', { license: 'MIT' })),
      /textless 1\.0\.0 has no license text/,
    );
    // The build has a separate text for one package, only for its reviewed version.
    const other = withManifest('l10n', { name: '@vscode/l10n', version: '0.0.19', license: 'MIT' });
    assert.throws(() => readPackage(other), /has no license text/);
    const whole = withManifest('whole', { license: 'MIT' });
    writeFileSync(path.join(whole, 'LICENSE.md'), 'Permission is granted\r\n');
    assert.deepEqual(readPackage(whole), {
      name: 'whole',
      version: '1.0.0',
      license: 'MIT',
      text: 'Permission is granted',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
