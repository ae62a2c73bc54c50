import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PresentedResult } from '../../../../src/core/present/result/resultPage.js';
import { presentPrompt, presentToolResult, toolErrorText } from '../../../../src/core/present/result/toolResult.js';
import { sizeText } from '../../../../src/shared/amountText.js';
import { assertGrowsLinearly } from '../../../support/linearWork.js';
import { looksLikeMarkdown } from '../../../../src/core/present/text/markdown.js';
import type { CallToolResult, ContentBlock } from '../../../../src/core/protocol/mcp.js';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAD0lEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });

function present(result: Partial<CallToolResult>, notes: string[] = []): PresentedResult {
  return presentToolResult({ content: [], ...result }, { server: 'srv', tool: 'echo', notes });
}

const textOf = ({ document }: PresentedResult) => [...(document?.pieces() ?? [])].join('');
/** Language and text of the document. */
const shown = (result: PresentedResult) => [result.document?.languageId, textOf(result)];

describe('one text', () => {
  test('is plain text', () => {
    const result = present({ content: [text('hello\nworld')] });
    assert.deepEqual(
      [result.title, result.isError, result.summary, result.files, ...shown(result)],
      ['echo - result', false, 'hello world', [], 'plaintext', 'hello\nworld'],
    );
  });

  test('is formatted JSON when it is JSON, with every digit', () => {
    assert.deepEqual(shown(present({ content: [text('{"a":[12345678901234567890]}')] })), [
      'json',
      '{\n  "a": [\n    12345678901234567890\n  ]\n}',
    ]);
  });

  test('is Markdown when it looks like it', () => {
    assert.deepEqual(shown(present({ content: [text('# Title\n\nwords')] })), ['markdown', '# Title\n\nwords']);
  });

  test('[L2] shows its hidden characters', () => {
    assert.deepEqual(shown(present({ content: [text('a\u202eb\u001b[31m\u{e0041}\ud800')] })), [
      'plaintext',
      'a\\u{202e}b\\u{1b}[31m\\u{e0041}\\u{d800}',
    ]);
  });
});

describe('structured content', () => {
  test('is shown alone when a text repeats it', () => {
    assert.deepEqual(shown(present({ content: [text('{"b":2,"a":1}')], structuredContent: { a: 1, b: 2 } })), [
      'json',
      '{\n  "b": 2,\n  "a": 1\n}',
    ]);
    assert.deepEqual(shown(present({ content: [text('5')], structuredContent: 5 })), ['plaintext', '5']);
  });

  test('is shown below a different text', () => {
    assert.deepEqual(shown(present({ content: [text('two')], structuredContent: { n: 2 } })), [
      'plaintext',
      'two\n\nStructured content:\n{\n  "n": 2\n}',
    ]);
  });

  test('is shown without a text', () => {
    assert.deepEqual(shown(present({ structuredContent: [1] })), ['json', '[\n  1\n]']);
  });

  test('[L4] that does not match the schema has our remark as a comment', () => {
    assert.deepEqual(shown(present({ structuredContent: {} }, ['WARNING: n is\nrequired'])), [
      'jsonc',
      '// WARNING: n is\n// required\n{}',
    ]);
  });
});

describe('an error', () => {
  test('is reported before everything else', () => {
    const result = present({ content: [text('no such file')], isError: true });
    assert.deepEqual(
      [result.title, result.isError, result.summary, ...shown(result)],
      [
        'echo - error',
        true,
        'no such file',
        'plaintext',
        'ERROR: the tool "echo" of the server "srv" reported an error.\n\nno such file',
      ],
    );
  });

  test('has a message with the names of the tool and the server', () => {
    const result = { content: [text('no such file')], isError: true };
    assert.equal(
      toolErrorText(result, { server: 'srv', tool: 'echo' }),
      '"echo" of srv reports an error: no such file',
    );
  });

  test('in JSON is reported in a comment', () => {
    assert.deepEqual(shown(present({ content: [text('{"code":1}')], isError: true })), [
      'jsonc',
      '// ERROR: the tool "echo" of the server "srv" reported an error.\n{\n  "code": 1\n}',
    ]);
  });

  test('without text is still an error', () => {
    const result = present({ isError: true });
    assert.deepEqual(
      [result.summary, textOf(result)],
      ['no message', 'ERROR: the tool "echo" of the server "srv" reported an error.\n\nThe tool returned nothing.'],
    );
  });
});

test('several contents keep their order', () => {
  const result = present({
    content: [
      text('Here it is:'),
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource_link',
        uri: 'file:///a.txt',
        name: 'a.txt',
        title: 'A',
        mimeType: 'text/plain',
        size: 1_500,
        description: 'first file',
      },
      { type: 'resource', resource: { uri: 'mem://b', mimeType: 'application/json', text: '{"b":1}' } },
      { type: 'resource', resource: { uri: 'mem://c', blob: 'AAEC' } },
    ],
  });
  assert.deepEqual(shown(result), [
    'plaintext',
    [
      'Here it is:',
      '[image 1.png: image/png, 70 B, 2 × 3]',
      '[link A: file:///a.txt, text/plain, 1.5 kB]',
      'first file',
      '[resource mem://b, application/json]',
      '{\n  "b": 1\n}',
      '[mem://c: of unknown type, 3 B, cannot be shown]',
    ].join('\n\n'),
  ]);
  assert.deepEqual(
    result.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]),
    [['image 1.png', png]],
  );
});

test('Markdown with other contents stays Markdown, with JSON in a block', () => {
  assert.deepEqual(shown(present({ content: [text('# T'), text('{"a":1}')] })), [
    'markdown',
    '# T\n\n```json\n{\n  "a": 1\n}\n```',
  ]);
});

test('an empty result is reported', () => {
  assert.deepEqual(shown(present({})), ['plaintext', 'The tool returned nothing.']);
});

describe('[V6] pictures and sounds', () => {
  const image = (data: string, mimeType = 'image/png'): ContentBlock => ({ type: 'image', data, mimeType });

  test('without text are files without a document', () => {
    const result = present({ content: [image(png)] });
    assert.deepEqual([result.document, result.files.map(({ name }) => name)], [undefined, ['image 1.png']]);
  });

  test('are named by their actual type, never by the claimed one', () => {
    const result = present({
      content: [
        image(png, '../../evil.exe;\u202e'),
        { type: 'audio', data: Buffer.from('OggS\0\0').toString('base64'), mimeType: 'image/png' },
      ],
    });
    assert.deepEqual(
      result.files.map(({ name }) => name),
      ['image 1.png', 'audio 2.ogg'],
    );
  });

  test('of no known type, or not base64, are lines of text', () => {
    const result = present({
      content: [image('%%%'), image(Buffer.from('MZ\x90').toString('base64'), 'image/png\u202e')],
    });
    assert.deepEqual(
      [textOf(result), result.files],
      ['[image: the data is not valid base64]\n\n[image: claims to be image/png\\u{202e}, 4 B, cannot be shown]', []],
    );
  });

  test('drawn as SVG are their source text', () => {
    const svg = '<svg onload="alert(1)"/>';
    assert.deepEqual(shown(present({ content: [image(Buffer.from(svg).toString('base64'), 'image/svg+xml')] })), [
      'xml',
      svg,
    ]);
  });

  test('have limits of size, sides and number', () => {
    const limited = (limits: object) =>
      presentToolResult({ content: [image(png), image(png)] }, { server: 's', tool: 't' }, limits);
    assert.match(textOf(limited({ maxFileBytes: 10 })), /too large to show/);
    assert.match(textOf(limited({ maxImageSide: 2 })), /2 × 3, too large to show/);
    const one = limited({ maxFiles: 1 });
    assert.match(textOf(one), /too many files/);
    assert.equal(one.files.length, 1);
  });
});

test('sixteen megabytes are produced in small pieces, with every character', () => {
  const long = `${'😀'.repeat(100_000)}${'x'.repeat(16_000_000)}`;
  const { document } = present({ content: [text(long)] });
  assert.ok(document && document.length === long.length);
  let length = 0;
  for (const piece of document.pieces()) {
    assert.ok(piece.length <= 70_000);
    length += piece.length;
  }
  assert.equal(length, long.length);
});

test('megabytes that are sent as text and as structured content are shown once', () => {
  const value = Array.from({ length: 40_000 }, (_, i) => ({ i, name: `item ${i}`, list: [true] }));
  for (const indent of [undefined, 1]) {
    const result = present({ content: [text(JSON.stringify(value, null, indent))], structuredContent: value });
    assert.equal(result.document?.languageId, 'json');
    assert.ok((result.document?.length ?? 0) > 1 << 20);
    assert.deepEqual(JSON.parse(textOf(result)), value);
  }
});

test('the messages of a prompt are shown as a conversation', () => {
  const result = presentPrompt(
    {
      description: 'Says hello.',
      messages: [
        { role: 'user', content: text('Hi') },
        { role: 'assistant', content: text('Hello') },
      ],
    },
    { prompt: 'greet' },
  );
  assert.deepEqual(
    [result.title, ...shown(result)],
    ['greet - prompt', 'markdown', 'Says hello.\n\n## User\n\nHi\n\n## Assistant\n\nHello'],
  );
});

test('Markdown is distinguished from text', () => {
  const yes = ['# A', 'x\n```js\ny\n```', '| a | b |\n|---|---|\n| 1 | 2 |', '- a\n- **b**', '1. see [x](y)'];
  const no = ['', 'hello', '- one item', 'a * b * c', '#hashtag', 'a-b--c---d', 'x: [1](', '2024. A year'];
  for (const part of ['[', '**', '-', '| - ']) no.push(part.repeat(1_000_000));
  assert.deepEqual([yes.map(looksLikeMarkdown), no.map(looksLikeMarkdown)], [yes.map(() => true), no.map(() => false)]);
});

test('sizes are short', () => {
  assert.deepEqual([0, 999, 1_000, 1_234, 250_000, 1_500_000, 16_000_000].map(sizeText), [
    '0 B',
    '999 B',
    '1 kB',
    '1.2 kB',
    '250 kB',
    '1.5 MB',
    '16 MB',
  ]);
});

test('[L2] the time for a result is linear in its texts and its structured content together', () => {
  const present = (count: number, part: string, structuredContent?: unknown) =>
    presentToolResult(
      {
        content: Array.from({ length: count }, () => ({ type: 'text' as const, text: part })),
        ...(structuredContent === undefined ? {} : { structuredContent: structuredContent }),
      },
      { server: 's', tool: 't' },
    );
  assertGrowsLinearly(
    (length) =>
      void present(
        length,
        '',
        Array.from({ length: length * 50 }, () => 0),
      ),
    4_000,
    'texts and structured content',
  );
  for (const part of ['[', '[a](', '**', '`'])
    assertGrowsLinearly((length) => void present(200, part.repeat(length)), 4_000, `Markdown of ${part}`);
});
