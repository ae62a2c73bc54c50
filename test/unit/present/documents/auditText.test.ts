import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditRecord } from '../../../../src/core/consent/audit.js';
import { auditText } from '../../../../src/core/present/documents/auditText.js';

const at = new Date(2026, 10, 21, 9, 5, 7).toISOString();
const entry = (more: object) => JSON.stringify({ at, event: 'call', server: 'db', tool: 'query', ...more });

test('the audit log is newest first, with outcome, subject, caller and reason', () => {
  const lines = [
    entry({ caller: 'model', decidedBy: 'user', outcome: 'ok', durationMs: 12, arguments: '{"a":1}' }),
    entry({ caller: 'task', decidedBy: 'rule', rule: 'deny "query" of "db"', outcome: 'refused' }),
    entry({ event: 'rule-added', server: undefined, tool: undefined, rule: 'allow any tool of "db"' }),
  ];
  assert.deepEqual(auditText(`${lines.join('\n')}\n`, 'file:///x/audit.jsonl').split('\n'), [
    '# Questions and decisions in this workspace, newest first. As JSON: file:///x/audit.jsonl',
    '',
    '2026-11-21 09:05:07  rule added          allow any tool of "db"',
    '2026-11-21 09:05:07  refused             db / query · for a task · by a rule · deny "query" of "db"',
    '2026-11-21 09:05:07  ran                 db / query · for the language model · your answer · 12 ms · {"a":1}',
    '',
  ]);
});

test('[L2] a line that is not an entry is shown as it is, without hidden characters', () => {
  assert.match(
    auditText(`cut off {"at"\n${entry({ tool: 'a\u202eb\nc' })}\n`, 'f'),
    /db \/ a\\u\{202e\}b c\ncut off \{"at"\n$/,
  );
  assert.equal(auditText('', 'f'), '# This workspace has no entries in the audit log yet.\n');
});

test('each decision has its own line, with its caller and subject', () => {
  const records: AuditRecord[] = [
    { event: 'start', server: 'db', source: '.mcp.json', definition: 'abc', outcome: 'left' },
    { event: 'widening', caller: 'script', question: 'Enable the tool?', outcome: 'refused' },
    {
      event: 'server-added',
      servers: ['a', 'b'],
      to: 'User settings',
      from: '~/x.json',
      caller: 'user',
      outcome: 'allowed',
    },
    { event: 'server-exported', servers: ['a', 'b'], to: '~/zed.json', caller: 'user' },
    { event: 'server-edited', server: 'db', source: '.mcp.json', fields: ['args', 'env'], caller: 'script' },
    { event: 'preset', preset: null, caller: 'user' },
    { event: 'server-disabled', server: 'db', caller: 'command' },
    { event: 'roots', server: 'db', folders: null },
    { event: 'form', server: 'db', outcome: 'allowed', caller: 'user' },
    { event: 'page', server: 'db', host: 'a.example', outcome: 'refused', caller: 'script' },
    { event: 'sign-in', server: 'db', outcome: 'allowed', account: 'work' },
    { event: 'app', server: 'db', tool: 'chart', wish: 'message', outcome: 'allowed', isForGood: true },
    { event: 'sampling-policy', server: 'db', policy: 'never' },
  ];
  const shown = auditText(records.map((record) => JSON.stringify({ at, ...record })).join('\n'), 'f');
  assert.deepEqual(
    shown
      .split('\n')
      .slice(2, -1)
      .map((line) => line.slice(21))
      .reverse(),
    [
      'start not answered  db · .mcp.json · definition abc',
      'action refused      for a keybinding, a task input, or another extension · Enable the tool?',
      'server added        a, b · for you · from ~/x.json · to User settings',
      'server exported     a, b · for you · to ~/zed.json',
      'server edited       db · for a keybinding, a task input, or another extension · fields: args, env · .mcp.json',
      'preset switched     for you · no preset',
      'server disabled     db · for a command (from a click, a keybinding, or an extension)',
      'roots chosen        db · the folders of the workspace',
      'form answered       db · for you',
      'page refused        db · for a keybinding, a task input, or another extension · page at a.example',
      'signed in           db · account work',
      'app allowed         db / chart · to write to the chat · while the app is open',
      'sampling changed    db · policy: never',
    ],
  );
});

test('the log of one server has only the entries that name it; a long one counts the omitted entries', () => {
  const lines = [
    entry({}),
    entry({ server: 'other' }),
    JSON.stringify({ at, event: 'server-added', servers: ['x', 'db'], to: 'y', caller: 'user', outcome: 'allowed' }),
  ].join('\n');
  const shown = auditText(lines, 'f', { server: 'db' });
  assert.deepEqual([shown.split('\n').length - 3, /other/.test(shown), /x, db/.test(shown)], [2, false, true]);
  assert.match(
    auditText(lines, 'f', { server: 'none' }),
    /^# The audit log of this workspace has no entries for "none" yet/,
  );
  const many = auditText(`${entry({})}\n`.repeat(5_007), 'f').split('\n');
  assert.equal(many.at(-2), '# The file has 7 older entries.');
});
