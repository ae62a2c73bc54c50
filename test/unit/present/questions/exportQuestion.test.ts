import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePortable } from '../../../../src/core/interchange/portableDefinition.js';
import { exportQuestion } from '../../../../src/core/present/questions/exportQuestion.js';

const target = { app: 'Cursor', file: '~/.cursor/mcp.json' };
const server = (name: string, args: string[], isReplacement = false) => ({
  name,
  description: describePortable({ name, fields: { command: '/bin/sh', args } }, [], {
    id: 'test',
    kind: 'vscode',
    label: 'test',
  }),
  isReplacement,
});
const nothingLeft = { losses: [], unusable: [] };

test('[C38] the question has each server with what it runs, replaced entries, secrets, and what is left out', () => {
  const { message, detail, whole } = exportQuestion(
    target,
    [server('one', ['-c', 'first']), server('two', ['-c', 'second'], true)],
    ['These look like secrets: two: TOKEN'],
    {
      losses: [{ server: 'one', field: 'cwd', message: 'It was left out.' }],
      unusable: [{ name: 'far', reason: 'No WebSocket.' }],
    },
  );
  assert.equal(message, 'Write one, two to ~/.cursor/mcp.json?');
  assert.match(detail, /Entries of the file that are replaced: two\n/);
  assert.match(detail, /"one" as in MCP Deck:[^]*first[^]*"two" as in MCP Deck:[^]*second/);
  assert.match(detail, /two: TOKEN[^]*far: No WebSocket\.\none, cwd: It was left out\.$/);
  assert.equal(whole, undefined);
});

test('[C38] names cannot add lines to the question, and a long one must be opened', () => {
  const { message, detail, whole } = exportQuestion(
    { ...target, file: '/a\nWrite nothing' },
    [server('x\n"good" as in MCP Deck:', ['-c', 'bad'])],
    [],
    {
      losses: [{ server: 'x', field: 'f\n"good" as in MCP Deck:\nMCP Deck runs\n  npx', message: 'm' }],
      unusable: [],
    },
  );
  assert.ok(!message.includes('\n'));
  const lines = detail.split('\n');
  assert.ok(!lines.includes('"good" as in MCP Deck:'));
  assert.equal(lines.filter((line) => line === 'MCP Deck runs').length, 1);
  assert.equal(whole, undefined);
  const many = exportQuestion(
    target,
    Array.from({ length: 20 }, (_, index) => server(`s${index}`, [])),
    [],
    nothingLeft,
  );
  assert.ok(many.whole !== undefined && many.whole.includes('"s19" as in MCP Deck:'));
  assert.ok(many.whole.startsWith(many.detail));
});
