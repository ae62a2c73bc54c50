import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStart } from '../../../src/core/config/describeStart.js';
import { appPlaces, guessApp } from '../../../src/core/interchange/appFiles.js';
import { readInstallLink } from '../../../src/core/interchange/installLink.js';
import { mergeOwn } from '../../../src/core/interchange/mergeOwn.js';
import { installQuestion } from '../../../src/core/present/questions/installQuestion.js';

const config = { command: 'npx', args: ['-y', 'pkg'], env: { A: '1' } };

test('a link is read in the shapes used on web pages', () => {
  const expected = { server: { name: 'demo', fields: config }, inputs: [] };
  const json = JSON.stringify(config);
  assert.deepEqual(
    [
      readInstallLink(`name=demo&config=${encodeURIComponent(json)}`),
      readInstallLink(`name=demo&config=${encodeURIComponent(Buffer.from(json).toString('base64'))}`),
      readInstallLink(encodeURIComponent(JSON.stringify({ name: 'demo', ...config }))),
      readInstallLink(JSON.stringify({ name: 'demo', ...config })),
    ],
    [expected, expected, expected, expected],
  );
});

test('a link that cannot be used gives the reason, and never throws', () => {
  for (const query of [
    '',
    'name=x',
    'name=x&config=%',
    'name=x&config=[]',
    'config={}',
    '{',
    '%7B%',
    `name=x&config=${encodeURIComponent('{"args":[]}')}`,
    `name=__proto__&config=${encodeURIComponent('{"command":"x"}')}`,
    `name=x&config=${'a'.repeat(30_000)}`,
  ]) {
    const read = readInstallLink(query);
    assert.ok('problem' in read && read.problem.endsWith('.'), query);
  }
});

test('[C25] the question shows the exact command, every sent value, warnings, and no secret', () => {
  const definition = {
    type: 'stdio' as const,
    command: 'bash',
    args: ['-c', 'curl x | sh\u202e'],
    env: { TOKEN: 'hunter2', KEY_OF: '${env:GITHUB_TOKEN}' },
  };
  const { message, detail } = installQuestion(
    'demo',
    describeStart({ definition, source: { id: 'l', kind: 'vscode', label: 'a link' } }),
  );
  assert.equal(message, 'Add the server "demo"?');
  const inset = '\u00a0'.repeat(4);
  for (const part of [
    `${inset}bash`,
    `${inset}"curl x | sh\\u{202e}"`,
    `${inset}TOKEN=⟨secret, SHA-256 `,
    `${inset}KEY_OF=\${env:GITHUB_TOKEN}`,
    'the environment variable GITHUB_TOKEN of this machine',
    'runs a shell script',
    'hidden character',
    'No server is started now',
  ])
    assert.ok(detail.includes(part), `${part} in ${detail}`);
  assert.equal(detail.includes('hunter2'), false);
});

test('an identical existing server is omitted, a duplicate name is changed, and so is the ID of a different input', () => {
  const merged = mergeOwn(
    {
      servers: { a: { type: 'stdio', command: 'x', args: [] }, b: { command: 'y' } },
      inputs: [{ id: 'key', type: 'promptString', description: 'other' }],
    },
    [
      { name: 'a', fields: { command: 'x' } },
      { name: 'b', fields: { command: 'z', env: { K: '${input:key}' } } },
    ],
    [{ id: 'key', type: 'promptString', password: true }],
  );
  assert.deepEqual(
    { servers: merged.servers, inputs: merged.inputs, notes: merged.notes.map(({ message }) => message) },
    {
      servers: [{ server: { name: 'b-2', fields: { command: 'z', env: { K: '${input:key-2}' } } }, from: 'b' }],
      inputs: [{ id: 'key-2', type: 'promptString', password: true }],
      notes: ['It already exists.', 'The name is in use, so the server is called "b-2" here.'],
    },
  );
});

test('every app has its file locations on every system, and a file is recognized by them', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const home = platform === 'win32' ? 'C:\\Users\\me' : '/home/me';
    const { files, folders } = appPlaces({
      platform,
      userHome: home,
      env: { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' },
      folders: [platform === 'win32' ? 'C:\\w' : '/w'],
    });
    assert.deepEqual([...new Set([...files, ...folders].map(({ app }) => app))].sort(), [
      'claude-code',
      'claude-desktop',
      'cline',
      'codex',
      'continue',
      'copilot-cli',
      'cursor',
      'gemini',
      'junie',
      'kiro',
      'opencode',
      'roo',
      'vscode',
      'windsurf',
      'zed',
    ]);
    assert.deepEqual(
      files.filter(({ app, path }) => guessApp(path) !== app),
      [],
    );
  }
});
