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

test('[S4] a secret that was typed for a server from the user settings is typed again if the user enters the path of an environment file of a workspace', async () => {
  const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
  const user = { s: { ...server(), cwd: os.homedir(), env, envFile: '${input:profile}' } };
  const withProfile = [...inputs, { id: 'profile', type: 'promptString' }];
  const values = ['typed', 'typed', 'typed'];
  const left: number[] = [];
  for (const file of [path.join(os.homedir(), 'vars.env'), path.join(process.cwd(), '.env')]) {
    const made = makeHost({ ...kept, settings: { autoStart: 'never' }, user, inputs: withProfile, values });
    await withHost(made, async (host) => {
      await host.storedValues.keepInput('s', 'profile', file);
      await host.lifecycle.start('s');
      await host.lifecycle.restart('s');
    });
    left.push(values.length);
  }
  assert.deepEqual(left, [2, 1]);
});

describe('[S4] a secret that was typed for a server of the workspace', () => {
  const withAddress = (host: string) => {
    const line = `DB_CONNECTION_STRING=db://app:\${input:key}@${host}/shop`;
    const [name = '', value] = line.split('=');
    return { fields: { env: { [name]: value } }, file: '', env: [line], envFileLines: undefined };
  };
  const withFile = (host: string) => {
    const line = `DB_HOST=${host}`;
    return { fields: { env, envFile: '.env' }, file: line, env: ['KEY=${input:key}'], envFileLines: [line] };
  };
  const cases = [
    ['is typed again if the address that it goes to changes', withAddress, 'evil.example', 2],
    ['is typed once if nothing changes', withAddress, 'db.example', 1],
    ['is typed again if an address in its environment file changes', withFile, 'evil.example', 2],
    ['is typed once if its environment file does not change', withFile, 'db.example', 1],
  ] as const;
  for (const [title, make, changed, times] of cases)
    test(title, async () => {
      const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
      const values = ['typed', 'typed'];
      for (const host of ['db.example', changed]) {
        const { fields, file, ...shown } = make(host);
        const workspace = { s: { ...server(), ...fields } };
        const made = makeHost({ ...kept, settings: { autoStart: 'never' }, workspace, inputs, values });
        made.envFile.text = file;
        await withHost(made, (whole) => whole.lifecycle.start('s', { interactive: true }));
        for (const { env: lines, envFileLines } of made.questions)
          assert.deepEqual({ env: lines, envFileLines }, shown);
      }
      assert.equal(2 - values.length, times);
    });

  test('is typed again if the authorities of a remote server change', async () => {
    const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
    const remote = {
      type: 'http',
      url: 'https://db.example/mcp',
      headers: { 'X-Key': '${input:key}' },
      caFile: 'ca.pem',
    };
    const values = ['typed', 'typed', 'typed'];
    for (const file of ['one authority', 'one authority', 'another authority']) {
      const made = makeHost({ ...kept, settings: { autoStart: 'never' }, workspace: { s: remote }, inputs, values });
      made.envFile.text = file;
      // The texts contain no certificate, so each start fails after the secret was typed.
      await withHost(made, (host) =>
        assert.rejects(host.lifecycle.start('s', { interactive: true }), /contains no certificate/),
      );
    }
    assert.equal(3 - values.length, 2);
  });

  test('is typed again if the environment file changes whose path is entered', async () => {
    const kept = { secrets: new Map<string, string>(), state: new Map<string, unknown>() };
    const workspace = { s: { ...server(), args: [...server().args, '${input:key}'], envFile: '${input:profile}' } };
    const withProfile = [...inputs, { id: 'profile', type: 'pickString', options: ['.env'] }];
    const values = ['.env', 'typed', 'typed', 'typed'];
    const left: number[] = [];
    for (const file of ['DB_HOST=db.example', 'DB_HOST=db.example', 'DB_HOST=evil.example', 'DB_HOST=db.example']) {
      const made = makeHost({ ...kept, settings: { autoStart: 'never' }, workspace, inputs: withProfile, values });
      made.envFile.text = file;
      await withHost(made, async (host) => {
        await host.lifecycle.start('s');
        // A value that the user changes is the one that the next start uses.
        const used = (await host.storedValues.inputs()).filter(({ isUsed }) => isUsed).map(({ input }) => input);
        assert.deepEqual(used.sort(), ['key', 'profile']);
      });
      left.push(values.length);
    }
    assert.deepEqual(left, [2, 2, 1, 1]);
  });
});
