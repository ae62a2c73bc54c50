import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase64, detectMediaType } from '../../../../src/core/present/text/mediaType.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAD0lEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

test('[V6] the type is determined by the first bytes', () => {
  const cases: [Buffer, string | undefined][] = [
    [png, 'image png image/png 2x3'],
    [bytes('GIF89a', [4, 0, 5, 0]), 'image gif image/gif 4x5'],
    [
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 7, 0, 9, 3, 0, 0]),
      'image jpg image/jpeg 9x7',
    ],
    [
      bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0]),
      'image webp image/webp 100x50',
    ],
    [bytes('RIFF', [0, 0, 0, 0], 'WAVEfmt '), 'audio wav audio/wav'],
    [bytes('ID3', [4, 0]), 'audio mp3 audio/mpeg'],
    [bytes([0xff, 0xfb, 0x90, 0]), 'audio mp3 audio/mpeg'],
    [bytes([0xff, 0xf1, 0x50, 0x80]), 'audio aac audio/aac'],
    [bytes('OggS', [0]), 'audio ogg audio/ogg'],
    [bytes('fLaC'), 'audio flac audio/flac'],
    [bytes([0, 0, 0, 32], 'ftypM4A '), 'audio m4a audio/mp4'],
    [bytes([0, 0, 0, 32], 'ftypisom'), 'video mp4 video/mp4'],
    [bytes('%PDF-1.7'), 'other pdf application/pdf'],
    [bytes('<svg xmlns='), undefined],
    [bytes('MZ', [0x90, 0]), undefined],
    [bytes(), undefined],
    [png.subarray(0, 10), 'image png image/png'],
  ];
  const describe = (data: Buffer) => {
    const type = detectMediaType(data);
    return (
      type &&
      [
        type.kind,
        type.extension,
        type.mimeType,
        ...(type.width === undefined ? [] : [`${type.width}x${type.height}`]),
      ].join(' ')
    );
  };
  assert.deepEqual(
    cases.map(([data]) => describe(data)),
    cases.map(([, expected]) => expected),
  );
});

test('[V6] invalid base64 is distinguished from base64', () => {
  const decode = (text: string) => {
    const decoded = decodeBase64(text);
    return decoded && Buffer.from(decoded).toString();
  };
  assert.deepEqual(['aGk=', 'aGk', 'aG\nk=', '_-8=', '', 'aGk=x', '%%%', 'a', 'hé', 'aGk==='].map(decode), [
    'hi',
    'hi',
    'hi',
    Buffer.from([0xff, 0xef]).toString(),
    '',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('[V6] any number of spaces is skipped', () => {
  assert.equal(decodeBase64(`${' '.repeat(4_000_000)}!`), undefined);
  assert.ok(decodeBase64(`${' '.repeat(4_000_000)}aGk=`));
});
