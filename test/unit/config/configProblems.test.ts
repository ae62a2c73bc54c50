import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseConfigText, parseConfigValue } from '../../../src/core/config/parseConfig.js';
import { parse, parseServer, source } from './parseServer.js';

test('[N1] an invalid entry is a problem at its position and does not affect the valid ones', () => {
  const { servers, problems } = parse(
    '{\n "servers": {\n  "good": { "command": "x" },\n  "bad": { "type": "carrier-pigeon" },\n  "other": { "url": "https://x" }\n }\n}',
  );
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['good', 'other'],
  );
  assert.deepEqual(
    problems.map(({ position, server }) => [position.line, position.character, server]),
    [[3, 19, 'bad']],
  );
});

test('[N1] a text that is not JSON is broken, with the position of the error', () => {
  const { isBroken, problems } = parse('{\n  "servers": {\n    "a" "b"\n}');
  assert.deepEqual([isBroken, problems[0]?.position.line], [true, 2]);
});

test('[N1] names of object members are refused, and of two servers with one name the first is used', () => {
  const { servers, problems } = parse(
    '{"servers": {"__proto__": {"command": "x"}, "constructor": {"command": "x"}, "a": {"command": "first"}, "a": {"command": "second"}}}',
  );
  assert.deepEqual(
    [servers.map(({ definition }) => definition), problems.length],
    [[{ type: 'stdio', command: 'first', args: [], env: {} }], 3],
  );
});

describe('[N1] a message describes the problem and the correction', () => {
  const cases: [string, unknown, RegExp][] = [
    ['nothing to run', {}, /needs a "command".*"url"/],
    ['a very long entry', { command: 'x', args: ['x'.repeat(300_000)] }, /too long: at most 262144 characters/],
    ['args as text', { command: 'x', args: '-y' }, /"args" must be a list/],
    ['a line break in args', { command: 'x', args: ['a\nb'] }, /line breaks/],
    ['NUL in the command', { command: 'x\u0000y' }, /NUL/],
    ['an unknown type', { type: 'grpc', url: 'https://x' }, /The types are stdio, http, sse, ws, and socket/],
    ['a file address', { url: 'file:///etc/passwd' }, /must begin with https:/],
    ['headers as list', { url: 'https://x', headers: ['a'] }, /"headers" must be an object/],
    ['a header with a line break', { url: 'https://x', headers: { a: 'b\r\nc: d' } }, /cannot contain line breaks/],
    ['a number', 7, /Expected an object/],
  ];
  for (const [what, server, message] of cases) {
    test(what, () => {
      const { servers, problems } = parseServer(server);
      assert.deepEqual(servers, []);
      assert.match(problems[0]?.message ?? '', message);
    });
  }
  test('a misspelled field', () => {
    assert.match(parseServer({ command: 'x', arg: ['1'] }).problems[0]?.message ?? '', /Did you mean "args"/);
  });
});

test('any text and any value are read without throwing', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(parse(text).servers)));
  fc.assert(fc.property(fc.json(), (text) => Array.isArray(parse(`{"servers": ${text}, "inputs": ${text}}`).servers)));
  fc.assert(fc.property(fc.anything(), (value) => Array.isArray(parseConfigValue(value, source).servers)));
});

test('valid entries are kept next to any other entry', () => {
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

/** The text at the position of the first problem. */
function underlined(text: string): string | undefined {
  const [problem] = parse(text).problems;
  if (!problem) return undefined;
  const { line, character, endLine, endCharacter } = problem.position;
  return line === endLine ? text.split('\n')[line]?.slice(character, endCharacter) : 'several lines';
}

describe('[N1] a problem has its exact position', () => {
  const cases: [string, string, string][] = [
    ['an item of args', '{"command": "x", "args": ["a", {"b": 1}]}', '{"b": 1}'],
    ['the value of a variable', '{"command": "x", "env": {"A": "1", "B": []}}', '[]'],
    ['the name of a variable', '{"command": "x", "env": {"A=B": "1"}}', '"A=B"'],
    ['the value of a header', '{"url": "https://x", "headers": {"A": 1}}', '1'],
    ['the name of a header', '{"url": "https://x", "headers": {"A B": "1"}}', '"A B"'],
    ['the type', '{"type": "grpc", "url": "https://x"}', '"grpc"'],
    ['a nested type', '{"transport": {"type": "grpc"}, "url": "https://x"}', '"grpc"'],
    ['the name of the server, when the command is missing', '{}', '"s"'],
    ['the command, when it is not a string', '{"command": ["npx", "-y"]}', '["npx", "-y"]'],
    ['the key of a misspelled field', '{"command": "x", "cmd": "y", "arg": []}', '"arg"'],
    ['a field that is written twice', '{"command": "x", "args": [], "args": ["1"]}', '"args"'],
    ['the url', '{"serverUrl": "file:///x"}', '"file:///x"'],
    ['cwd', '{"command": "x", "cwd": 1}', '1'],
    ['disabled', '{"command": "x", "disabled": "yes"}', '"yes"'],
    ['timeout', '{"command": "x", "timeout": "1m"}', '"1m"'],
  ];
  for (const [what, server, place] of cases)
    test(what, () => assert.equal(underlined(`{\n\n"servers": {"s": ${server}}}`), place));

  test('an input', () =>
    assert.equal(underlined('{"servers": {},\n"inputs": [{"id": "a", "type": "telepathy"}]}'), '"telepathy"'));
  test('behind a byte order mark, which editors do not count', () =>
    assert.deepEqual(parse('\ufeff{"servers": 1}').problems[0]?.position, {
      line: 0,
      character: 12,
      endLine: 0,
      endCharacter: 13,
    }));
  test('behind line ends of every kind', () =>
    assert.deepEqual(parse('{\r\n\r"servers":\n1}').problems[0]?.position, {
      line: 3,
      character: 0,
      endLine: 3,
      endCharacter: 1,
    }));
});

describe('[N1] a message describes the correction for', () => {
  const cases: [string, unknown, RegExp][] = [
    [
      'a url of a local server',
      { type: 'stdio', url: 'https://x' },
      /To connect to a "url", change the type to "http"/,
    ],
    ['a whole command line', { command: 'npx -y server' }, /"command" must be the program only/],
    ['a url beside a command', { command: 'x', url: 'https://x' }, /"url" is not used/],
    ['a command beside a url', { type: 'http', command: 'x', url: 'https://x' }, /"command" is not used/],
    ['a user name in the url', { url: 'https://u:p@x' }, /Put them into "headers"/],
    ['a socket without path', { url: 'unix://run/x' }, /three slashes/],
    ['a raw socket at an http address', { type: 'socket', url: 'https://x' }, /begins with unix:\/\/\/ or pipe:\/\/\//],
    [
      'a raw socket with a path of HTTP',
      { type: 'socket', url: 'unix:///run/x#/mcp' },
      /cannot have a part after # or \?/,
    ],
    [
      'headers of a raw socket',
      { type: 'socket', url: 'unix:///run/x', headers: { a: 'b' } },
      /"headers" is not used: .*without HTTP/,
    ],
    [
      'a sign-in of a raw socket',
      { type: 'socket', url: 'unix:///run/x', oauth: { clientId: 'x' } },
      /"oauth" is not used/,
    ],
    ['a raw socket without a url', { type: 'socket' }, /needs a "url"/],
    ['a WebSocket at an http address', { type: 'ws', url: 'https://x' }, /begins with wss: or ws:/],
    ['an incomplete url', { url: 'https://' }, /must be a complete URL/],
    ['a url with a line break', { url: 'https://x\n.evil' }, /control characters/],
    ['one header in two spellings', { url: 'https://x', headers: { a: '1', A: '2' } }, /written twice/],
    ['a NUL in env', { command: 'x', env: { A: 'a\0' } }, /NUL/],
    ['a long number', { command: 'x', env: { ID: Number.MAX_SAFE_INTEGER + 1 } }, /in quotes/],
    ['fields in other spellings', { command: 'x', ENV_FILE: '.env' }, /Did you mean "envFile"/],
    ['enviroment', { command: 'x', enviroment: {} }, /Did you mean "env"/],
    ['an unknown protocol', { command: 'x', protocol: 'modern' }, /"auto", "legacy", or "2026-07-28"/],
    ['a sandbox', { command: 'x', sandboxEnabled: true }, /"sandboxEnabled" has no effect/],
    ['an unknown framing', { command: 'x', framing: 'lsp' }, /"newline" or "content-length"/],
    ['a negative timeout', { command: 'x', timeoutMs: -1 }, /number of milliseconds greater than 0/],
  ];
  for (const [what, server, message] of cases)
    test(what, () => assert.match(parseServer(server).problems[0]?.message ?? '', message));
});

test('[N1] an entry with several mistakes has them all reported', () => {
  const { servers, problems } = parseServer({ command: 7, args: [null], env: 1 });
  assert.deepEqual([servers.length, problems.map(({ severity }) => severity)], [0, ['error', 'error', 'error']]);
});

test('[N1] an unknown type is one problem, not two', () => {
  assert.equal(parseServer({ type: 'grpc' }).problems.length, 1);
});

test('an invalid attempt to disable a server disables it', () => {
  assert.deepEqual(
    [{ disabled: 'true' }, { enabled: 0 }, { disabled: false }, { enabled: true }].map(
      (flags) => parseServer({ command: 'x', ...flags }).servers[0]?.isDisabled,
    ),
    [true, true, false, false],
  );
});

test('an unreadable password flag counts as a password', () => {
  assert.equal(
    parse('{"servers": {}, "inputs": [{"id": "a", "type": "promptString", "password": "yes"}]}').inputs[0]?.password,
    true,
  );
});

test('[N1] names are used once per file, under either key', () => {
  const { servers, problems } = parse(
    '{"servers": {"a": {"command": "1"}}, "mcpServers": {"a": {"command": "2"}, "b": {"command": "3"}}, "servers": {"c": {"command": "4"}}}',
  );
  assert.deepEqual(
    [servers.map(({ name }) => name), problems.map(({ severity, server }) => [severity, server])],
    [
      ['a', 'b', 'c'],
      [
        ['error', 'a'],
        ['warning', undefined],
      ],
    ],
  );
});

test('a name with hidden characters gives a warning', () => {
  assert.match(
    parse('{"servers": {"git\\u200bhub": {"command": "x"}}}').problems[0]?.message ?? '',
    /"git\\u\{200b\}hub" contains hidden characters/,
  );
});

describe('a hostile file', () => {
  test('of more than 5 MiB is not read', () =>
    assert.equal(parse(`{"servers": {}}${' '.repeat(5 * 1024 * 1024)}`).isBroken, true));
  test('of more than 5 MiB in bytes is not read', () =>
    assert.equal(parse(`{"servers": {"${'\u4e2d'.repeat(2 * 1024 * 1024)}": 1}}`).isBroken, true));

  for (const depth of [90, 150, 3_000, 6_000, 8_000, 12_000, 100_000]) {
    test(`with ${depth} levels in an unknown field does not throw`, () =>
      assert.ok(parse(`{"servers": {"a": {"command": "x", "q": ${'['.repeat(depth)}${']'.repeat(depth)}}}}`)));
  }
  test('with a very deep entry keeps the others', () => {
    const { servers, problems } = parse(
      `{"servers": {"deep": {"command": "x", "q": ${'['.repeat(500)}${']'.repeat(500)}}, "good": {"command": "x"}}}`,
    );
    assert.deepEqual([servers.map(({ name }) => name), problems.map(({ server }) => server)], [['good'], ['deep']]);
  });

  test('whose entry or input keeps very many values keeps the others', () => {
    const values = `[${'{},'.repeat(50_000)}{}]`;
    const { servers, inputs, problems } = parse(
      `{"servers": {"large": {"command": "x", "q": ${values}}, "good": {"command": "x", "q": [1]}},
        "inputs": [{"id": "a", "type": "command", "command": "c", "args": ${values}}, {"id": "b", "type": "promptString"}]}`,
    );
    assert.deepEqual([servers.map(({ name }) => name), inputs.map(({ id }) => id)], [['good'], ['b']]);
    assert.deepEqual(
      problems.map(({ message }) => message),
      ['The entry has too many parts that MCP Deck does not use.', '"args" of the input "a" has too many parts.'],
    );
  });

  const many = (count: number, item: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => item(index)).join(',');
  const cases: [string, (size: number) => string][] = [
    ['servers', (size) => `{"servers": {${many(size, (i) => `"s${i}": {"command": "x"}`)}}}`],
    ['servers of one name', (size) => `{"servers": {${many(size, () => '"s": {"command": "x"}')}}}`],
    [
      'inputs',
      (size) => `{"servers": {}, "inputs": [${many(size, (i) => `{"id": "i${i}", "type": "promptString"}`)}]}`,
    ],
    ['fields', (size) => `{"servers": {"s": {"command": "x", ${many(size, (i) => `"f${i}": 1`)}}}}`],
    ['fields of one name', (size) => `{"servers": {"s": {${many(size, () => '"command": 1')}}}}`],
    ['wrong arguments', (size) => `{"servers": {"s": {"command": "x", "args": [${many(size, () => '{}')}]}}}`],
    [
      'headers',
      (size) => `{"servers": {"s": {"url": "https://x", "headers": {${many(size, (i) => `"h${i}": "1"`)}}}}}`,
    ],
    ['keys named servers', (size) => `{${many(size, () => '"servers": {}')}}`],
    ['mistakes', (size) => '{"a" '.repeat(size)],
    ['line ends', (size) => `{"servers": {}${'\r\n\r'.repeat(size)}}`],
  ];
  for (const [what, text] of cases)
    test(`with very many ${what} is read to its end`, () =>
      void parse(text(what === 'line ends' || what === 'mistakes' ? 200_000 : 30_000)));
});

test('[N1] the position of a problem is always within the text', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom('\n', '\r\n', '\r'), (json, end) => {
      const text = `{${end}"servers": {"a": ${json},${end}"b": {"command": ${json}, "args": ${json}, "env": ${json}},${end} "c": {"url": "https://x", "headers": ${json}}},${end}"inputs": ${json}}`;
      const lines = text.split(/\r\n|\r|\n/);
      for (const { position } of parse(text).problems) {
        assert.ok(position.line <= position.endLine && position.endLine < lines.length);
        assert.ok(
          position.character <= (lines[position.line]?.length ?? 0) &&
            position.endCharacter <= (lines[position.endLine]?.length ?? 0),
        );
      }
    }),
  );
});

test('[N1] every entry of the map is either read or reported', () => {
  const field = fc.constantFrom('command', 'args', 'env', 'url', 'headers', 'type', 'disabled', 'cwd', 'timeout', 'x');
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('x', 'https://x', 'stdio', 'http'));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.dictionary(field, value)), (map) => {
      const { servers, problems } = parse(JSON.stringify({ servers: map }));
      const reported = new Set([
        ...servers.map(({ name }) => name),
        ...problems.filter(({ severity }) => severity === 'error').map(({ server }) => server),
      ]);
      assert.deepEqual(
        Object.keys(map).filter((name) => !reported.has(name)),
        [],
      );
    }),
  );
});

test('an invalid restartOnCrash is ignored, and an invalid or misspelled disabledTools disables all tools', () => {
  const read = (fields: object) =>
    parseConfigText(JSON.stringify({ servers: { a: { command: 'x', ...fields } } }), {
      id: 's',
      kind: 'vscode',
      label: 'mcp.json',
    });
  const { servers } = read({ restartOnCrash: false, disabledTools: ['delete_*'] });
  assert.deepEqual(
    [servers[0]?.definition.restartOnCrash, servers[0]?.definition.disabledTools],
    [false, ['delete_*']],
  );
  const odd = read({ restartOnCrash: 'no', disabledTools: 'delete' });
  assert.deepEqual(
    [odd.servers[0]?.definition.restartOnCrash, odd.servers[0]?.definition.disabledTools, odd.problems.length],
    [undefined, ['*'], 2],
  );
  const slow = read({ disabledTools: Array.from({ length: 11 }, (_, index) => `?${index}`) });
  assert.deepEqual(slow.servers[0]?.definition.disabledTools, ['*']);
  assert.match(
    slow.problems[0]?.message ?? '',
    /must be a list of at most 2000 names, at most 10 of them with "\?" and 100 characters\. Until/,
  );
  for (const spelled of ['disabled_tools', 'DisabledTools', 'disabledTool', 'disableTools']) {
    const slip = read({ [spelled]: ['delete_*'] });
    assert.deepEqual(
      [slip.servers[0]?.definition.disabledTools, slip.problems.map(({ message }) => message)],
      [
        ['*'],
        [
          `"${spelled}" is not a field of a server. Did you mean "disabledTools"? Until this is corrected, all tools of the server are disabled.`,
        ],
      ],
    );
  }
});

test('a caFile that names no file makes the server unusable: no other authorities are trusted instead', () => {
  const read = (caFile: unknown) =>
    parseConfigText(JSON.stringify({ servers: { a: { url: 'https://h/mcp', caFile } } }), {
      id: 's',
      kind: 'vscode',
      label: 'mcp.json',
    });
  for (const odd of [5, '', ' ', ['ca.pem'], false, {}]) {
    const { servers, problems } = read(odd);
    assert.deepEqual(
      [servers.length, problems.map(({ severity, server }) => [severity, server])],
      [0, [['error', 'a']]],
      JSON.stringify(odd),
    );
    assert.match(problems[0]?.message ?? '', /"caFile" must be .*remove the field/);
  }
  assert.equal(read(null).servers.length, 1);
});
