import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { iconData } from '../../../src/core/details/iconData.js';
import { serverOverview } from '../../../src/core/details/serverOverview.js';
import { readAnswer, readInstructions } from '../../../src/core/session/serverIdentity.js';
import { serverIdentity } from '../../support/serverViews.js';

/** A PNG header with the given size, which is all that the check reads. */
function png(width: number, height: number): string {
  const bytes = Buffer.alloc(40);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

const svg = (body: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`)}`;

describe('the overview of a server', () => {
  test('[L2] of very many capabilities, a text is made only for those that are shown', () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, {}]));
    const { capabilities } = serverOverview(
      serverIdentity({ capabilities: { tools: {}, extensions: many, experimental: many } }),
      [],
    );
    assert.equal(capabilities.length, 41);
    assert.equal(capabilities.at(-1), 'and 399961 more');
    assert.ok(readAnswer('initialize', { capabilities: many }).json.length <= 100_000);
  });

  test('has its title, name, version, and capabilities in words', () => {
    const overview = serverOverview(
      serverIdentity({
        info: { name: 'acme', version: '2.0', title: 'Acme Search', websiteUrl: 'https://acme.test/a' },
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: false },
          logging: {},
          extensions: { 'io.acme/x': {} },
          experimental: { fast: {} },
          ...{ 'acme\u202e': { deep: {} } },
        },
        instructions: '**Search** first.',
      }),
      [],
    );
    assert.deepEqual(overview, {
      title: 'Acme Search',
      name: 'acme',
      version: '2.0',
      website: 'https://acme.test/a',
      icons: [],
      capabilities: [
        'Tools (reports changes of the list)',
        'Resources (reports updates)',
        'Logging',
        'Extension io.acme/x',
        'Experimental fast',
        'acme\\u{202e} (deep)',
      ],
      instructions: '**Search** first.',
    });
  });

  test('masks secrets that the server repeats', () => {
    const secret = 'hunter2-hunter2';
    const overview = serverOverview(
      serverIdentity({
        info: { name: secret, version: secret, websiteUrl: `https://x.test/?${secret}` },
        instructions: `Use ${secret}.`,
        answer: readAnswer('initialize', { instructions: secret }),
      }),
      [secret],
    );
    assert.ok(!JSON.stringify(overview).includes(secret));
    assert.equal(overview.website, undefined);
  });

  const answerOf = (result: unknown, secrets: readonly string[] = []) =>
    serverOverview(serverIdentity({ answer: readAnswer('server/discover', result) }), secrets).answer;

  test('has the answer of the handshake as JSON, with visible hidden characters and a limit', () => {
    assert.deepEqual(answerOf({ a: '\u202e', b: [1] }), {
      method: 'server/discover',
      json: '{\n  "a": "\\u202e",\n  "b": [\n    1\n  ]\n}',
      isWhole: true,
    });
    for (const text of ['x'.repeat(300_000), '\u200b'.repeat(90_000)]) {
      const long = answerOf({ a: text });
      assert.deepEqual([long?.json.length, long?.isWhole], [100_000, false]);
    }
  });

  for (const secret of [
    'pass"word-1',
    'pass\\word-1',
    'pass\nword-1',
    'pä\u0441sword-1',
    'pass\u200bword-1',
    'pa\u00ad-😀-word',
  ])
    test(`[secrets.answer] the answer of the handshake masks ${JSON.stringify(secret)}, also in names`, () => {
      const json = answerOf({ [secret]: `Use ${secret}.`, nested: JSON.stringify({ secret }) }, [secret])?.json ?? '';
      const texts = JSON.stringify(JSON.parse(json));
      assert.equal(texts, '{"•••":"Use •••.","nested":"{\\"secret\\":\\"•••\\"}"}');
    });

  test('[secrets.answer] no part of a secret at the cut of the answer is shown', () => {
    const secret = 'hunter2-hunter2-hunter2';
    for (let before = 99_960; before < 100_000; before++) {
      const json = answerOf({ a: `${'x'.repeat(before)}${secret}${'y'.repeat(1_000)}` }, [secret])?.json ?? '';
      assert.ok(!json.includes(secret.slice(0, 3)), String(before));
    }
  });

  test('[secrets.answer] no part of a secret at the cut of the instructions is shown', () => {
    const secret = 'hunter2-hunter2-hunter2';
    for (let before = 19_960; before < 20_000; before++) {
      const given = readInstructions(`${'x'.repeat(before)}${secret}${'y'.repeat(1_000)}`);
      const { instructions = '' } = serverOverview(serverIdentity(given), [secret]);
      assert.ok(!instructions.includes(secret.slice(0, 3)), String(before));
      assert.match(instructions, / more characters\)$/);
    }
  });

  test('[secrets.answer] capabilities do not show a secret', () => {
    const secret = 'hunter2-hunter2';
    const { capabilities } = serverOverview(
      serverIdentity({ capabilities: { extensions: { [secret]: {} }, ...{ [secret]: { [secret]: {} } } } }),
      [secret],
    );
    assert.deepEqual(capabilities, ['Extension •••', '••• (•••)']);
  });
});

describe('the icon of a server [V7]', () => {
  test('is only a small picture in a data: address, with the type of its bytes', () => {
    assert.match(iconData(png(64, 64)) ?? '', /^data:image\/png;base64,/);
    assert.match(iconData(png(64, 64).replace('image/png', 'text/html')) ?? '', /^data:image\/png;base64,/);
    assert.match(iconData(svg('<path d="M0 0"/>')) ?? '', /^data:image\/svg\+xml;base64,/);
  });

  test('is none for other addresses, other content, and pictures that cost too much', () => {
    for (const src of [
      'https://acme.test/icon.png',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,<p>hello',
      'data:image/png;base64,%%%',
      'data:image/svg+xml,%',
      svg('<script>alert(1)</script>'),
      svg('<image href="https://acme.test/x.png"/>'),
      png(20_000, 20_000),
      `${png(64, 64)}${'A'.repeat(70_000)}`,
    ])
      assert.equal(iconData(src), undefined, src.slice(0, 60));
  });
});
