import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { bundlePlatform } from '../../../src/core/gallery/bundleManifest.js';
import { bundleServer } from '../../../src/core/gallery/bundles/bundleServer.js';
import { BundleStore } from '../../../src/core/gallery/bundles/bundleStore.js';
import type { StartDescription } from '../../../src/core/config/describeStart.js';
import { startQuestion } from '../../../src/core/present/questions/startQuestion.js';
import { headlessHost } from '../../support/headlessHost.js';
import { bundleManifest, zipBytes } from '../../support/zipBytes.js';

const folder = mkdtempSync(path.join(tmpdir(), 'bundle-approval-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const odd = pathToFileURL(path.resolve('test/fixtures/servers/odd.mjs')).href;

test('[BN5] a bundle in the user settings starts without a question until its files change', async () => {
  const store = new BundleStore(path.join(folder, 'bundles'), bundlePlatform());
  const file = path.join(folder, 'little.mcpb');
  const mcp_config = { command: process.execPath, args: ['${__dirname}/server/index.mjs'] };
  writeFileSync(
    file,
    zipBytes([
      { name: 'manifest.json', data: bundleManifest({ server: { type: 'node', mcp_config } }) },
      { name: 'server/index.mjs', data: `process.argv.push('ok');\nawait import(${JSON.stringify(odd)});\n` },
    ]),
  );
  const staged = await store.openFile(file);
  await staged.unpack();
  const place = { folder: staged.folder, home: folder, platform: bundlePlatform() };
  const { fields } = bundleServer(staged.info, place, {}, 'little');
  await staged.dispose();

  const asked: (readonly string[])[] = [];
  let described: StartDescription | undefined;
  let answer: 'allow' | 'deny' = 'deny';
  const { host } = headlessHost({
    servers: { little: fields },
    ports: {
      bundles: store,
      trust: {
        isWorkspaceTrusted: () => true,
        onDidGrantTrust: new Emitter<void>().event,
        confirmStart: (_entry, description) => {
          described = description;
          asked.push(description.warnings);
          return Promise.resolve(answer);
        },
      },
    },
  });
  await host.open();
  try {
    await host.lifecycle.start('little');
    await host.lifecycle.stop('little');
    assert.deepEqual(asked, []);

    const code = path.join(staged.folder, 'server', 'index.mjs');
    appendFileSync(code, '// changed\n');
    await assert.rejects(host.lifecycle.start('little'), { code: 'not-trusted' });
    assert.match(asked.flat().join(), /The files of the bundle in .* changed .*: server\/index\.mjs\. To restore/);

    answer = 'allow';
    await host.lifecycle.start('little');
    await host.lifecycle.stop('little');
    await host.lifecycle.start('little');
    await host.lifecycle.stop('little');
    assert.equal(asked.length, 2, 'the approval of a change is kept');

    appendFileSync(code, '// changed again\n');
    await host.lifecycle.start('little');
    assert.equal(asked.length, 3, 'another change needs another approval');
    assert.equal(described?.changedFiles, undefined);
    await host.lifecycle.stop('little');

    mkdirSync(path.join(staged.folder, 'added'));
    const names = Array.from({ length: 40 }, (_, index) => `added/${index + 10}\u202e.js`);
    for (const name of names) writeFileSync(path.join(staged.folder, name), '');
    await host.lifecycle.start('little');
    const entry = host.servers.list()[0]?.entry;
    assert.ok(entry && described);
    const { detail, whole = '' } = startQuestion(entry, described);
    assert.match(detail, /and 21 more/);
    for (const name of names) assert.ok(whole.includes(name.replace('\u202e', '\\u{202e}')), `${name}\n${whole}`);
    assert.ok(whole.startsWith(detail) && !whole.includes('\u202e'));
  } finally {
    await host.close();
  }
});
