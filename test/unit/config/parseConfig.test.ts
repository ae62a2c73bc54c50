import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseConfigText, parseConfigValue } from '../../../src/core/config/parseConfig.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';

const source: ConfigSource = { id: 'vscode:/w', kind: 'vscode', label: '.vscode/mcp.json', folderPath: '/w' };
const parse = (text: string) => parseConfigText(text, source);
const parseServer = (server: unknown) => parse(JSON.stringify({ servers: { s: server } }));

test('[N1] a file with comments, trailing commas and a byte order mark is read', () => {
  const { servers, problems } = parse('\ufeff// servers\n{ "servers": { "a": { "command": "x", /* why */ "args": ["1", 2,], }, }, }');
  assert.deepEqual([servers.map(({ name, definition }) => [name, definition]), problems], [[['a', { type: 'stdio', command: 'x', args: ['1', '2'], env: {} }]], []]);
});

test('[N1] a bad entry is a problem at its place and leaves the good ones', () => {
  const { servers, problems } = parse('{\n "servers": {\n  "good": { "command": "x" },\n  "bad": { "type": "carrier-pigeon" },\n  "other": { "url": "https://x" }\n }\n}');
  assert.deepEqual(servers.map(({ name }) => name), ['good', 'other']);
  assert.deepEqual(problems.map(({ position, server }) => [position.line, position.character, server]), [[3, 19, 'bad']]);
});

test('[N1] a text that is no JSON is broken, with the place of the mistake', () => {
  const { isBroken, problems } = parse('{\n  "servers": {\n    "a" "b"\n}');
  assert.deepEqual([isBroken, problems[0]?.position.line], [true, 2]);
});

test('an empty file is no mistake', () => {
  assert.deepEqual(parse('  \n'), { servers: [], inputs: [], problems: [], isBroken: false });
});

test('[N1] names of object members and duplicates are refused, the first of two counts', () => {
  const { servers, problems } = parse('{"servers": {"__proto__": {"command": "x"}, "constructor": {"command": "x"}, "a": {"command": "first"}, "a": {"command": "second"}}}');
  assert.deepEqual([servers.map(({ definition }) => definition), problems.length], [[{ type: 'stdio', command: 'first', args: [], env: {} }], 3]);
});

test('both top-level keys are understood in either file', () => {
  const { servers } = parse('{"mcpServers": {"a": {"command": "x"}}, "servers": {"b": {"command": "x"}}}');
  assert.deepEqual(servers.map(({ name }) => name), ['b', 'a']);
});

describe('the spellings of other hosts', () => {
  const cases: [string, unknown, unknown][] = [
    ['streamableHttp', { type: 'streamableHttp', url: 'https://x' }, { type: 'http', url: 'https://x', headers: {} }],
    ['streamable-http', { type: 'streamable-http', url: 'https://x' }, { type: 'http', url: 'https://x', headers: {} }],
    ['serverUrl', { serverUrl: 'https://x' }, { type: 'auto', url: 'https://x', headers: {} }],
    ['a nested transport', { transport: { type: 'sse' }, url: 'https://x' }, { type: 'sse', url: 'https://x', headers: {} }],
    ['a WebSocket by its address', { url: 'wss://x' }, { type: 'ws', url: 'wss://x', headers: {} }],
    ['a Unix socket', { type: 'http', url: 'unix:///run/x#/mcp' }, { type: 'http', url: 'unix:///run/x#/mcp', headers: {} }],
    ['seconds of Cline', { command: 'x', timeout: 60 }, { type: 'stdio', command: 'x', args: [], env: {}, timeoutMs: 60_000 }],
    ['milliseconds of Claude Code', { command: 'x', timeout: 60_000 }, { type: 'stdio', command: 'x', args: [], env: {}, timeoutMs: 60_000 }],
    ['unknown fields', { command: 'x', sandboxEnabled: true }, { type: 'stdio', command: 'x', args: [], env: {}, extra: { sandboxEnabled: true } }],
    ['numbers and null in env', { command: 'x', env: { A: 1, B: true, C: null } }, { type: 'stdio', command: 'x', args: [], env: { A: '1', B: 'true', C: null } }],
  ];
  for (const [what, server, expected] of cases) {
    test(what, () => {
      const { servers, problems } = parseServer(server);
      assert.deepEqual([servers[0]?.definition, problems], [expected, []]);
    });
  }
  test('disabled and enabled', () => {
    assert.deepEqual([parseServer({ command: 'x', disabled: true }).servers[0]?.isDisabled, parseServer({ command: 'x', enabled: false }).servers[0]?.isDisabled], [true, true]);
  });
});

describe('[N1] a message says what is wrong and what would be right', () => {
  const cases: [string, unknown, RegExp][] = [
    ['nothing to run', {}, /needs a "command".*"url"/],
    ['args as text', { command: 'x', args: '-y' }, /"args" has to be a list/],
    ['a line break in args', { command: 'x', args: ['a\nb'] }, /line breaks/],
    ['NUL in the command', { command: 'x\u0000y' }, /NUL/],
    ['an unknown type', { type: 'grpc', url: 'https://x' }, /known are stdio, http, sse and ws/],
    ['a file address', { url: 'file:///etc/passwd' }, /has to begin with https:/],
    ['headers as list', { url: 'https://x', headers: ['a'] }, /"headers" has to be an object/],
    ['a header with a line break', { url: 'https://x', headers: { a: 'b\r\nc: d' } }, /not a valid HTTP header/],
    ['a number', 7, /Expected an object/],
  ];
  for (const [what, server, message] of cases) {
    test(what, () => {
      const { servers, problems } = parseServer(server);
      assert.deepEqual(servers, []);
      assert.match(problems[0]?.message ?? '', message);
    });
  }
  test('a slip of the pen', () => {
    assert.match(parseServer({ command: 'x', arg: ['1'] }).problems[0]?.message ?? '', /Did you mean "args"/);
  });
});

test('inputs are read, and a bad one is reported', () => {
  const { inputs, problems } = parse(
    JSON.stringify({
      servers: {},
      inputs: [
        { id: 'a', type: 'promptString', description: 'A', password: true, default: 'd' },
        { id: 'b', type: 'pickString', options: ['x', { label: 'Y', value: 'y' }] },
        { id: 'c', type: 'command', command: 'do.it', args: 1 },
        { id: 'd', type: 'telepathy' },
        { id: 'a', type: 'promptString' },
      ],
    }),
  );
  assert.deepEqual(inputs, [
    { id: 'a', type: 'promptString', description: 'A', password: true, default: 'd' },
    { id: 'b', type: 'pickString', options: [{ label: 'x', value: 'x' }, { label: 'Y', value: 'y' }] },
    { id: 'c', type: 'command', command: 'do.it', args: 1 },
  ]);
  assert.equal(problems.length, 2);
});

test('the setting is the map of servers itself', () => {
  const { servers } = parseConfigValue({ mine: { command: 'x' } }, { id: 'user', kind: 'user', label: 'User settings' });
  assert.deepEqual(servers.map(({ name }) => name), ['mine']);
});

test('any text and any value are read without throwing', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(parse(text).servers)));
  fc.assert(fc.property(fc.json(), (text) => Array.isArray(parse(`{"servers": ${text}, "inputs": ${text}}`).servers)));
  fc.assert(fc.property(fc.anything(), (value) => Array.isArray(parseConfigValue(value, source).servers)));
});

test('good entries survive any neighbour', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (neighbour, name) => {
      fc.pre(name !== 'good');
      const { servers } = parse(`{"servers": {${JSON.stringify(name)}: ${neighbour}, "good": {"command": "x"}}}`);
      assert.ok(servers.some((server) => server.name === 'good'));
    }),
  );
});

test('thousands of nested brackets are a problem, not a crash', () => {
  assert.equal(parse('['.repeat(100_000)).isBroken, true);
});
