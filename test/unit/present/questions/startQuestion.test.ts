import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStart } from '../../../../src/core/config/describeStart.js';
import type {
  InputDefinition,
  ServerDefinition,
  StdioDefinition,
} from '../../../../src/core/config/serverDefinition.js';
import { startQuestion } from '../../../../src/core/present/questions/startQuestion.js';
import { fileSource, serverView } from '../../../support/serverViews.js';

test('[C2] the question shows command, arguments one per line, folder, variables and the file', () => {
  const question = ask({
    type: 'stdio',
    command: 'npx',
    args: ['-y', 'some server', ''],
    cwd: '${workspaceFolder}',
    env: { MODE: 'fast', GONE: null },
    envFile: '.env',
  });
  assert.equal(question.message, 'Start the server "demo" of this workspace?');
  assert.equal(
    question.detail,
    [
      'MCP Deck runs\n\u00a0\u00a0\u00a0\u00a0npx',
      'with the arguments\n\u00a0\u00a0\u00a0\u00a0-y\n\u00a0\u00a0\u00a0\u00a0some server\n\u00a0\u00a0\u00a0\u00a0""',
      'in the folder\n\u00a0\u00a0\u00a0\u00a0${workspaceFolder}',
      'and sets the variables\n\u00a0\u00a0\u00a0\u00a0MODE=fast\n\u00a0\u00a0\u00a0\u00a0GONE ⟨removed⟩',
      'and the variables of the file\n\u00a0\u00a0\u00a0\u00a0.env',
      'The server is defined in w: .vscode/mcp.json. Start it only if you trust its source, because it runs with your permissions.',
    ].join('\n\n'),
  );
});

test('[C2] nothing is truncated, and hidden characters are visible', () => {
  const long = 'x'.repeat(100_000);
  const { detail } = ask({
    type: 'stdio',
    command: 'node',
    args: [long, 'a\u202eb', 'one\n    two', ` ${' '.repeat(500)}--evil`],
    env: {},
  });
  const expected = [
    long,
    'a\\u{202e}b',
    '"one\\n    two"',
    `"${' '.repeat(501)}--evil"`,
    'Check carefully\n\u00a0\u00a0\u00a0\u00a0It contains 1 hidden character,',
  ];
  assert.deepEqual(
    expected.map((part) => detail.includes(part)),
    expected.map(() => true),
  );
});

test('[C2] a raw socket shows its path, and that no HTTP is spoken', () => {
  const question = ask({ type: 'socket', url: 'unix:///run/tools.sock', headers: {} });
  assert.equal(question.message, 'Connect to the server "demo" of this workspace?');
  assert.equal(
    question.detail.split('\n\n')[0],
    'MCP Deck exchanges JSON lines with the program at\n\u00a0\u00a0\u00a0\u00a0unix:///run/tools.sock',
  );
});

test('[C25] a remote server shows its address and every header as written', () => {
  const question = ask({
    type: 'http',
    url: 'http://example.com/mcp',
    headers: { 'X-Client': '${env:GITHUB_TOKEN}', Authorization: 'Bearer ${config:some.user.apiKey}' },
  });
  assert.equal(question.message, 'Connect to the server "demo" of this workspace?');
  assert.deepEqual(question.detail.split('\n\n').slice(0, 5), [
    lines(
      'Check carefully',
      'The connection is not encrypted.',
      'It sends the environment variable GITHUB_TOKEN of this machine to example.com.',
      'It sends the setting some.user.apiKey to example.com.',
    ),
    lines('MCP Deck connects to', 'http://example.com/mcp'),
    lines('over the transport', 'Streamable HTTP'),
    lines('and sends the headers', 'X-Client: ${env:GITHUB_TOKEN}', 'Authorization: Bearer ${config:some.user.apiKey}'),
    lines(
      'Values that are filled in',
      '${env:GITHUB_TOKEN}: the environment variable GITHUB_TOKEN of this machine',
      '${config:some.user.apiKey}: the setting some.user.apiKey',
    ),
  ]);
});

test('[C25] a warning about a sent variable names its receiver: the server, its authorization server, or the provider', () => {
  const question = ask({
    type: 'http',
    url: 'https://${env:REGION}.example.com/mcp',
    headers: { 'X-Key': '${env:BOTH}' },
    caFile: '${env:CA_FILE}',
    oauth: {
      issuer: 'https://login.evil.example/a',
      clientId: '${env:BOTH}',
      clientSecret: '${config:some.user.secret}',
      scopes: ['${env:SCOPE}'],
      privateKeyFile: '${env:KEY_FILE}',
      account: '${env:ACCOUNT}',
      provider: {
        issuer: 'https://corp.example',
        tokenEndpoint: 'https://corp.example/token',
        clientId: 'me',
        clientSecret: '${env:CORP_SECRET}',
      },
    },
  });
  const sent = question.detail.split('\n').flatMap((line) => /It sends (.*)\.$/.exec(line)?.[1] ?? []);
  assert.deepEqual(sent, [
    'these environment variables of this machine to its URL: REGION, BOTH',
    'these environment variables of this machine to login.evil.example: BOTH, SCOPE',
    'the setting some.user.secret to login.evil.example',
    'the environment variable CORP_SECRET of this machine to corp.example',
  ]);
});

test('[F9] many variables for one receiver name it once', () => {
  const names = Array.from({ length: 500 }, (_, index) => [`\${env:V${index}}`, `\${config:c${index}}`]);
  const url = `https://${'a'.repeat(900)}/mcp`;
  const { detail } = ask({ type: 'http', url, headers: { 'X-All': names.flat().join('') } });
  const sent = detail.split('\n').filter((line) => line.includes('It sends'));
  assert.equal(sent.length, 2);
  assert.match(sent.join('\n'), /to aaa.*: V0, V1, .*, V499\.\n.*to aaa.*: c0, c1, .*, c499\.$/);
});

test('[C25] without a configured issuer, a variable of the sign-in goes to the authorization server', () => {
  const question = ask({ type: 'http', url: 'https://h/', headers: {}, oauth: { clientSecret: '${env:SECRET}' } });
  assert.match(
    question.detail,
    /It sends the environment variable SECRET of this machine to its authorization server\./,
  );
});

test('[C25] configured certificate authorities, sign-in and Python debugger are shown', () => {
  const remote = ask({
    type: 'http',
    url: 'https://h/',
    headers: {},
    caFile: './ca.pem',
    oauth: {
      clientId: 'me',
      clientSecret: 'hunter2-hunter2',
      tokenFile: 'token.txt',
      scopes: ['a', 'b'],
      provider: { issuer: 'https://i', tokenEndpoint: 'https://t', clientId: '${env:ID}' },
    },
  }).detail;
  for (const part of [
    lines('and trusts the certificate authorities of the file', './ca.pem'),
    'clientId: me',
    'tokenFile: token.txt',
    'scopes: a',
    'scopes: b',
    'provider.tokenEndpoint: https://t',
    'provider.clientId: ${env:ID}',
    'environment variable ID of this machine to t',
  ])
    assert.ok(remote.includes(part), `${part} in ${remote}`);
  assert.match(remote, /clientSecret: ⟨secret, SHA-256 [0-9a-f]{12}…⟩/);
  assert.ok(!remote.includes('hunter2'), remote);
  const local = ask({
    type: 'stdio',
    command: 'python3',
    args: ['s.py'],
    env: {},
    extra: { dev: { debug: { type: 'debugpy', debugpyPath: './evil.sh' } } },
  }).detail;
  assert.ok(local.includes(lines('and, when it is debugged, the debugger', './evil.sh')), local);
});

test('[C25] a start under a debugger shows the definition, and in a section of its own what the debugger runs', () => {
  const definition: StdioDefinition = { type: 'stdio', command: 'npx', args: ['--inspect', 'x'], env: { A: '1' } };
  const debugged = { ...definition, args: ['x'], env: { A: '1', NODE_OPTIONS: '--inspect-brk=127.0.0.1:0' } };
  const { detail } = startQuestion(
    serverView('demo', { definition }).entry,
    describeStart({ definition, source: fileSource, debugged }),
  );
  assert.deepEqual(detail.split('\n\n').slice(0, -1), [
    lines('Check carefully', 'It sets variables that change what programs load, download, or trust: NODE_OPTIONS.'),
    lines('MCP Deck runs', 'npx'),
    lines('with the arguments', '--inspect', 'x'),
    lines('and sets the variables', 'A=1'),
    lines('This time, under the debugger, MCP Deck runs instead', 'npx'),
    lines('with the arguments', 'x'),
    lines('and sets the variables', 'NODE_OPTIONS=--inspect-brk=127.0.0.1:0'),
  ]);
});

test('[C25] the variables in an env file are shown, with a warning about those that change what programs load', () => {
  const definition: ServerDefinition = { type: 'stdio', command: 'node', args: ['s.js'], env: {}, envFile: '.env' };
  const { detail } = startQuestion(
    serverView('demo', { definition }).entry,
    describeStart({
      definition,
      source: fileSource,
      envFileValues: { MODE: 'a', NODE_OPTIONS: '-r ./b.js', DB_HOST: 'db.example', DB_PASSWORD: 'hunter2' },
    }),
  );
  for (const part of [
    'The file .env sets variables that change what programs load, download, or trust: NODE_OPTIONS.',
    lines(
      'which currently sets',
      'MODE=a',
      'NODE_OPTIONS=-r ./b.js',
      'DB_HOST=db.example',
      'DB_PASSWORD=⟨secret, SHA-256 4ddbb67bf993…⟩',
    ),
  ])
    assert.ok(detail.includes(part), `${part} in ${detail}`);
});

test('[C25] inputs are explained: typed values, choices with their values, and commands with their arguments', () => {
  const definition: ServerDefinition = {
    type: 'stdio',
    command: 'x',
    args: ['${input:key}', '${input:mode}', '${input:run}', '${input:none}'],
    env: {},
  };
  const inputs: InputDefinition[] = [
    { id: 'key', type: 'promptString', password: true },
    {
      id: 'mode',
      type: 'pickString',
      default: 'a',
      options: [
        { label: 'safe', value: '--evil' },
        { label: 'a', value: 'a' },
      ],
    },
    { id: 'run', type: 'command', command: 'some.command', args: { a: 1 } },
  ];
  const { detail } = startQuestion(
    serverView('demo', { definition }).entry,
    describeStart({ definition, source: fileSource, inputs }),
  );
  const expected = [
    'Values that are filled in',
    '${input:key}: the value that you enter, kept as a secret',
    '${input:mode}: the value that you select from these, with the default a',
    '\u00a0\u00a0\u00a0\u00a0safe → --evil',
    '\u00a0\u00a0\u00a0\u00a0a',
    '${input:run}: the result of the VS Code command some.command for {"a":1}',
    '${input:none}: has no value',
  ];
  const [heading = '', ...rest] = expected;
  assert.ok(detail.includes(lines(heading, ...rest)), detail);
});

test('[C3] values that the workspace gives to settings are shown, also for a server of the user', () => {
  const definition: ServerDefinition = {
    type: 'stdio',
    command: '${config:my.tool}',
    args: [],
    env: { KEY: '${config:my.token}' },
  };
  const { entry } = serverView('demo', { definition });
  const source = { id: 'user', kind: 'user', label: 'User settings' } as const;
  const values = new Map([
    ['config:my.tool', '/opt/tool'],
    ['config:my.token', 'hunter2-hunter2'],
  ]);
  const question = startQuestion({ ...entry, source }, describeStart({ definition, source, values }));
  assert.equal(question.message, 'Start your server "demo" with settings or files of this workspace?');
  assert.match(
    question.detail,
    /\$\{config:my\.tool\}: the setting my\.tool, which this workspace or this machine sets to \/opt\/tool\n\s+\$\{config:my\.token\}: .* sets to hunter2-hunter2\n/,
  );
});

test('[S1] a literal secret is shown as a digest that changes with it', () => {
  const secrets: (readonly [(value: string) => ServerDefinition, string, string])[] = [
    [(API_KEY) => ({ type: 'stdio', command: 'a', args: [], env: { API_KEY } }), 's3cret', 's4cret'],
    [
      (Authorization) => ({ type: 'http', url: 'https://h/', headers: { Authorization } }),
      'Bearer s3cret',
      'Bearer s4cret',
    ],
    [
      (Authorization) => ({ type: 'http', url: 'https://h/', headers: { Authorization } }),
      's3cret-${env:A}',
      's4cret-${env:A}',
    ],
    [
      (X) => ({ type: 'stdio', command: 'a', args: [], env: { X } }),
      'ghp_s3cret0123456789012345',
      'ghp_s4cret0123456789012345',
    ],
  ];
  for (const [make, one, other] of secrets) {
    const shown = [ask(make(one)).detail, ask(make(other)).detail, ask(make(one)).detail];
    assert.deepEqual(
      [shown[0] === shown[1], shown[0] === shown[2], shown.some((text) => /s[34]cret/.test(text))],
      [false, true, false],
      shown[0],
    );
  }
  const code = ask({ type: 'stdio', command: 'a', args: [], env: { NODE_OPTIONS: '--require=./token.js' } }).detail;
  assert.ok(code.includes('NODE_OPTIONS=--require=./token.js'), code);
});

test('[C26] the name of a server cannot end its quotes or pass for another one', () => {
  const message = (id: string) =>
    startQuestion(
      { id, source: fileSource },
      describeStart({ name: id, definition: { type: 'stdio', command: 'x', args: [], env: {} }, source: fileSource }),
    ).message;
  const cases: [string, string][] = [
    ['git" of your own settings. "', 'Start the server "git\\" of your own settings. \\"" of this workspace?'],
    ['git\u201d of you', 'Start the server "git\\u{201d} of you" of this workspace?'],
    ['gіt', 'Start the server "g\\u{456}t" of this workspace?'],
    ['расе', 'Start the server "\\u{440}\\u{430}\\u{441}\\u{435}" of this workspace?'],
    ['ｇｉｔ', 'Start the server "\\u{ff47}\\u{ff49}\\u{ff54}" of this workspace?'],
    ['сервер погоды', 'Start the server "сервер погоды" of this workspace?'],
    ['天気-server', 'Start the server "天気-server" of this workspace?'],
  ];
  assert.deepEqual(
    cases.map(([id]) => message(id)),
    cases.map(([, text]) => text),
  );
  assert.notEqual(message('a'.repeat(200)), message(`${'a'.repeat(199)}b`));
  assert.match(
    describeStart({ name: 'gіt', definition: { type: 'builtin' }, source: fileSource }).warnings.join(),
    /^$/,
  );
  assert.match(
    describeStart({
      name: 'gіt',
      definition: { type: 'stdio', command: 'x', args: [], env: {} },
      source: fileSource,
    }).warnings.join(),
    /characters that can look like other characters/,
  );
});

/** A heading with its lines. */
function lines(heading: string, ...rest: string[]): string {
  return [heading, ...rest.map((line) => `\u00a0\u00a0\u00a0\u00a0${line}`)].join('\n');
}

function ask(definition: ServerDefinition) {
  const { entry } = serverView('demo', { definition });
  return startQuestion(entry, describeStart({ definition, source: fileSource }));
}
