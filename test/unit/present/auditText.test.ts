import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditText } from '../../../src/core/present/auditText.js';
import { english } from '../../../src/core/present/localize.js';

const at = new Date(2026, 10, 21, 9, 5, 7).toISOString();
const entry = (more: object) => JSON.stringify({ at, event: 'call', server: 'db', tool: 'query', ...more });

test('the audit log reads newest first: what became of it, of what, for whom and why', () => {
  const lines = [
    entry({ caller: 'model', decidedBy: 'user', outcome: 'ok', durationMs: 12, arguments: '{"a":1}' }),
    entry({ caller: 'task', decidedBy: 'rule', rule: 'deny "query" of "db"', outcome: 'refused' }),
    entry({ event: 'rule-added', server: undefined, tool: undefined, decidedBy: 'user', rule: 'allow any tool of "db"' }),
  ];
  assert.deepEqual(auditText(`${lines.join('\n')}\n`, 'file:///x/audit.jsonl', english).split('\n'), [
    '# What was asked, allowed and refused in this workspace, newest first. As JSON: file:///x/audit.jsonl',
    '',
    '2026-11-21 09:05:07  rule added       allow any tool of "db"',
    '2026-11-21 09:05:07  refused          db / query · for a task · by a rule · deny "query" of "db"',
    '2026-11-21 09:05:07  ran              db / query · for the language model · your answer · 12 ms · {"a":1}',
    '',
  ]);
});

test('[L2] what is no entry stands as it is, without hidden characters', () => {
  assert.match(auditText(`cut off {"at"\n${entry({ tool: 'a\u202eb\nc' })}\n`, 'f', english), /db \/ a\\u\{202e\}b c\ncut off \{"at"\n$/);
  assert.equal(auditText('', 'f', english), '# Nothing was asked, allowed or refused yet in this workspace.\n');
});
