/** Which servers the lists of VS Code's settings allow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicySubject, ServerMatcher } from '../../../../src/core/registry/serverMatcher.js';
import { matches } from '../../../../src/core/registry/serverMatcher.js';
import type { WrittenPolicy } from '../../../../src/core/registry/serverPolicy.js';
import {
  blockedBy,
  ownPolicySettings,
  readPolicy,
  vsCodePolicySettings,
} from '../../../../src/core/registry/serverPolicy.js';

const files: PolicySubject = { name: 'files', command: ['npx', '-y', 'files-server'] };
const remote: PolicySubject = { name: 'remote', url: 'https://mcp.example.com/mcp?team=1' };
const builtIn: PolicySubject = { name: 'workspace' };

const decide = (written: WrittenPolicy[], subject: PolicySubject) =>
  blockedBy(readPolicy(written, vsCodePolicySettings), subject)?.reason;

const rows: [what: string, written: WrittenPolicy[], subject: PolicySubject, reason: string | undefined][] = [
  ['no rule', [{ owner: 'organization' }], files, undefined],
  ['null sets no rule', [{ owner: 'organization', allowed: null, denied: null, access: null }], files, undefined],
  ['access all', [{ owner: 'organization', access: 'all' }], files, undefined],
  ['access none', [{ owner: 'organization', access: 'none' }], files, 'none'],
  ['access none also blocks the built-in server', [{ owner: 'organization', access: 'none' }], builtIn, 'none'],
  ['access registry', [{ owner: 'organization', access: 'registry' }], files, 'registry'],
  ['an unknown access sets no rule', [{ owner: 'organization', access: 7 }], files, undefined],
  ['denied by name', [{ owner: 'organization', denied: [{ serverName: 'files' }] }], files, 'denied'],
  ['a name is compared exactly', [{ owner: 'organization', denied: [{ serverName: 'file*' }] }], files, undefined],
  [
    'denied by command',
    [{ owner: 'organization', denied: [{ serverCommand: ['npx', '-y', 'files-server'] }] }],
    files,
    'denied',
  ],
  ['part of a command', [{ owner: 'organization', denied: [{ serverCommand: ['npx', '-y'] }] }], files, undefined],
  [
    'denied by address',
    [{ owner: 'organization', denied: [{ serverUrl: 'https://*.example.com/*' }] }],
    remote,
    'denied',
  ],
  ['not in the list', [{ owner: 'organization', allowed: [{ serverName: 'other' }] }], files, 'not-allowed'],
  ['an empty list allows nothing', [{ owner: 'organization', allowed: [] }], files, 'not-allowed'],
  ['in the list', [{ owner: 'organization', allowed: [{ serverName: 'files' }] }], files, undefined],
  ['a list that is no list allows nothing', [{ owner: 'organization', allowed: 'files' }], files, 'not-allowed'],
  [
    'an entry with two fields allows nothing',
    [{ owner: 'organization', allowed: [{ serverName: 'files', serverUrl: 'https://x/' }] }],
    files,
    'not-allowed',
  ],
  [
    'each field of a denied entry counts',
    [{ owner: 'organization', denied: [{ serverName: 'files', serverUrl: 'https://x/' }] }],
    files,
    'denied',
  ],
  [
    'unreadable entries deny nothing',
    [{ owner: 'organization', denied: [null, 3, {}, { serverName: '' }] }],
    files,
    undefined,
  ],
  [
    'deny wins',
    [{ owner: 'organization', allowed: [{ serverName: 'files' }], denied: [{ serverName: 'files' }] }],
    files,
    'denied',
  ],
  [
    'the workspace cannot widen the list of the organization',
    [
      { owner: 'organization', allowed: [{ serverName: 'other' }] },
      { owner: 'workspace', allowed: [{ serverName: 'files' }], access: 'all', denied: [] },
    ],
    files,
    'not-allowed',
  ],
  [
    'the workspace can narrow',
    [
      { owner: 'organization', allowed: [{ serverName: 'files' }] },
      { owner: 'workspace', denied: [{ serverName: 'files' }] },
    ],
    files,
    'denied',
  ],
  [
    'the user cannot widen a denial',
    [
      { owner: 'organization', denied: [{ serverName: 'files' }] },
      { owner: 'user', allowed: [{ serverName: 'files' }] },
    ],
    files,
    'denied',
  ],
  [
    'only managed lists count, and there is one',
    [{ owner: 'organization', allowManagedOnly: true, allowed: [{ serverName: 'files' }] }],
    files,
    undefined,
  ],
  [
    'only managed lists count, and there is none',
    [
      { owner: 'organization', allowManagedOnly: true },
      { owner: 'user', allowed: [{ serverName: 'files' }] },
    ],
    files,
    'not-managed',
  ],
  [
    'a command with a variable may be in the list',
    [{ owner: 'organization', allowed: [{ serverCommand: ['node', '/srv/a.js'] }] }],
    { name: 'files', command: ['node', '${env:SERVER}'] },
    undefined,
  ],
  [
    'a command with a variable is not in a list of addresses',
    [{ owner: 'organization', allowed: [{ serverUrl: 'https://*/*' }] }],
    { name: 'files', command: ['node', '${env:SERVER}'] },
    'not-allowed',
  ],
  [
    'an address with a variable is denied by name',
    [{ owner: 'organization', denied: [{ serverName: 'remote' }] }],
    { name: 'remote', url: 'https://${env:HOST}/mcp' },
    'denied',
  ],
];

for (const [what, written, subject, reason] of rows)
  test(`[policy.lists] ${what}: ${reason ?? 'allowed'}`, () => assert.equal(decide(written, subject), reason));

test('[policy.lists] a blocked server knows the setting, its owner, and the entry', () => {
  const rules = readPolicy(
    [{ owner: 'user', denied: [{ serverUrl: 'https://mcp.example.com/*' }] }],
    vsCodePolicySettings,
  );
  assert.deepEqual(blockedBy(rules, remote), {
    owner: 'user',
    setting: 'chat.mcp.deniedServers',
    reason: 'denied',
    entry: '{"serverUrl":"https://mcp.example.com/*"}',
  });
});

const addresses: [pattern: string, url: string, isMatch: boolean][] = [
  ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp', true],
  ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp/', false],
  ['HTTPS://MCP.example.com/MCP', 'https://mcp.example.com/mcp', true],
  ['https://mcp.example.com:443/mcp', 'https://user:secret@mcp.example.com/mcp#part', true],
  ['https://mcp.example.com', 'https://mcp.example.com/', true],
  ['https://mcp.example.com/*', 'https://mcp.example.com/a/b?c=d', true],
  ['https://*.example.com/*', 'https://mcp.example.com/a', true],
  ['https://*.example.com/*', 'https://example.com/a', false],
  // A star in the host must not reach the path or the query of another host.
  ['https://*.example.com/*', 'https://evil.test/x.example.com/a', false],
  ['https://*.example.com/*', 'https://evil.test?x.example.com/a', false],
  ['https://*.example.com/*', 'https://x.example.com@evil.test/a', false],
  ['https://*/mcp', 'https://any.test/mcp', true],
  ['https://*/mcp', 'https://any.test/other/mcp', false],
  ['http://localhost:*/mcp', 'http://localhost:8123/mcp', true],
  ['http://localhost:*/mcp', 'http://localhost/mcp', true],
  ['http://localhost:*/mcp', 'http://localhost.evil.test/mcp', false],
  ['https://*.example.com:443/*', 'https://a.example.com/x', true],
  ['https://u@*.example.com/*', 'https://a.example.com/x', true],
  ['https://a.test/*?team=*', 'https://a.test/mcp?team=1', true],
  ['https://a.test/?cp*', 'https://a.test/mcp', false],
  ['https://a.test*', 'https://a.test/', true],
  ['https://:80/*', 'https://a.test/', false],
  ['*://a.test/*', 'https://a.test/x', true],
  ['wss://*.test/*', 'wss://user@a.test/x', true],
  ['*', 'https://a.test/', false],
  ['unix:///run/*', 'unix:///run/mcp.sock', true],
  ['https://a.test/*', 'not an address', false],
  // Other ways to write the same address.
  ['https://a.test/*', 'https://a.test./mcp', true],
  ['https://a.test./*', 'https://a.test:443/mcp', true],
  ['https://a.test/mcp', 'https://a.test.:443/%6dcp', true],
  ['https://*.test/%6Dcp*', 'https://A.test/m%63p', true],
  ['https://127.0.0.1/*', 'https://0x7f.1/mcp', true],
  ['https://a.test/*', 'http://a.test@b.test/mcp', false],
];

for (const [pattern, url, isMatch] of addresses)
  test(`[policy.lists] ${pattern} ${isMatch ? 'means' : 'does not mean'} ${url}`, () =>
    assert.equal(matches({ serverUrl: pattern }, { name: 'x', url }), isMatch));

test('[policy.lists] a pattern with many stars is compared in linear time', () => {
  const matcher: ServerMatcher = { serverUrl: `https://a.test/${'*a'.repeat(2_000)}b` };
  assert.equal(matches(matcher, { name: 'x', url: `https://a.test/${'a'.repeat(20_000)}` }), false);
});

test('[policy.lists] an address without a scheme denies the host with every scheme and port, and allows none', () => {
  const subject = (url: string) => ({ name: 'a', url });
  const urls = ['https://evil.example/mcp', 'http://evil.example:8080/mcp', 'wss://EVIL.example./x'];
  const blocks = (key: 'allowed' | 'denied', serverUrl: string, url: string) =>
    blockedBy(readPolicy([{ owner: 'user', [key]: [{ serverUrl }] }], ownPolicySettings), subject(url));
  for (const url of urls) {
    assert.equal(blocks('denied', 'evil.example', url)?.entry, '{"serverUrl":"evil.example"}', url);
    assert.ok(blocks('denied', '*evil.example*', url), url);
    assert.ok(blocks('allowed', 'evil.example', url), url);
  }
  assert.ok(blocks('denied', 'evil.example/*', 'https://evil.example/mcp'));
  assert.ok(blocks('denied', 'localhost:3000/*', 'http://localhost:3000/mcp'));
  assert.equal(blocks('denied', 'evil.example', 'https://good.example/evil.example/mcp'), undefined);
  assert.equal(blocks('denied', '*.evil.example', 'https://notevil.example/mcp'), undefined);
});
