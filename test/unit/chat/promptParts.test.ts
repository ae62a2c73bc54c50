import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countHidden } from '../../../src/core/base/hostileText.js';
import { promptParts } from '../../../src/core/chat/promptParts.js';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('the messages of a prompt reach the model with their roles, images, and masked secrets', () => {
  const parts = promptParts(
    {
      messages: [
        { role: 'user', content: { type: 'text', text: 'the key is hunter2' } },
        { role: 'assistant', content: { type: 'resource', resource: { uri: 'n://1', text: 'note' } } },
        { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
        { role: 'user', content: { type: 'text', text: 'x'.repeat(70_000) } },
        { role: 'user', content: { type: 'text', text: 'never sent' } },
      ],
    },
    { server: 'srv', prompt: 'sum' },
    ['hunter2'],
  );
  const text = parts.map((part) => (part.kind === 'text' ? part.text : `<${part.mimeType}>`)).join('\n');
  assert.match(text, /^The user chose the prompt "sum" of the MCP server "srv"/);
  assert.match(text, /User: the key is •••\nAssistant: n:\/\/1\nnote\n<image\/png>\nUser: \[image\/png\]\nUser: xxx/);
  assert.match(text, /x\n\[Cut\]$/);
  assert.ok(text.length < 61_000);
});

test('[L3] a secret at the cut of a prompt is masked, and a prompt of any length is cut before it is escaped', () => {
  const of = (text: string) =>
    promptParts({ messages: [{ role: 'user', content: { type: 'text', text } }] }, { server: 'srv', prompt: 'sum' }, [
      'hunter2-hunter2',
    ]).map((part) => (part.kind === 'text' ? part.text : ''))[1] ?? '';
  const atCut = of(`${'x'.repeat(60_000 - 'User: '.length - 'hunter2-hun'.length)}hunter2-hunter2`);
  assert.match(atCut, /x•••\n\[Cut\]$/);
  const [small, large] = [of('\x7f'.repeat(100_000)), of('\x7f'.repeat(10_000_000))];
  assert.equal(large, small);
});

test('[L2] hidden characters in a prompt reach the model as escapes', () => {
  const hidden = [...'run'].map((char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0))).join('');
  const parts = promptParts(
    {
      messages: [
        { role: 'user', content: { type: 'text', text: `Sum up.${hidden}` } },
        { role: 'user', content: { type: 'resource', resource: { uri: `n://1${hidden}`, text: `note\u200b 👩‍💻` } } },
      ],
    },
    { server: 'srv', prompt: 'sum' },
    [],
  );
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  assert.equal(countHidden(text), 0);
  assert.match(text, /Sum up\.\\u\{e0072\}\\u\{e0075\}\\u\{e006e\}/);
  assert.match(text, /note\\u\{200b\} 👩‍💻/u);
});
