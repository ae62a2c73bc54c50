import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import {
  promptTooltip,
  resourceTooltip,
  templateTooltip,
  toolTooltip,
} from '../../../src/core/present/tree/itemTooltips.js';
import { escapeMarkdown, escapeParagraphs, inlineCode } from '../../../src/core/present/text/markdown.js';
import { countTools } from '../../../src/core/present/text/toolTokens.js';
import { displayArguments, displayUrl, serverTooltip } from '../../../src/core/present/tree/serverTooltip.js';
import { serverView, tool } from '../../support/serverViews.js';

test('a running server shows revision, command, process and source', async () => {
  const since = new Date(2026, 10, 21, 15, 4, 5).getTime();
  const features = { tools: [tool('a')] };
  const view = {
    ...serverView('demo', { features, endpoint: { pid: 42 } }),
    state: { kind: 'running', since } as const,
  };
  // The tokens are shown after they were counted.
  assert.doesNotMatch(serverTooltip(view, since), /tokens/);
  await countTools(features.tools, () => Promise.resolve([1_240]));
  assert.equal(
    serverTooltip(view, since + 3_725_000, 'en-GB'),
    [
      '**demo** — `stdio · MCP 2025-11-25`',
      'Command: `node server.js`  \nServer: test\\-server 1\\.2\\.3  \nRunning since: 15\\:04\\:05  \nTools: about 1,240 tokens in each request to a model  \nProcess: 42  \nRoots: none  \nDefined in: \\.vscode\\/mcp\\.json',
    ].join('\n\n'),
  );
});

test('a failed server shows its last error in full, with what to do', () => {
  const view = serverView('demo', {
    state: {
      kind: 'failed',
      error: new HostError('closed', 'The server closed the WebSocket (code 4000): <no>.', {
        data: { why: 'websocket', code: 4_000, reason: '<no>' },
      }),
      at: new Date(2026, 10, 21, 15, 4, 5).getTime(),
    },
  });
  assert.match(
    serverTooltip(view, new Date(2026, 10, 21, 15, 9, 0).getTime(), 'en-GB'),
    /\*\*Failed:\*\* The server \\"demo\\" closed the WebSocket \\\(code 4000\\\)\\: \\<no\\>\\\. Restart the server\\\. Its log might show why it ended\\\.[^]*Failed at: 15\\:04\\:05/,
  );
});

test('[S2] values of variables and headers, and secrets in arguments and addresses, are not in the tooltip', () => {
  const local = serverView('local', {
    definition: {
      type: 'stdio',
      command: 'run',
      args: ['--api-key', 's3cret1', '--token=s3cret2', 'postgres://me:s3cret3@host/db'],
      env: { TOKEN: 's3cret4' },
    },
  });
  const remote = serverView('remote', {
    definition: {
      type: 'http',
      url: 'https://u:s3cret5@host/mcp?key=s3cret6#x',
      headers: { Authorization: 'Bearer s3cret7' },
    },
  });
  const text = [local, remote].map((view) => serverTooltip(view, 0)).join('\n');
  assert.doesNotMatch(text, /s3cret/);
  for (const name of ['TOKEN', 'Authorization', '--api-key', 'host/mcp']) assert.ok(text.includes(name), name);
});

test('only likely secrets are left out of arguments', () => {
  assert.deepEqual(
    displayArguments(['-y', 'pkg', '--key', '--verbose', '--auth', 'x', 'a=b', 'tokens', 'PASSWORD=y']),
    ['-y', 'pkg', '--key', '--verbose', '--auth', '…', 'a=b', 'tokens', 'PASSWORD=…'],
  );
  assert.deepEqual(
    displayArguments(['--header=Authorization:x', '-u', 'me:pw', '-e', 'DB=postgres://me:pw@db/x', '--user=1:1']),
    ['--header=Authorization:…', '-u', 'me:…', '-e', 'DB=postgres://…@db/x', '--user=1:1'],
  );
  assert.equal(displayUrl('unix:///tmp/a.sock#/mcp'), 'unix:///tmp/a.sock#/mcp');
  assert.equal(displayUrl('https://me:pw${config:a}@acme.test/mcp?key=1'), 'https://${config:a}@acme.test/mcp?…');
  assert.equal(displayUrl('https://evil.test\\@acme.test/'), 'https://evil.test\\@acme.test/');
});

test('a tool lists its parameters with types and required marks', () => {
  const subject = tool('search', {
    title: 'Search',
    description: 'Searches.\nSecond line.\n\nNew paragraph.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', description: 'What to look for. Any text.' },
        limit: { type: 'integer', default: 10 },
        kinds: { type: 'array', items: { enum: ['file', 'symbol'] } },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        odd: true,
      },
    },
  });
  assert.equal(
    toolTooltip(subject),
    [
      '**Search** — `search`',
      'Searches\\.  \nSecond line\\.',
      'New paragraph\\.',
      [
        '- `query` **required**: `string` — What to look for',
        '- `limit`: `integer`',
        '- `kinds`: `("file" | "symbol")[]`',
        '- `either`: `string | null`',
        '- `odd`: `any`',
      ].join('\n'),
      'The server says: only reads, accesses external systems.',
    ].join('\n\n'),
  );
});

test('a tool with hundreds of parameters has a short tooltip', () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'string' }]));
  const text = toolTooltip(tool('many', { inputSchema: { type: 'object', properties } }));
  assert.match(text, /- and 280 more$/);
});

test('odd schemas give fewer facts, never an error', () => {
  const deep: Record<string, unknown> = { type: 'array' };
  deep['items'] = deep;
  for (const inputSchema of [
    {},
    { properties: null },
    { properties: [] },
    { properties: { a: deep, b: { type: 7 }, c: { anyOf: [] } } },
  ])
    assert.equal(typeof toolTooltip(tool('odd', { inputSchema })), 'string');
  assert.match(toolTooltip(tool('none')), /No parameters\./);
});

test('resources, templates and prompts describe themselves', () => {
  assert.equal(
    resourceTooltip({ uri: 'file:///a', name: 'a', mimeType: 'text/plain', size: 12_345 }),
    '**a**\n\n`file:///a`\n\nType: text\\/plain  \nSize: 12,345 bytes',
  );
  assert.equal(templateTooltip({ uriTemplate: 'x://{id}', name: 't', title: 'T' }), '**T** — `t`\n\n`x://{id}`');
  assert.equal(
    promptTooltip({
      name: 'p',
      arguments: [{ name: 'lang', required: true, description: 'A language.' }, { name: 'tone' }],
    }),
    '**p**\n\n- `lang` **required** — A language\n- `tone`',
  );
});

test('[V2] [V3] server text in Markdown stays text', () => {
  const hostile =
    '[x](command:evil) ![i](https://e/x.png) <img src=x> https://e.example `code` $(flame) # h\n- list\u202e';
  for (const escaped of [escapeMarkdown(hostile), escapeParagraphs(hostile)]) {
    assert.doesNotMatch(escaped, /(?<!\\)[[\]()<>`!#$-]/);
    assert.doesNotMatch(escaped, /https:\/\//);
    assert.doesNotMatch(escaped, /\u202e/);
  }
});

test('a code span ends only at its own end', () => {
  assert.equal(inlineCode('a`b``c'), '```a`b``c```');
  assert.equal(inlineCode('`'), '`` ` ``');
  assert.equal(inlineCode('two\nlines'), '`two lines`');
});
