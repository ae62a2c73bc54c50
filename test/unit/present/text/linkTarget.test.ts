import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTarget } from '../../../../src/core/present/text/linkTarget.js';

test('[V3] web addresses may be opened, exactly as shown', () => {
  const addresses = ['https://example.com/a?b=c#d', 'http://localhost:3000/', 'HTTPS://EXAMPLE.com'];
  assert.deepEqual(
    addresses.map((href) => String(linkTarget(href))),
    ['https://example.com/a?b=c#d', 'http://localhost:3000/', 'https://example.com/'],
  );
});

test('[V3] commands, scripts, data, other programs and disguised hosts are inert', () => {
  const addresses = [
    'command:workbench.action.quit',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vscode://a.b/c',
    'mailto:a@b',
    'ssh://host',
    'vscode-remote://x/y',
    '//example.com',
    'example.com',
    '',
    'https://',
    'https://bank.example@evil.example/',
    'https://user:pw@host/',
    'https://exa mple.com/',
    'https://example.com/\u0007',
    'smb://host/share',
  ];
  assert.deepEqual(
    addresses.filter((href) => linkTarget(href) !== undefined),
    [],
  );
});

test('[D2] a path on this machine is a file; a name of another machine never is', () => {
  assert.equal(linkTarget('file:///work%20space/a.txt'), 'file');
  const remote = [
    'file://server/share/x',
    'file:////server/share/x',
    'file:///%5C%5Cserver/share',
    'file:///\\\\server/share',
    'file:///a%00b',
    'file:///%zz',
    'file:///%2Fserver/share',
  ];
  assert.deepEqual(
    remote.filter((href) => linkTarget(href) !== undefined),
    [],
  );
});
