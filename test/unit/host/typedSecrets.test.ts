import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { makeHost, server, withHost } from './memoryHost.js';

const env = { KEY: '${input:key}' };
const inputs = [{ id: 'key', type: 'promptString', description: 'The key', password: true }];

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
    'is typed again in another workspace if PATH leads to a program of the workspace': {
      definition: { command: 'own-server', env },
      times: 2,
      path: 'bin',
    },
    'is typed once if the workspace does not decide what runs': { definition: { ...server(), env }, times: 1 },
  };
  for (const [title, { definition, times, ...more }] of Object.entries(cases))
    test(title, async (t) => {
      const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-typed-')));
      t.after(() => rmSync(top, { recursive: true }));
      const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
      const values = ['typed', 'typed', 'typed'];
      for (const name of ['one', 'two', 'one']) {
        const folder = path.join(top, name);
        mkdirSync(path.join(folder, 'bin'), { recursive: true });
        writeFileSync(path.join(folder, 'server.cjs'), 'process.exit(3);');
        const search = 'path' in more ? { path: path.join(folder, more.path) } : {};
        const made = makeHost({ ...kept, user: { s: definition }, inputs, values, ...search });
        made.folders.splice(0, 1, { name, path: folder });
        // The program of the workspace ends at once; what counts is what was typed.
        await withHost(made, (host) => host.lifecycle.start('s', { interactive: true }).catch(() => undefined));
      }
      assert.equal(3 - values.length, times);
    });
});

describe('[S4] a secret that was typed for a server of the workspace', () => {
  const cases = {
    'is typed again if the address that it goes to changes': { address: 'evil.example', times: 2 },
    'is typed once if nothing changes': { address: 'db.example', times: 1 },
  };
  for (const [title, { address, times }] of Object.entries(cases))
    test(title, async () => {
      const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
      const values = ['typed', 'typed'];
      for (const host of ['db.example', address]) {
        const url = `db://app:\${input:key}@${host}/shop`;
        const workspace = { s: { ...server(), env: { DB_CONNECTION_STRING: url } } };
        const made = makeHost({ ...kept, settings: { autoStart: 'never' }, workspace, inputs, values });
        await withHost(made, (whole) => whole.lifecycle.start('s', { interactive: true }));
        for (const { env: shown } of made.questions) assert.deepEqual(shown, [`DB_CONNECTION_STRING=${url}`]);
      }
      assert.equal(2 - values.length, times);
    });

  const files = {
    'is typed again if an address in its environment file changes': { changed: 'DB_HOST=evil.example', times: 2 },
    'is typed once if its environment file does not change': { changed: 'DB_HOST=db.example', times: 1 },
  };
  for (const [title, { changed, times }] of Object.entries(files))
    test(title, async () => {
      const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
      const values = ['typed', 'typed'];
      for (const text of ['DB_HOST=db.example', changed]) {
        const workspace = { s: { ...server(), env, envFile: '.env' } };
        const made = makeHost({ ...kept, settings: { autoStart: 'never' }, workspace, inputs, values });
        made.envFile.text = text;
        await withHost(made, (whole) => whole.lifecycle.start('s', { interactive: true }));
        for (const { envFileLines } of made.questions) assert.deepEqual(envFileLines, [text]);
      }
      assert.equal(2 - values.length, times);
    });
});
