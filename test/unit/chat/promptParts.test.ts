import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    (text) => text.replaceAll('hunter2', '•••'),
  );
  const text = parts.map((part) => (part.kind === 'text' ? part.text : `<${part.mimeType}>`)).join('\n');
  assert.match(text, /^The user chose the prompt "sum" of the MCP server "srv"/);
  assert.match(text, /User: the key is •••\nAssistant: n:\/\/1\nnote\n<image\/png>\nUser: \[image\/png\]\nUser: xxx/);
  assert.match(text, /x\n\[Cut\]$/);
  assert.ok(text.length < 61_000);
});
