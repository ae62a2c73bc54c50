import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPasted } from '../../../../src/core/interchange/pasted/readPasted.js';
import { splitCommands } from '../../../../src/core/interchange/pasted/commandLine.js';
import { withOpenValues, withPlainSecrets } from '../../../../src/core/interchange/pasted/openValues.js';
import { pastedText, scratchServerOf, startText } from '../../../../src/core/present/form/pastedText.js';

/** The servers by name, or the problem. */
function read(text: string): unknown {
  const pasted = readPasted(text);
  return 'problem' in pasted
    ? pasted.problem
    : Object.fromEntries(pasted.servers.map(({ name, fields }) => [name, fields]));
}

function says(text: string): string {
  const pasted = readPasted(text);
  return 'problem' in pasted ? pasted.problem : pastedText(pasted);
}

const memory = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };
const memoryJson = JSON.stringify(memory);

for (const [title, text] of [
  ['mcpServers', `{"mcpServers":{"memory":${memoryJson}}}`],
  ['servers', `{"servers":{"memory":${memoryJson}},"inputs":[]}`],
  ['the setting of VS Code', `{"mcp":{"servers":{"memory":${memoryJson}}}}`],
  ['the file of Zed', `{"context_servers":{"memory":${memoryJson}}}`],
  ['a key without outer brackets', `"mcpServers": {"memory":${memoryJson}}`],
  ['an entry with its name', `"memory": ${memoryJson},`],
  ['a map of entries', `{"memory":${memoryJson}}`],
  ['an entry alone', memoryJson],
  ['an entry that has its name', `{"name":"memory",${memoryJson.slice(1)}`],
  ['a list', `[{"name":"memory",${memoryJson.slice(1)}]`],
  ['comments and trailing commas', `{ // mine\n "mcpServers": { "memory": ${memoryJson.slice(0, -1)}, }, /* x */ }, }`],
  [
    'a code fence',
    `Add this to your config:\n\n\`\`\`json\n{"mcpServers":{"memory":${memoryJson}}}\n\`\`\`\n\nThen [restart](x).`,
  ],
  ['other text around', `Open settings [here](a.md) and add:\n{"mcpServers":{"memory":${memoryJson}}}\nand restart.`],
  ['brackets that are missing at the end', `{"mcpServers":{"memory":${memoryJson}`],
  [
    'typographic quotation marks',
    `{“mcpServers”:{“memory”:{“command”:“npx”,“args”:[“-y”,“@modelcontextprotocol/server-memory”]}}}`,
  ],
  [
    'the command as a list',
    `{"mcp":{"memory":{"type":"local","command":["npx","-y","@modelcontextprotocol/server-memory"]}}}`,
  ],
  ['the whole line as the command', `{"memory":{"command":"npx -y @modelcontextprotocol/server-memory"}}`],
  ['a command line', 'npx -y @modelcontextprotocol/server-memory'],
  ['a command line with a prompt', '$ npx -y @modelcontextprotocol/server-memory'],
  ['inline code', '`npx -y @modelcontextprotocol/server-memory`'],
  ['a command line in a fence', '```bash\nnpx -y @modelcontextprotocol/server-memory\n```'],
  ['a command of Claude Code', 'claude mcp add memory -- npx -y @modelcontextprotocol/server-memory'],
  [
    'the same with line breaks',
    'claude mcp add memory \\\n  --scope user \\\n  -- npx -y @modelcontextprotocol/server-memory',
  ],
  [
    'the same without its line breaks',
    'claude mcp add memory \\  --scope local \\  -- npx -y @modelcontextprotocol/server-memory',
  ],
  ['add-json', `claude mcp add-json memory '${memoryJson}'`],
  ['codex', 'codex mcp add memory -- npx -y @modelcontextprotocol/server-memory'],
  ['code --add-mcp', `code --add-mcp '{"name":"memory",${memoryJson.slice(1)}'`],
  [
    'code --add-mcp of cmd',
    `code --add-mcp "{\\"name\\":\\"memory\\",\\"command\\":\\"npx\\",\\"args\\":[\\"-y\\",\\"@modelcontextprotocol/server-memory\\"]}"`,
  ],
  ['a package', '@modelcontextprotocol/server-memory'],
  ['the page of a package', 'https://www.npmjs.com/package/@modelcontextprotocol/server-memory'],
  ['a link', `vscode:mcp/install?${encodeURIComponent(`{"name":"memory",${memoryJson.slice(1)}`)}`],
  [
    'a redirect',
    `https://insiders.vscode.dev/redirect/mcp/install?name=memory&config=${encodeURIComponent(memoryJson)}`,
  ],
  [
    'a link of Cursor',
    `cursor://anysphere.cursor-deeplink/mcp/install?name=memory&config=${Buffer.from(memoryJson).toString('base64')}`,
  ],
] as const)
  test(`a server is read from ${title}`, () => {
    assert.deepEqual(read(text), { memory });
  });

test('addresses are remote servers with a telling name, never that of an IP address', () => {
  assert.deepEqual(
    [
      'https://mcp.notion.com/mcp',
      'http://127.0.0.1:3000/mcp',
      'localhost:8080/weather/sse',
      'wss://h.example/x',
      'https://mcp.sentry.dev/mcp',
    ].map(read),
    [
      { notion: { type: 'http', url: 'https://mcp.notion.com/mcp' } },
      { local: { type: 'http', url: 'http://127.0.0.1:3000/mcp' } },
      { weather: { type: 'http', url: 'http://localhost:8080/weather/sse' } },
      { h: { type: 'ws', url: 'wss://h.example/x' } },
      { sentry: { type: 'http', url: 'https://mcp.sentry.dev/mcp' } },
    ],
  );
});

test('names come from the package, the image or the folder of a script', () => {
  const names = (text: string) => Object.keys(read(text) as object)[0];
  assert.deepEqual(
    [
      'node /x/servers/src/server-everything/dist/index.js',
      'node /code/servers/server-memory/dist/index.js',
      'uvx mcp-server-git --repository .',
      'npx -y @playwright/mcp@latest',
      'npx -y @sentry/mcp-server@1.2 --x',
      'npx -y @upstash/context7-mcp',
      'docker run -i --rm -e GITHUB_TOKEN -v a:b ghcr.io/github/github-mcp-server:v1',
      'docker run -i --rm mcp/postgres postgresql://host/db',
      'npx mcp-remote https://mcp.linear.app/sse',
      'uv --directory /abs/path/to/weather run weather.py',
      'uvx --from git+https://github.com/oraios/serena serena-mcp-server',
      'python -m mcp_server_fetch',
      'node build/index.js',
      'C:\\tools\\my-server.exe --x',
      'cmd /c npx -y firecrawl-mcp',
    ].map(names),
    [
      'everything',
      'memory',
      'git',
      'playwright',
      'sentry',
      'context7',
      'github',
      'postgres',
      'linear',
      'weather',
      'serena',
      'fetch',
      'server',
      'my',
      'firecrawl',
    ],
  );
});

test('variables before a command, quotes and shell variables are kept as a shell reads them', () => {
  assert.deepEqual(
    [
      read(`API_URL="https://x/a b" DEBUG=1 uvx weather-mcp --dir "$HOME/my files" 'lit $HOME' $TOKEN`),
      read('export DEBUG=1\ncd ~/srv && node weather.js'),
      read('set DEBUG=1&& npx weather-mcp "C:\\my files" %USERNAME%'),
      read('$env:DEBUG="1"; npx weather-mcp'),
    ],
    [
      {
        weather: {
          command: 'uvx',
          args: ['weather-mcp', '--dir', '${userHome}/my files', 'lit $HOME', '${env:TOKEN}'],
          env: { API_URL: 'https://x/a b', DEBUG: '1' },
        },
      },
      { weather: { command: 'node', args: ['weather.js'], env: { DEBUG: '1' }, cwd: '${userHome}/srv' } },
      { weather: { command: 'npx', args: ['weather-mcp', 'C:\\my files', '${env:USERNAME}'], env: { DEBUG: '1' } } },
      { weather: { command: 'npx', args: ['weather-mcp'], env: { DEBUG: '1' } } },
    ],
  );
});

test('the flags of claude mcp add are read at any position', () => {
  assert.deepEqual(
    [
      read('claude mcp add -e A=1 B=2 -s user air -- npx -y air-mcp --x'),
      read('claude mcp add air --env A=1 --env=B=2 npx air-mcp --x -e'),
      read('claude mcp add --transport http air https://air.example/mcp --header "X-Key: a b" -H "Y: c"'),
      read('claude mcp add -t sse air https://air.example/sse'),
      read('codex mcp add air --url https://air.example/mcp --bearer-token-env-var AIR'),
    ],
    [
      { air: { command: 'npx', args: ['-y', 'air-mcp', '--x'], env: { A: '1', B: '2' } } },
      { air: { command: 'npx', args: ['air-mcp', '--x', '-e'], env: { A: '1', B: '2' } } },
      { air: { type: 'http', url: 'https://air.example/mcp', headers: { 'X-Key': 'a b', Y: 'c' } } },
      { air: { type: 'sse', url: 'https://air.example/sse' } },
      { air: { type: 'http', url: 'https://air.example/mcp', headers: { Authorization: 'Bearer ${env:AIR}' } } },
    ],
  );
  const user = readPasted('claude mcp add -s user air -- npx air-mcp');
  assert.equal('place' in user && user.place, 'user');
});

test('the summary names what was read, and what the user must enter', () => {
  assert.deepEqual(
    [
      says(
        `{"mcpServers":{"memory":${memoryJson},"github":{"type":"http","url":"https://api.githubcopilot.com/mcp/","headers":{"Authorization":"Bearer \${input:t}"}}},"inputs":[{"id":"t","type":"promptString","password":true}]}`,
      ),
      says('claude mcp add gh --env GITHUB_TOKEN=YOUR_GITHUB_TOKEN -- npx gh-mcp'),
      says('docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server'),
      says('npx -y tavily-mcp --api-key <your-api-key>'),
      says('{"a":{"command":"x"},"b":{"command":3}}'),
    ],
    [
      '2 servers: memory (npx), github (http, needs Authorization)',
      '1 server: gh (npx, needs GITHUB_TOKEN)',
      '1 server: github (docker, needs GITHUB_PERSONAL_ACCESS_TOKEN)',
      '1 server: tavily (npx, needs api-key)',
      '1 server: a (x). "b" cannot be used: "command" must be a string, the program to start. Its arguments belong in "args".',
    ],
  );
});

test('a text without a server is refused with a reason [paste.refused]', () => {
  assert.deepEqual(
    [
      '',
      'Hello world, this is prose.',
      'the quick brown fox',
      '{"name":"x","version":"1.0.0"}',
      '{"mcpServers":{}}',
      '{"mcpServers": {"a": {"command" "x"}}}',
      '{"mcpServers": {',
      '{"mcpServers": {"a": {"command": ',
      'npm install -g some-mcp-server',
      'git clone https://github.com/a/b',
      'https://github.com/owner/repo',
      'curl https://x/install.sh | sh',
      'node $(which x)',
      'npx "open',
      'claude mcp list',
      'claude mcp add x',
      'ftp://x/y',
    ].map(says),
    [
      'Paste or type a command, a URL, or a JSON configuration.',
      'This is not a command, a URL, or a JSON configuration of a server.',
      'This is not a command, a URL, or a JSON configuration of a server.',
      'This JSON has no server: an entry needs a "command" or a "url". The first fields are: name, version.',
      'This JSON has no server: an entry needs a "command" or a "url". The first fields are: mcpServers.',
      'This JSON has an error after "mcpServers": {"a": {"command"',
      'This JSON is incomplete: its end is missing.',
      'This JSON is incomplete: its end is missing.',
      '"npm install -g" installs or prepares something. It does not start a server.',
      '"git clone https://github.com/a/b" installs or prepares something. It does not start a server.',
      'This is a page of github.com, not a server. Copy the command or the JSON configuration from its instructions.',
      'Pipes, redirections, and $(…) need a shell. Put the command into a script and add the script.',
      'Pipes, redirections, and $(…) need a shell. Put the command into a script and add the script.',
      'A quotation mark is not closed.',
      'Only the commands "mcp add" and "mcp add-json" add a server.',
      'The command needs a name and a command or URL: claude mcp add NAME COMMAND.',
      'A URL starts with https://, http://, wss://, ws://, unix:///, or pipe:///.',
    ],
  );
});

test('secrets become inputs, and their values leave the definition [paste.secrets]', () => {
  const pasted = readPasted('GITHUB_TOKEN=ghp_0123456789012345678901234567 API_KEY=your-key-here npx gh-mcp');
  assert.ok('servers' in pasted);
  const [server] = pasted.servers;
  assert.ok(server);
  const open = withOpenValues(server, pasted.inputs);
  assert.deepEqual(open.server.fields['env'], {
    GITHUB_TOKEN: '${input:gh-github-token}',
    API_KEY: '${input:gh-api-key}',
  });
  assert.deepEqual(
    open.secrets.map(({ id, value }) => [id, value]),
    [['gh-github-token', 'ghp_0123456789012345678901234567']],
  );
  assert.deepEqual(open.needs, ['API_KEY']);
  const { server: plain, inputs } = withPlainSecrets(open);
  assert.deepEqual(plain.fields['env'], {
    GITHUB_TOKEN: 'ghp_0123456789012345678901234567',
    API_KEY: '${input:gh-api-key}',
  });
  assert.deepEqual(
    inputs.map(({ id }) => id),
    ['gh-api-key'],
  );
  assert.ok(open.inputs.every(({ password }) => password === true));
});

const word = fc.stringMatching(/^[^\0\r\n]{0,20}$/);
const posix = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

test('every word that is quoted for a POSIX shell is read back exactly', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      const split = splitCommands(words.map(posix).join(' '), 'posix');
      assert.ok('commands' in split);
      assert.deepEqual(split.commands, [words.map((text) => ({ text, isQuoted: true }))]);
    }),
  );
});

test('every word that is quoted for cmd is read back exactly', () => {
  const plain = fc.stringMatching(/^[^\0\r\n%\\"]{0,20}$/);
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1 }), (words) => {
      const split = splitCommands(words.map((text) => `"${text}"`).join(' '), 'cmd');
      assert.ok('commands' in split);
      assert.deepEqual(split.commands, [words.map((text) => ({ text, isQuoted: true }))]);
    }),
  );
});

test('any definition in JSON is found, regardless of the text around it', () => {
  const text = fc.string({ maxLength: 20 }).filter((one) => !one.includes('${'));
  const definition = fc.record(
    { command: text.filter((one) => one.trim() !== '' && !/\s/.test(one)), args: fc.array(text, { maxLength: 4 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(
      definition,
      fc.constantFrom('', 'Add this: ', '```json\n', '// x\n'),
      fc.boolean(),
      (fields, before, isPretty) => {
        const json = JSON.stringify({ mcpServers: { one: fields } }, null, isPretty ? 2 : undefined);
        assert.deepEqual(read(`${before}${json}${before.startsWith('`') ? '\n```' : ''}`), { one: fields });
      },
    ),
  );
});

test('no text makes the reader throw, and every refusal has a reason [paste.refused]', () => {
  const fragment = fc.constantFrom(
    '{',
    '}',
    '[',
    '"',
    "'",
    '\\',
    '`',
    '```',
    '\n',
    'claude mcp add ',
    '--',
    '-e ',
    '${',
    '$(',
    'npx ',
    'https://',
    '"mcpServers":',
    ' ',
    '^',
    '%',
    '//',
    '/*',
    ':',
    ',',
    'a',
    'code --add-mcp ',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const pasted = readPasted(text);
        if ('problem' in pasted) assert.ok(pasted.problem.length > 5);
        else assert.ok(pasted.servers.length > 0 && pastedText(pasted).length > 5);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a hostile text is read in linear time [paste.refused]', () => {
  for (const part of [
    '[',
    '{',
    '"\\"',
    '/*',
    '`',
    '```\n',
    '$',
    '\\ ',
    'claude mcp add -e A=1 ',
    '<a',
    '{"a":',
    'https://x/mcp ',
  ])
    readPasted(part.repeat(Math.floor(190_000 / part.length)));
});

test('[approval.shown] the box of a scratch server says that a question follows, and its text is bounded', () => {
  for (const fields of [
    { command: 'npx', args: ['-y', 'acme'], env: { A: 'b' }, cwd: '/x', type: 'stdio' },
    { url: 'https://example.com/mcp', type: 'http', headers: { A: 'b' } },
    { command: 'npx', args: ['a'.repeat(18_000)] },
  ]) {
    const text = startText({ name: 'a', fields });
    assert.ok(text.length < 800);
    assert.match(text, /Before the server starts, MCP Deck asks you and shows everything/);
  }
});

test('[paste.secrets] a variable that docker takes from the environment becomes an input, in every spelling', () => {
  const fieldsOf = (text: string) => {
    const pasted = readPasted(text);
    assert.ok('servers' in pasted, text);
    const [server] = pasted.servers;
    assert.ok(server);
    const open = withOpenValues(server, pasted.inputs);
    return { fields: withPlainSecrets(open).server.fields, text: startText(scratchServerOf(server, pasted)), open };
  };
  for (const args of [
    ['-e', 'ACME_TOKEN'],
    ['--env', 'ACME_TOKEN'],
    ['--env=ACME_TOKEN'],
    ['-eACME_TOKEN'],
    ['-ie', 'ACME_TOKEN'],
  ]) {
    const { fields, text, open } = fieldsOf(`docker run ${args.join(' ')} img`);
    const [input] = open.inputs;
    const env = { ACME_TOKEN: `\${input:${input?.id ?? ''}}` };
    assert.deepEqual(fields, { command: 'docker', args: ['run', ...args, 'img'], env });
    assert.deepEqual(open.needs, ['ACME_TOKEN']);
    assert.match(text, /^Press Enter to run docker run .* img and set ACME_TOKEN=\$\{input:[\w-]+\}\. Before/);
  }
  const given = fieldsOf('docker run --env=ACME_TOKEN=hunter2 img');
  assert.deepEqual(given.fields, {
    command: 'docker',
    args: ['run', '--env=ACME_TOKEN', 'img'],
    env: { ACME_TOKEN: 'hunter2' },
  });
  assert.match(given.text, / and set ACME_TOKEN=⟨secret, SHA-256 [0-9a-f]+…⟩\. Before/);
  assert.deepEqual(fieldsOf('docker run -entrypoint x --env-file a img').fields, {
    command: 'docker',
    args: ['run', '-entrypoint', 'x', '--env-file', 'a', 'img'],
  });
});
