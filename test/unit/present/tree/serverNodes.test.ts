import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ConfigSource } from '../../../../src/core/config/serverDefinition.js';
import { HostError } from '../../../../src/core/base/hostError.js';
import { drawNodes } from '../../../../src/core/present/tree/treeNode.js';
import type { ServersReading } from '../../../../src/core/present/tree/serverNodes.js';
import { rootNodes } from '../../../../src/core/present/tree/serverNodes.js';
import type { UpdateNews } from '../../../../src/core/gallery/updates/serverUpdates.js';
import type { TreeNode } from '../../../../src/core/present/tree/treeNode.js';
import type { ViewParts } from '../../../support/serverViews.js';
import { serverDescription } from '../../../../src/core/present/server/serverDescription.js';
import { needsInput, needsTrust, fileSource, serverIdentity, serverView, tool } from '../../../support/serverViews.js';

const now = 100_000;

test('every state has a line with the most important fact', () => {
  const failure = new HostError('spawn-failed', 'The command was not found.', {
    data: { command: 'uvx', errno: 'ENOENT' },
  });
  const lines = draw(
    {
      servers: [
        serverView('workspace', {
          definition: { type: 'builtin' },
          features: { tools: [tool('find_files'), tool('read_file')] },
        }),
        serverView('everything', { features: { tools: [tool('echo')] } }),
        serverView('github', { state: { kind: 'starting', since: now - 3_200, attempt: 1 } }),
        serverView('slow', { state: { kind: 'starting', since: now - 65_000, attempt: 2 } }),
        serverView('postgres'),
        serverView('leaving', { state: { kind: 'stopping' } }),
        serverView('weather', { state: { kind: 'failed', error: failure, at: now } }),
        serverView('flaky', {
          state: {
            kind: 'failed',
            error: new HostError('exited', 'It ended.', { data: { code: 1 } }),
            at: now,
            retryAt: now + 4_500,
          },
        }),
        serverView('scripts', { state: needsTrust }),
        serverView('edited', { features: { tools: [tool('a')] }, needsRestart: true }),
        serverView('off', { isEnabled: false }),
      ],
    },
    1,
  );
  assert.equal(
    lines,
    [
      '(circle-filled) workspace  built-in · 2 tools',
      '(circle-filled) everything  stdio · 1 tool',
      '(loading~spin) github  starting, 3 s',
      '(loading~spin) slow  starting, 1 min (attempt 2)',
      '(circle-outline) postgres  stopped · stdio · .vscode/mcp.json',
      '(loading~spin) leaving  stopping',
      '(error) weather  command not found: uvx',
      '(error) flaky  exited with code 1, starting again in 5 s',
      '(warning) scripts  needs your approval (.mcp.json)',
      '(circle-filled) edited  restart to apply changes',
      '(circle-slash) off  disabled',
    ].join('\n'),
  );
});

test('an update comes before a normal state, which the icon shows as well, and after any other state', () => {
  const name = 'io.example/a';
  const news: UpdateNews = {
    name,
    place: 'https://registry.example.com',
    version: '1.4.0',
    entry: { name, version: '1.5.0', description: '', status: 'active', json: '{}' },
    hasUpdate: true,
    isPinned: false,
  };
  const lines = draw(
    {
      servers: [
        serverView('weather', { features: { tools: [tool('echo')] } }),
        serverView('postgres'),
        serverView('edited', { features: { tools: [tool('a')] }, needsRestart: true }),
        serverView('stuck', { features: { tools: [tool('a')] }, silentSince: now - 12_000 }),
        serverView('github', { state: { kind: 'starting', since: now - 3_200, attempt: 1 } }),
      ],
      news: () => news,
    },
    1,
  );
  assert.equal(
    lines,
    [
      '(circle-filled) weather  1.4.0 → 1.5.0 · stdio · 1 tool',
      '(circle-outline) postgres  1.4.0 → 1.5.0 · stopped · stdio · .vscode/mcp.json',
      '(circle-filled) edited  restart to apply changes · 1.4.0 → 1.5.0',
      '(warning) stuck  not responding for 12 s · 1.4.0 → 1.5.0',
      '(loading~spin) github  starting, 3 s · 1.4.0 → 1.5.0',
    ].join('\n'),
  );
  const [weather] = rootNodes(
    { servers: [serverView('weather', { features: { tools: [tool('echo')] } })], broken: [], news: () => news },
    now,
  );
  assert.ok(weather?.tooltip?.(now).replaceAll('\\', '').includes('Registry: 1.4.0 → 1.5.0'));
  // In a narrow sidebar, the buttons on the line of the server cover its end.
  assert.deepEqual(
    weather?.children?.().map(({ description, onClick, isOpen }) => [description, onClick, isOpen]),
    [
      ['1.4.0 → 1.5.0', 'updateServer', undefined],
      ['1', undefined, true],
    ],
  );
});

test('[Y1, Y2] a server that does not answer is not shown as running, and the line explains possible causes', () => {
  const url: ViewParts['definition'] = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} };
  const lines = draw({
    servers: [
      serverView('stuck', { features: { tools: [tool('echo')] }, silentSince: now - 12_000 }),
      serverView('away', { definition: url, features: {}, silentSince: now - 90_000 }),
    ],
  });
  assert.equal(
    lines,
    [
      '(warning) stuck  not responding for 12 s',
      '  (info)   The process runs but does not respond: it is busy, stuck, or suspended. If this continues, stop or restart the server.',
      '  (tools) Tools  1',
      '    (symbol-method) echo',
      '(warning) away  not responding for 1 min',
      '  (info)   The server cannot be reached or does not respond. MCP Deck keeps trying.',
      '    The server offers no tools, resources, or prompts',
    ].join('\n'),
  );
});

test('a running server shows tools, resources with templates, and prompts, each with its count', () => {
  const lines = draw({
    servers: [
      serverView('demo', {
        features: {
          tools: [
            tool('find_files', {
              description: 'Find files by pattern. Uses globs.',
              annotations: { readOnlyHint: true },
            }),
            tool('drop', { title: 'Drop Table', annotations: { destructiveHint: true } }),
            tool('plain'),
          ],
          resources: [{ uri: 'file:///w/a.json', name: 'a.json', mimeType: 'application/json' }],
          resourceTemplates: [{ uriTemplate: 'demo://{id}', name: 'By id' }],
          prompts: [{ name: 'review', title: 'Review', description: 'Review the change.' }],
          warnings: ['The tool "x" was left out: no input schema.'],
        },
      }),
    ],
  });
  assert.equal(
    lines,
    [
      '(circle-filled) demo  stdio · 3 tools',
      '  (tools) Tools  3',
      '    (eye) find_files  Find files by pattern',
      '    (flame) Drop Table',
      '    (symbol-method) plain',
      '  (library) Resources  2',
      '    (json) a.json  file:///w/a.json',
      '    (symbol-snippet) Templates  1',
      '      (symbol-snippet) By id  demo://{id}',
      '  (comment-discussion) Prompts  1',
      '    (comment) Review  Review the change',
      '  (warning) Omitted or shortened  1',
      '    (warning)   The tool "x" was left out: no input schema.',
    ].join('\n'),
  );
});

test('only the lists that a server offers have a line', () => {
  assert.equal(
    draw({ servers: [serverView('few', { features: { prompts: [{ name: 'p' }] } })] }),
    ['(circle-filled) few  stdio · 1 prompt', '  (comment-discussion) Prompts  1', '    (comment) p'].join('\n'),
  );
  assert.equal(
    draw({ servers: [serverView('none', { features: {} })] }),
    ['(circle-filled) none  stdio · offers nothing', '    The server offers no tools, resources, or prompts'].join(
      '\n',
    ),
  );
});

test('a failed server shows what happened, what to do, and the last lines of stderr', () => {
  const stderr = Array.from({ length: 14 }, (_, index) => `line ${index + 1}`);
  const error = new HostError('exited', 'The server ended with code 1 before it answered.', {
    data: { code: 1 },
    hint: 'Look at its log.',
  });
  const [node] = nodes({ servers: [serverView('weather', { state: { kind: 'failed', error, at: now }, stderr })] });
  const children = node?.children?.() ?? [];
  assert.deepEqual(
    children.map(({ description, onClick }) => ({ description, onClick })),
    [
      { description: 'The server "weather" exited with code 1.', onClick: 'showLog' },
      { description: 'Look at its log.', onClick: 'showServerDetails' },
      ...stderr.slice(-10).map((description) => ({ description, onClick: 'showLog' })),
    ],
  );
});

test('the line below a server that does not run starts it', () => {
  for (const state of [{ kind: 'stopped' }, needsTrust, needsInput] as const) {
    const [node] = nodes({ servers: [serverView('weather', { state })] });
    const lines = node?.children?.() ?? [];
    assert.deepEqual(
      lines.map(({ icon, onClick, target }) => [icon?.name, onClick, target]),
      [['play', 'startServer', { server: 'weather' }]],
      state.kind,
    );
  }
});

test('only a server that ran reports that it wrote nothing', () => {
  const failed = (code: 'exited' | 'spawn-failed') =>
    serverView('s', { state: { kind: 'failed', error: new HostError(code, 'It failed.'), at: now } });
  assert.match(draw({ servers: [failed('exited')] }), /wrote nothing/);
  assert.doesNotMatch(draw({ servers: [failed('spawn-failed')] }), /wrote nothing/);
});

test('a starting server shows what it printed so far', () => {
  const starting = { kind: 'starting', since: now, attempt: 1 } as const;
  assert.match(
    draw({ servers: [serverView('npx', { state: starting, stderr: ['npm warn deprecated'] })] }),
    /npm warn deprecated/,
  );
  assert.match(draw({ servers: [serverView('npx', { state: starting })] }), /Waiting for the response/);
});

test('a broken entry has a line that opens it', () => {
  const position = { line: 3, character: 2, endLine: 3, endCharacter: 9 };
  const found = nodes({
    broken: [
      {
        id: 'broken:x',
        name: 'x',
        source: fileSource,
        problem: { severity: 'error', message: 'The type "htp" is unknown.', position, server: 'x' },
      },
    ],
  });
  assert.deepEqual(
    found.map(({ label, description, onClick, target, contextValue }) => ({
      label,
      description,
      onClick,
      target,
      contextValue,
    })),
    [
      {
        label: 'x',
        description: 'The type "htp" is unknown.',
        onClick: 'openConfiguration',
        target: { broken: 'broken:x' },
        contextValue: 'broken',
      },
    ],
  );
});

test('ids are unique, also when a server repeats names or puts separators into them', () => {
  const tools = ['a', 'a', 'a/b', 'a%2fb', 'a#2', '\ud800', 'tool/a'].map((name) => tool(name));
  const all = flatten(
    nodes({ servers: [serverView('one', { features: { tools } }), serverView('one/tools', { features: { tools } })] }),
  );
  const ids = all.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, ids.join('\n'));
});

test('ids do not change when the description, the state or the rest of the list changes', () => {
  const before = nodes({
    servers: [serverView('s', { features: { tools: [tool('x'), tool('y', { description: 'Old.' })] } })],
  });
  const after = nodes({
    servers: [serverView('s', { features: { tools: [tool('new'), tool('y', { description: 'New.' })] } })],
  });
  const idOf = (tree: TreeNode[], label: string) => flatten(tree).find((node) => node.label === label)?.id;
  assert.equal(idOf(after, 'y'), idOf(before, 'y'));
  assert.equal(nodes({ servers: [serverView('s')] })[0]?.id, before[0]?.id);
});

test('[L2] hostile names and descriptions are shown visibly, on one line and cut', () => {
  const [server] = nodes({
    servers: [
      serverView('s', {
        features: { tools: [tool('bad\u202ename\nx', { description: `\u001b[31mred\u200b ${'x'.repeat(5_000)}` })] },
      }),
    ],
  });
  const [group] = server?.children?.() ?? [];
  const [node] = group?.children?.() ?? [];
  assert.equal(node?.label, 'bad\\u{202e}name x');
  assert.match(node?.description ?? '', /^3 hidden characters · \\u\{1b\}\[31mred\\u\{200b\} x+…$/);
  assert.ok((node?.description ?? '').length <= 150);
});

test('[L2] items with hidden characters are flagged and counted in their line and accessible label', () => {
  const features = {
    tools: [tool('t', { inputSchema: { type: 'object', properties: { a: { description: '\u{e0041}\u{e0042}' } } } })],
    resources: [{ uri: 'a://r\u200b', name: 'r' }],
    prompts: [{ name: 'p', description: 'Writes.\u001b[8m' }],
  };
  const [server] = nodes({ servers: [serverView('s', { features })] });
  const flagged = (server?.children?.() ?? []).flatMap((group) => group.children?.() ?? []);
  assert.deepEqual(
    flagged.map(({ icon, label, description, spokenLabel }) => [icon?.name, label, description, spokenLabel]),
    [
      ['warning', 't', '2 hidden characters', 't, 2 hidden characters'],
      ['warning', 'r', '1 hidden character', 'r, 1 hidden character'],
      ['warning', 'p', '1 hidden character · Writes.\\u{1b}[8m', 'p, 1 hidden character · Writes.\\u{1b}[8m'],
    ],
  );
});

test('a title of spaces does not hide the name', () => {
  assert.match(
    draw({ servers: [serverView('s', { features: { tools: [tool('real_name', { title: '  ' })] } })] }),
    /\(symbol-method\) real_name/,
  );
});

test('the accessible label has the state that only the icon shows', () => {
  const [running, stopped] = nodes({
    servers: [serverView('a', { features: { tools: [tool('t')] } }), serverView('b')],
  });
  assert.deepEqual(
    [running?.spokenLabel, stopped?.spokenLabel],
    ['a, running, stdio · 1 tool', 'b, stopped · stdio · .vscode/mcp.json'],
  );
});

test('5,000 tools open as fast as 5: no level is long, and child nodes are created only on expansion', () => {
  let made = 0;
  const tools = Array.from({ length: 5_000 }, (_, index) => {
    const item = tool(`tool${index}`);
    return Object.defineProperty(item, 'description', { get: () => (made++, 'Does something.'), enumerable: true });
  });
  const [server] = nodes({ servers: [serverView('big', { features: { tools } })] });
  const [group] = server?.children?.() ?? [];
  const ranges = group?.children?.() ?? [];
  assert.equal(group?.description, '5000');
  assert.deepEqual([ranges.length, ranges[0]?.label, ranges[0]?.description], [50, 'tool0 … tool99', '100']);
  assert.equal(made, 0);
  assert.equal(ranges[49]?.children?.().at(-1)?.label, 'tool4999');
});

test('era and revision are in the tooltip, not in the line', () => {
  const [node] = nodes({
    servers: [
      serverView('m', {
        features: {
          identity: serverIdentity({ era: 'modern', revision: '2026-07-28', transportKind: 'http' }),
          tools: [tool('t')],
        },
      }),
    ],
  });
  assert.equal(node?.description, 'http · 1 tool');
  assert.match(node?.tooltip?.(now) ?? '', /2026-07-28 · stateless/);
});

function nodes(reading: Partial<ServersReading>): TreeNode[] {
  return rootNodes({ servers: [], broken: [], ...reading }, now);
}

function draw(reading: Partial<ServersReading>, maxDepth?: number): string {
  return drawNodes(nodes(reading), maxDepth);
}

function flatten(tree: readonly TreeNode[]): TreeNode[] {
  return tree.flatMap((node) => [node, ...flatten(node.children?.() ?? [])]);
}

test('two lines offer to find and to add a server while only the built-in one exists', () => {
  const builtIn = serverView('workspace');
  const source = { ...builtIn.entry.source, kind: 'builtin' } as const;
  const only = { ...builtIn, entry: { ...builtIn.entry, source } };
  const lines = nodes({ servers: [only] });
  assert.deepEqual(
    lines.map(({ label, onClick }) => [label, onClick]),
    [
      ['workspace', undefined],
      ['Find a Server…', 'findServer'],
      ['Add Server…', 'addServer'],
    ],
  );
  for (const servers of [[], [only, serverView('own')]])
    assert.ok(nodes({ servers }).every(({ onClick }) => onClick !== 'addServer'));
});

test('pinned resources are at the top, expanded, whether or not their server runs', () => {
  const pins = [
    { server: 'a', uri: 'x://1', name: 'one' },
    { server: 'gone', uri: 'x://2', name: 'two' },
  ];
  const servers = [
    serverView('a', {
      features: { resources: [{ uri: 'x://1', name: 'one', title: 'The First', mimeType: 'application/json' }] },
    }),
  ];
  assert.equal(
    draw({ servers, pins }).split('\n').slice(0, 4).join('\n'),
    ['(pinned) Pinned  2', '  (json) The First  a', '  (file) two  gone', '(circle-filled) a  stdio · 1 resource'].join(
      '\n',
    ),
  );
});

test('a pinned resource can be unpinned at both places, and all ids are unique', () => {
  const pins = [{ server: 'a', uri: 'x://1', name: 'one' }];
  const nodes = rootNodes(
    {
      servers: [
        serverView('a', {
          features: {
            resources: [
              { uri: 'x://1', name: 'one' },
              { uri: 'x://2', name: 'two' },
            ],
          },
        }),
      ],
      broken: [],
      pins,
    },
    0,
  );
  const resources = nodes
    .flatMap(function all(node: TreeNode): TreeNode[] {
      return [node, ...(node.children?.() ?? []).flatMap(all)];
    })
    .filter(({ kind }) => kind === 'resource');
  assert.deepEqual(
    resources.map(({ contextValue, target }) => `${contextValue} ${target.uri}`),
    ['resource pinned x://1', 'resource pinned x://1', 'resource x://2'],
  );
  assert.equal(new Set(resources.map(({ id }) => id)).size, 3);
});

test('many resources are in folders by their addresses, without repeating the folder names', () => {
  const resources = Array.from({ length: 8 }, (_, index) => ({
    uri: `lib://${index < 4 ? 'guide' : 'media'}/${index}.md`,
    name: `${index}.md`,
    ...(index === 0 ? { title: 'Start' } : {}),
  }));
  const [server] = rootNodes({ servers: [serverView('a', { features: { resources } })], broken: [] }, 0);
  assert.equal(
    drawNodes(server?.children?.() ?? []),
    [
      '(library) Resources  8',
      '  (folder) guide  4',
      '    (file) Start  0.md',
      '    (file) 1.md',
      '    (file) 2.md',
      '    (file) 3.md',
      '  (folder) media  4',
      '    (file) 4.md',
      '    (file) 5.md',
      '    (file) 6.md',
      '    (file) 7.md',
    ].join('\n'),
  );
});

test('servers of the workspace come first, then scratch servers and those of the user, then the built-in one', () => {
  const of = (kind: ConfigSource['kind']) => serverView(kind, { source: { id: kind, kind, label: kind } });
  const servers = (['builtin', 'user', 'vscode', 'portable', 'scratch'] as const).map(of);
  assert.deepEqual(
    rootNodes({ servers, broken: [] }, 0).map(({ label }) => label),
    ['vscode', 'portable', 'scratch', 'user', 'builtin'],
  );
});

test('the walkthrough shows the words of the tree', () => {
  const picture = readFileSync('media/walkthrough/servers.svg', 'utf8');
  const view = serverView('scripts', { state: needsTrust });
  assert.ok(picture.includes(`>${serverDescription(view, 0)}<`), serverDescription(view, 0));
});

test('a server shows how many items differ from the lock file, and its tools show it as well', () => {
  const drift = {
    count: 3,
    tools: new Map([
      ['new', 'added'],
      ['other', 'changed'],
    ] as const),
  };
  const server = serverView('s', { features: { tools: [tool('new'), tool('other'), tool('same')] } });
  const [root] = rootNodes({ servers: [server], broken: [], drift: () => drift }, now);
  assert.match(root?.description ?? '', /· 3 differences from the lock file$/);
  const [tools] = root?.children?.() ?? [];
  const nodes = tools?.children?.() ?? [];
  assert.deepEqual(
    nodes.map(({ label, description }) => [label, description]),
    [
      ['new', 'not in the lock file'],
      ['other', 'differs from the lock file'],
      ['same', undefined],
    ],
  );
  assert.match(nodes[1]?.tooltip?.(now) ?? '', /This tool differs from the one in the lock file\.$/);
});
