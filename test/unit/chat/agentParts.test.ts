import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsParts, resultParts } from '../../../src/core/chat/agentParts.js';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const link = Buffer.from('{"uri":{"scheme":"file","path":"/home/u/.ssh/id_rsa"}}').toString('base64');
const special = [
  'application/vnd.code.resource-link',
  'Application/VND.code.resource-link',
  'cache_control',
  'stateful_marker',
  'text/plain',
];

test('[L3] the type of data for the agent of VS Code comes from its bytes, never from the server', () => {
  for (const mimeType of special) {
    const parts = [
      ...resultParts({ content: [{ type: 'image', data: link, mimeType }] }, []),
      ...resultParts({ content: [{ type: 'audio', data: link, mimeType }] }, []),
      ...resultParts({ content: [{ type: 'resource', resource: { uri: 'a:b', blob: link, mimeType } }] }, []),
      ...contentsParts([{ uri: 'a:b', blob: link, mimeType }], []),
    ];
    assert.deepEqual([...new Set(parts.map(({ kind }) => kind))], ['text'], mimeType);
    assert.ok(!JSON.stringify(parts).includes('id_rsa'));
    assert.deepEqual(
      resultParts({ content: [{ type: 'image', data: png, mimeType }] }, []).map((part) =>
        part.kind === 'data' ? part.mimeType : part.text,
      ),
      ['image/png'],
    );
  }
});

test('[L3] data of more than 10 MiB is not sent', () => {
  const large = Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(10 * 1024 * 1024)]).toString('base64');
  const [part] = resultParts({ content: [{ type: 'image', data: large, mimeType: 'image/png' }] }, []);
  assert.deepEqual(part, {
    kind: 'text',
    text: '[image/png, not sent: MCP Deck sends only images and audio of up to 10 MiB.]',
  });
});

test('[L2] [L3] texts for the agent are masked, escaped, and cut with a notice; secrets at the cut too', () => {
  const secret = 'hunter2-hunter2';
  const texts = (...content: string[]) =>
    resultParts({ content: content.map((text) => ({ type: 'text', text })) }, [secret]).map((part) =>
      part.kind === 'text' ? part.text : part.mimeType,
    );
  assert.deepEqual(texts(`the key is ${secret}\u200b`), ['the key is •••\\u{200b}']);
  const [first = '', ...others] = texts(`${'x'.repeat(199_990)}${secret}`, 'more');
  assert.match(first, /x•••\n\[Cut after 200000 characters: the rest was not sent\. Ask for less if you need it\.\]$/);
  assert.deepEqual(others, []);
  assert.equal(
    texts('x'.repeat(200_000), 'more')[1],
    '\n[Cut after 200000 characters: the rest was not sent. Ask for less if you need it.]',
  );
});

test('an error is named, and structured content is sent if there is no text', () => {
  const content: [] = [];
  assert.deepEqual(resultParts({ content, structuredContent: { a: 1 }, isError: true }, []), [
    { kind: 'text', text: 'The tool reported an error:' },
    { kind: 'text', text: '{"a":1}' },
  ]);
  assert.deepEqual(resultParts({ content: [{ type: 'text', text: '1' }], structuredContent: { a: 1 } }, []), [
    { kind: 'text', text: '1' },
  ]);
});
