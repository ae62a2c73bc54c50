import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseConfigText, parseConfigValue } from '../../../src/core/config/parseConfig.js';
import { parse, parseServer, source } from './parseServer.js';

test('[N1] a file with comments, trailing commas and a byte order mark is read', () => {
  const { servers, problems } = parse(
    '\ufeff// servers\n{ "servers": { "a": { "command": "x", /* why */ "args": ["1", 2,], }, }, }',
  );
  assert.deepEqual(
    [servers.map(({ name, definition }) => [name, definition]), problems],
    [[['a', { type: 'stdio', command: 'x', args: ['1', '2'], env: {} }]], []],
  );
});

test('an empty file is valid', () => {
  assert.deepEqual(parse('  \n'), { servers: [], inputs: [], problems: [], isBroken: false });
});

test('both top-level keys are supported in either file', () => {
  const { servers } = parse('{"mcpServers": {"a": {"command": "x"}}, "servers": {"b": {"command": "x"}}}');
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['a', 'b'],
  );
});

describe('the spellings of other hosts', () => {
  const cases: [string, unknown, unknown][] = [
    ['streamableHttp', { type: 'streamableHttp', url: 'https://x' }, { type: 'http', url: 'https://x', headers: {} }],
    ['streamable-http', { type: 'streamable-http', url: 'https://x' }, { type: 'http', url: 'https://x', headers: {} }],
    ['serverUrl', { serverUrl: 'https://x' }, { type: 'auto', url: 'https://x', headers: {} }],
    [
      'a nested transport',
      { transport: { type: 'sse' }, url: 'https://x' },
      { type: 'sse', url: 'https://x', headers: {} },
    ],
    ['a WebSocket by its address', { url: 'wss://x' }, { type: 'ws', url: 'wss://x', headers: {} }],
    [
      'a Unix socket',
      { type: 'http', url: 'unix:///run/x#/mcp' },
      { type: 'http', url: 'unix:///run/x#/mcp', headers: {} },
    ],
    [
      'a raw socket',
      { type: 'socket', url: 'unix:///run/x.sock' },
      { type: 'socket', url: 'unix:///run/x.sock', headers: {} },
    ],
    [
      'a socket without a type',
      { url: 'unix:///run/x.sock' },
      { type: 'auto', url: 'unix:///run/x.sock', headers: {} },
    ],
    [
      'a pipe with a variable as its name',
      { transport: 'socket', url: 'pipe:///${env:PIPE}' },
      { type: 'socket', url: 'pipe:///${env:PIPE}', headers: {} },
    ],
    [
      'seconds of Cline',
      { command: 'x', timeout: 60 },
      { type: 'stdio', command: 'x', args: [], env: {}, timeoutMs: 60_000 },
    ],
    [
      'milliseconds of Claude Code',
      { command: 'x', timeout: 60_000 },
      { type: 'stdio', command: 'x', args: [], env: {}, timeoutMs: 60_000 },
    ],
    [
      'unknown fields',
      { command: 'x', gallery: true },
      { type: 'stdio', command: 'x', args: [], env: {}, extra: { gallery: true } },
    ],
    [
      'numbers and null in env',
      { command: 'x', env: { A: 1, B: true, C: null } },
      { type: 'stdio', command: 'x', args: [], env: { A: '1', B: 'true', C: null } },
    ],
  ];
  for (const [what, server, expected] of cases) {
    test(what, () => {
      const { servers, problems } = parseServer(server);
      assert.deepEqual([servers[0]?.definition, problems], [expected, []]);
    });
  }
  test('disabled and enabled', () => {
    assert.deepEqual(
      [
        parseServer({ command: 'x', disabled: true }).servers[0]?.isDisabled,
        parseServer({ command: 'x', enabled: false }).servers[0]?.isDisabled,
      ],
      [true, true],
    );
  });
});

test('inputs are read, and an invalid one is reported', () => {
  const { inputs, problems } = parse(
    JSON.stringify({
      servers: {},
      inputs: [
        { id: 'a', type: 'promptString', description: 'A', password: true, default: 'd' },
        { id: 'b', type: 'pickString', options: ['x', { label: 'Y', value: 'y' }] },
        { id: 'c', type: 'command', command: 'do.it', args: 1 },
        { id: 'd', type: 'telepathy' },
        { id: 'e', type: 'command', command: 'mcpDeck.runTool', args: { server: 's', tool: 't' } },
        { id: 'a', type: 'promptString' },
      ],
    }),
  );
  assert.deepEqual(inputs, [
    { id: 'a', type: 'promptString', description: 'A', password: true, default: 'd' },
    {
      id: 'b',
      type: 'pickString',
      options: [
        { label: 'x', value: 'x' },
        { label: 'Y', value: 'y' },
      ],
    },
    { id: 'c', type: 'command', command: 'do.it', args: 1 },
  ]);
  assert.equal(problems.length, 3);
});

test('the setting is the map of servers itself', () => {
  const { servers } = parseConfigValue(
    { mine: { command: 'x' } },
    { id: 'user', kind: 'user', label: 'User settings' },
  );
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['mine'],
  );
});

describe('unknown fields', () => {
  test('give no warning', () =>
    assert.deepEqual(
      parseServer({ command: 'x', alwaysAllow: [], dev: { watch: '*' }, description: 'd' }).problems,
      [],
    ));
  test('are kept, and so are those of the other kind', () => {
    assert.deepEqual(parseServer({ url: 'https://x', env: {}, autoApprove: ['a'] }).servers[0]?.definition.extra, {
      env: {},
      autoApprove: ['a'],
    });
  });
  test('are data even when they are called __proto__', () => {
    const [server] = parse('{"servers": {"s": {"command": "x", "__proto__": {"polluted": true}}}}').servers;
    assert.deepEqual(
      [Object.keys(server?.definition.extra ?? {}), Object.hasOwn(Object.prototype, 'polluted')],
      [['__proto__'], false],
    );
  });
});

test('null counts as absent', () => {
  const { servers, problems } = parseServer({
    type: null,
    command: null,
    args: null,
    env: null,
    url: 'https://x',
    headers: null,
  });
  assert.deepEqual([servers[0]?.definition.type, problems], ['auto', []]);
});

test('a transport object with all fields is read', () => {
  const { servers } = parseServer({ transport: { type: 'stdio', command: 'x', args: ['1'] }, disabled: false });
  assert.deepEqual(servers[0]?.definition, { type: 'stdio', command: 'x', args: ['1'], env: {} });
});

test('a transport that is the name of a type is used, any other text is kept', () => {
  assert.deepEqual(
    [
      parseServer({ transport: 'sse', url: 'https://x' }).servers[0]?.definition,
      parseServer({ transport: 'pigeon', command: 'x' }).servers[0]?.definition,
    ],
    [
      { type: 'sse', url: 'https://x', headers: {} },
      { type: 'stdio', command: 'x', args: [], env: {}, extra: { transport: 'pigeon' } },
    ],
  );
});

describe('timeout', () => {
  const cases: ['vscode' | 'portable', number, number][] = [
    ['vscode', 60, 60_000],
    ['vscode', 3_600, 3_600_000],
    ['vscode', 3_601, 3_601],
    ['portable', 60, 60_000],
    ['portable', 2_000, 2_000],
  ];
  for (const [kind, written, ms] of cases) {
    test(`${written} in a ${kind} file is ${ms} ms`, () => {
      const [server] = parseConfigText(JSON.stringify({ servers: { s: { command: 'x', timeout: written } } }), {
        ...source,
        kind,
      }).servers;
      assert.equal(server?.definition.timeoutMs, ms);
    });
  }
  test('is overridden by timeoutMs', () =>
    assert.equal(parseServer({ command: 'x', timeout: 60, timeoutMs: 5 }).servers[0]?.definition.timeoutMs, 5));
});

test('a file with only comments is empty, not broken', () => {
  assert.deepEqual(parse('// nothing here yet\n'), { servers: [], inputs: [], problems: [], isBroken: false });
});

describe('the setting', () => {
  const setting = (value: unknown) => parseConfigValue(value, { id: 'user', kind: 'user', label: 'User settings' });

  test('reports like a file, without positions', () => {
    const { servers, problems } = setting({ good: { command: 'x' }, bad: { command: 7 } });
    assert.deepEqual(
      [servers.length, problems.map(({ position, server }) => [position, server])],
      [1, [[{ line: 0, character: 0, endLine: 0, endCharacter: 0 }, 'bad']]],
    );
  });
  test('is broken when it is not an object', () =>
    assert.deepEqual(
      [[], 'x', 7].map((value) => setting(value).isBroken),
      [true, true, true],
    ));
  test('is empty when it is absent', () =>
    assert.deepEqual(
      [setting(undefined), setting(null)].map(({ isBroken, problems }) => [isBroken, problems]),
      [
        [false, []],
        [false, []],
      ],
    ));
  test('explains how to correct a whole file pasted into it', () =>
    assert.match(
      setting({ servers: { a: { command: 'x' } } }).problems[0]?.message ?? '',
      /without the key "servers"/,
    ));
  test('may contain a server named "servers"', () =>
    assert.equal(setting({ servers: { command: 'x', env: {} } }).servers.length, 1));
});

test('the setting has a separate setting for inputs', () => {
  const { servers, inputs } = parseConfigValue(
    { a: { command: 'x' } },
    { id: 's', kind: 'user', label: 'User settings' },
    [{ id: 'k', type: 'promptString', password: true }],
  );
  assert.deepEqual(
    { names: servers.map(({ name }) => name), inputs },
    { names: ['a'], inputs: [{ id: 'k', type: 'promptString', password: true }] },
  );
});

test('the number of servers, inputs, and problems of a file is limited', () => {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const servers = parse(
    JSON.stringify({ servers: Object.fromEntries(many(2_001, (i) => [`s${i}`, { command: 'x' }])) }),
  );
  assert.deepEqual(
    [servers.servers.length, servers.problems.map(({ message }) => message)],
    [2_000, ['Only the first 2000 servers of a file are read.']],
  );
  const inputs = parse(JSON.stringify({ inputs: many(2_001, (i) => ({ id: `i${i}`, type: 'promptString' })) }));
  assert.equal(inputs.inputs.length, 2_000);
  assert.match(inputs.problems.at(-1)?.message ?? '', /Only the first 2000 inputs/);
  const wrong = parse(
    JSON.stringify({ servers: { a: { command: 'x', args: many(5_000, () => []) } }, inputs: many(9_000, () => 1) }),
  );
  assert.equal(wrong.problems.length, 1_000);
  assert.match(wrong.problems.at(-1)?.message ?? '', /There are more problems/);
});

test('a URL whose host is too long is refused, because encoding it takes quadratic time', () => {
  const letters = String.fromCharCode(...Array.from({ length: 20_000 }, (_, index) => 0x4e00 + index));
  for (const url of [`https://${letters.repeat(4)}/`, `https:/\t/\\${letters}/`]) {
    const { servers, problems } = parse(JSON.stringify({ servers: { a: { type: 'http', url } } }));
    assert.deepEqual([servers, problems.length], [[], 1]);
  }
});

test('[C30] a file with too many values or errors is not parsed to a tree', () => {
  for (const part of ['0,', ',', '?,', '? '])
    assert.match(
      parseConfigText(`{"mcpServers":{},"x":[${part.repeat(1_200_000)}0]}`, source).problems[0]?.message ?? '',
      /has too many values and was not read/,
    );
  const text = `{"mcpServers":{"a":{"command":"a"}},"x":"${',['.repeat(1_000_000)}"}`;
  assert.deepEqual(
    parseConfigText(text, source).servers.map(({ name }) => name),
    ['a'],
  );
});
