import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import { headlessHost } from '../../support/headlessHost.js';

const source: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };
const env = { KEY: '${input:key}' };
const input = { id: 'key', type: 'promptString', description: 'The key', password: true } as const;

describe('[S4] a secret that was typed for a server from the user settings', () => {
  const cases = {
    'is typed again in another workspace if its command names a file of the workspace': {
      definition: { command: process.execPath, args: ['${workspaceFolder}/server.cjs'], env },
      times: 2,
    },
    'is typed again in another workspace if it runs in the workspace': {
      definition: { command: process.execPath, args: ['./server.cjs'], cwd: '${workspaceFolder}', env },
      times: 2,
    },
    'is typed once if the workspace does not decide what runs': {
      definition: { command: process.execPath, args: [path.resolve('test/fixtures/servers/counting.mjs'), 'x'], env },
      times: 1,
    },
  };
  for (const [title, { definition, times }] of Object.entries(cases))
    test(title, async (t) => {
      const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-typed-')));
      t.after(() => rmSync(top, { recursive: true }));
      const secrets = new Map<string, string>();
      const state = new Map<string, unknown>();
      let typed = 0;
      for (const name of ['one', 'two', 'one']) {
        const folder = path.join(top, name);
        mkdirSync(folder, { recursive: true });
        writeFileSync(path.join(folder, 'server.cjs'), 'process.exit(3);');
        const { host } = headlessHost({
          servers: {},
          ports: {
            configuration: {
              read: () => Promise.resolve([{ source, value: { s: definition }, inputs: [input] }]),
              onDidChange: new Emitter<void>().event,
            },
            state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
            secrets: {
              get: (key) => Promise.resolve(secrets.get(key)),
              set: (key, value) => Promise.resolve(void secrets.set(key, value)),
              delete: (key) => Promise.resolve(void secrets.delete(key)),
            },
            inputs: {
              ask: () => {
                typed++;
                return Promise.resolve('typed secret');
              },
            },
            machine: {
              env: {},
              platform: process.platform,
              userHome: top,
              readFile: (file) => readFile(file, 'utf8'),
              folders: () => [{ name, path: folder }],
              getSetting: () => undefined,
              isSetByWorkspace: () => false,
            },
          },
        });
        await host.open();
        // The program of the workspace ends at once; what counts is what was typed.
        await host.lifecycle.start('s', { interactive: true }).catch(() => undefined);
        await host.close();
      }
      assert.equal(typed, times);
    });
});
