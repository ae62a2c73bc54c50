import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import type { ServerDefinition } from '../../../src/core/config/serverDefinition.js';
import { copiedJson, copiedLine } from '../../../src/core/details/copiedServer.js';
import { readPasted } from '../../../src/core/interchange/pasted/readPasted.js';
import { assertLinear } from '../../support/linearWork.js';
import { serverView } from '../../support/serverViews.js';

const entryOf = (definition: ServerDefinition) => serverView('acme', { definition }).entry;
const jsonOf = (definition: ServerDefinition, secrets: readonly string[] = []) =>
  JSON.parse(copiedJson(entryOf(definition), secrets)) as {
    servers: Record<string, unknown>;
    inputs?: readonly { id: string; password: boolean }[];
  };

describe('a copied server', () => {
  test('[copy.secrets] contains no secret: each becomes an input', () => {
    const { servers, inputs } = jsonOf({
      type: 'stdio',
      command: 'npx',
      args: [
        '-y',
        'acme-mcp',
        '--token=hunter2',
        '--api-key',
        'short',
        'ghp_0123456789012345678901234567',
        '--header',
        'Authorization: Bearer abc',
        'https://user:pw@acme.test/mcp?mode=all&key=k1',
        '--mode=fast',
      ],
      env: { ACME_TOKEN: 'x', LOG_LEVEL: 'debug', DB_PASSWORD: '${input:db}' },
    });
    assert.deepEqual(servers, {
      acme: {
        command: 'npx',
        args: [
          '-y',
          'acme-mcp',
          '--token=${input:acme-token}',
          '--api-key',
          '${input:acme-api-key}',
          '${input:acme-argument}',
          '--header',
          'Authorization: ${input:acme-authorization}',
          'https://user:${input:acme-password}@acme.test/mcp?mode=all&key=${input:acme-key}',
          '--mode=fast',
        ],
        env: { ACME_TOKEN: '${input:acme-acme-token}', LOG_LEVEL: 'debug', DB_PASSWORD: '${input:db}' },
      },
    });
    assert.equal(inputs?.length, 7);
    assert.ok(inputs.every(({ password }) => password));
  });

  test('[copy.secrets] has a URL and headers without secrets', () => {
    const definition: ServerDefinition = {
      type: 'http',
      url: 'https://me:pw@acme.test/s/0123456789abcdef0123456789abcdef/mcp?a=1&token=t#f',
      headers: { Authorization: 'Bearer abc', 'X-Mode': 'fast', 'X-Api-Key': '${input:key}' },
    };
    assert.deepEqual(jsonOf(definition).servers['acme'], {
      type: 'http',
      url: 'https://acme.test/s/${input:acme-url}/mcp?a=1&token=${input:acme-token}',
      headers: {
        Authorization: 'Bearer ${input:acme-authorization}',
        'X-Mode': 'fast',
        'X-Api-Key': '${input:key}',
      },
    });
    const line = copiedLine(entryOf(definition), [], 'linux') ?? '';
    assert.match(line, /^https:\/\/acme\.test\/s\/\$\{input:acme-url\}\/mcp\?/);
    assert.doesNotMatch(line, /pw|=t\b/);
  });

  const token = `ghp_${'a1B2'.repeat(9)}`;

  test('[copy.secrets] has unusual URLs without secrets', () => {
    for (const [url, copied] of [
      ['http${input:s}://u:hunter2hunter2@h/mcp', 'http${input:s}://u:${input:acme-password}@h/mcp'],
      ['http${input:s}://h/mcp?token=hunter2hunter2', 'http${input:s}://h/mcp?token=${input:acme-token}'],
      [' https://h/mcp?token=hunter2hunter2', 'https://h/mcp?token=${input:acme-token}'],
      ['unix:///tmp/x.sock#/mcp?token=hunter2hunter2', 'unix:///tmp/x.sock#/mcp?token=${input:acme-token}'],
      ['https://h/mcp?a=1;token=hunter2hunter2;b=2', 'https://h/mcp?a=1;token=${input:acme-token};b=2'],
      ['https://h/mcp?password=hunter2;Zz9!&b=2', 'https://h/mcp?password=${input:acme-password}&b=2'],
      [
        'https://me:pa/ss@h/mcp?token=hunter2hunter2',
        'https://me:${input:acme-password}@h/mcp?token=${input:acme-token}',
      ],
      ['https://h/mcp?api%5Fkey=hunter2hunter2', 'https://h/mcp?api%5Fkey=${input:acme-api-key}'],
      ['https://h/mcp?data={"token":"hunter2hunter2"}', 'https://h/mcp?data=${input:acme-data}'],
      ['https://h/mcp?data={"page":"second"}', 'https://h/mcp?data={"page":"second"}'],
      ['${input:base}/mcp?page=2', '${input:base}/mcp?page=2'],
    ] as const)
      assert.deepEqual(jsonOf({ type: 'http', url, headers: {} }).servers['acme'], { type: 'http', url: copied });
    const headers = { Authorization2: 'token=hunter2hunter2' };
    assert.doesNotMatch(JSON.stringify(jsonOf({ type: 'http', url: 'https://h', headers })), /hunter2/);
  });

  test('[copy.secrets] finds secrets inside of arguments', () => {
    const args: [written: string[], copied: string[]][] = [
      [['--header=Authorization:hunter2'], ['--header=Authorization:${input:acme-authorization}']],
      [['--header=Authorization: Bearer hunter2'], ['--header=Authorization: ${input:acme-authorization}']],
      [['-HX-Api-Key: hunter2'], ['-HX-Api-Key: ${input:acme-x-api-key}']],
      [
        ['sh', '-c', 'curl --header "Authorization: Bearer hunter2" x'],
        ['sh', '-c', 'curl --header "Authorization: ${input:acme-authorization}" x'],
      ],
      [
        ['-u', 'me:hunter2'],
        ['-u', 'me:${input:acme-password}'],
      ],
      [['-ume:hunter2'], ['-ume:${input:acme-password}']],
      [['--user=me:hunter2'], ['--user=me:${input:acme-password}']],
      [
        ['-u', '1000:1000'],
        ['-u', '1000:1000'],
      ],
      [['postgres://me:hunter2@db/x'], ['postgres://me:${input:acme-password}@db/x']],
      [['--db=postgres://me:hunter/2@db/x'], ['--db=postgres://me:${input:acme-password}@db/x']],
      [
        ['-e', 'DB=postgres://me:hunter2@db/x'],
        ['-e', 'DB=postgres://${input:acme-e}@db/x'],
      ],
      [
        ['--list', `a,${token},${token}`],
        ['--list', 'a,${input:acme-list},${input:acme-list-2}'],
      ],
      [
        ['--token=${input:mine}', '-u', 'me:${input:mine}'],
        ['--token=${input:mine}', '-u', 'me:${input:mine}'],
      ],
      [
        ['-p', '8080:80', 'http://localhost:8080/@scope/a'],
        ['-p', '8080:80', 'http://localhost:8080/@scope/a'],
      ],
    ];
    for (const [written, copied] of args) {
      const { servers } = jsonOf({ type: 'stdio', command: 'run', args: written, env: {} });
      assert.deepEqual(servers['acme'], { command: 'run', args: copied });
    }
  });

  test('[copy.secrets] finds secrets inside of variables, headers, and the sign-in', () => {
    const env = {
      DB: 'postgres://me:hunter2@db/x?mode=1',
      HEADERS: '{"Authorization": "Bearer hunter2", "X-Mode": "fast"}',
      LIST: `${token};${token}`,
      PLAIN: '{"mode": "fast"}',
      MIXED: 'postgres://${env:USER}:${env:PW}@db/x',
      URL: 'https://a.test/x?client_secret=hunter2',
    };
    assert.deepEqual(jsonOf({ type: 'stdio', command: 'run', args: [], env }).servers['acme'], {
      command: 'run',
      env: {
        DB: 'postgres://me:${input:acme-password}@db/x?mode=1',
        HEADERS: '{"Authorization":"Bearer ${input:acme-authorization}","X-Mode":"fast"}',
        LIST: '${input:acme-list};${input:acme-list-2}',
        PLAIN: '{"mode": "fast"}',
        MIXED: 'postgres://${env:USER}:${env:PW}@db/x',
        URL: 'https://a.test/x?client_secret=${input:acme-client-secret}',
      },
    });
    const remote: ServerDefinition = {
      type: 'http',
      url: 'https://acme.test/mcp',
      headers: { 'X-Meta': '{"apiKeys": ["hunter2"]}' },
      oauth: {
        issuer: 'https://login.test/?code=hunter2',
        clientSecret: 'hunter2',
        provider: { issuer: 'https://i', tokenEndpoint: 'https://t/?sig=hunter2', clientId: 'me' },
      },
      extra: { apiKeys: ['hunter2', 'hunter2'], proxy: 'http://me:hunter2@proxy:8080' },
    };
    assert.doesNotMatch(copiedJson(entryOf(remote), []), /hunter2/);
  });

  test('[copy.secrets] leaves out the default of a secret input', () => {
    const inputs = [
      { id: 'one', type: 'promptString', password: true, default: 'hunter2' },
      { id: 'api-key', type: 'promptString', default: 'hunter2' },
      { id: 'region', type: 'promptString', default: 'north' },
    ] as const;
    const definition: ServerDefinition = { type: 'stdio', command: 'run', args: [], env: {} };
    const { entry } = serverView('acme', { definition, inputs });
    assert.deepEqual((JSON.parse(copiedJson(entry, [])) as { inputs: unknown }).inputs, [
      { id: 'one', type: 'promptString', password: true },
      { id: 'api-key', type: 'promptString' },
      { id: 'region', type: 'promptString', default: 'north' },
    ]);
  });

  test('keeps the path of a socket', () => {
    const definition: ServerDefinition = { type: 'http', url: 'unix:///tmp/a.sock#/mcp', headers: {} };
    assert.deepEqual(jsonOf(definition).servers['acme'], { type: 'http', url: 'unix:///tmp/a.sock#/mcp' });
  });

  test('[copy.secrets] masks stored values of inputs, wherever the definition repeats them', () => {
    const definition: ServerDefinition = { type: 'stdio', command: 'run', args: ['plain-stored-value'], env: {} };
    assert.ok(!copiedJson(entryOf(definition), ['plain-stored-value']).includes('plain-stored-value'));
    assert.ok(!(copiedLine(entryOf(definition), ['plain-stored-value'], 'linux') ?? '').includes('plain-stored-value'));
  });

  test('takes linear time', () => {
    assertLinear((text) => {
      const entry = entryOf({ type: 'http', url: `https://a.example/${text}`, headers: { Authorization: text } });
      return copiedJson(entry, []) + (copiedLine(entry, [], 'linux') ?? '');
    });
  });

  test(
    'a word of a copied command line is text for a shell',
    { skip: process.platform === 'win32' && 'no POSIX shell' },
    () => {
      const args = [
        '$(echo x)',
        '`id`',
        '${HOME}',
        '$HOME',
        'a!b',
        "it's $5",
        "'$(id)'",
        '{a,b}',
        'C:\\my files\\$(id)',
        'a "b" \\',
        '',
      ];
      const line = copiedLine(entryOf({ type: 'stdio', command: 'run', args, env: {} }), [], 'linux') ?? '';
      const script = `run() { printf '%s\\0' "$@"; }; ${line}`;
      const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
      assert.deepEqual([stdout.split('\0').slice(0, -1), stderr], [args, '']);
      assert.match(line, /'a!b'/);
    },
  );

  test('on Windows, a command line that PowerShell or cmd.exe would change is not copied', () => {
    const lineOf = (command: string, ...args: string[]) =>
      copiedLine(entryOf({ type: 'stdio', command, args, env: {} }), [], 'win32');
    assert.equal(
      lineOf('npx', '-y', 'acme-mcp', '--path=C:\\a', "it's", 'a & b | c > d; e', '(f)'),
      `npx -y acme-mcp --path=C:\\a "it's" "a & b | c > d; e" "(f)"`,
    );
    for (const word of [
      '$(calc)',
      '$env:A',
      '${input:a}',
      'a`b',
      '%PATH%',
      'a!b',
      'a"&calc',
      'a\u201c;calc',
      'a\ncalc',
      '^&',
    ])
      for (const [command, ...args] of [['npx', word] as const, [word] as const])
        assert.throws(
          () => lineOf(command, ...args),
          { name: 'UserError', message: /was not copied, because PowerShell or the Command Prompt could/ },
          word,
        );
  });

  test('a copied command line has the same words when it is pasted into Add Server…', () => {
    const special = ['$(echo x)', '`id`', '${input:token}', 'a!b', "it's $5", "'$(id)'", '%PATH%', '{a,b}', 'a=b c'];
    const lists = [
      special,
      ['C:\\Users\\a', '${input:token}'],
      ["'$x"],
      ['C:\\my files\\a', '--a=$b'],
      ['C:\\x', '/a'],
    ];
    for (const args of lists) {
      const line = copiedLine(entryOf({ type: 'stdio', command: 'npx', args, env: {} }), [], 'linux') ?? '';
      const pasted = readPasted(line);
      assert.ok('servers' in pasted, line);
      assert.deepEqual(pasted.servers[0]?.fields['args'], args, line);
    }
  });

  test('can be pasted into Add Server…', () => {
    const definition: ServerDefinition = {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'acme-mcp', '--path', '/my files/a', 'say "hi"'],
      env: {},
    };
    for (const text of [copiedJson(entryOf(definition), []), copiedLine(entryOf(definition), [], 'linux') ?? '']) {
      const pasted = readPasted(text);
      assert.ok('servers' in pasted, text);
      const fields = pasted.servers[0]?.fields ?? {};
      assert.deepEqual([fields['command'], fields['args']], [definition.command, definition.args]);
    }
  });
});
