import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceFile } from '../../../src/core/resources/resourceFile.js';

const uri = 'a://b';
const drawn = (contents: { text?: string; blob?: string; mimeType?: string; uri?: string }[]) => {
  const { bytes, extension } = resourceFile(uri, { contents: contents.map((one) => ({ uri, ...one })) });
  return [Buffer.from(bytes).toString('utf8'), extension];
};

test('a text is unchanged, including hidden characters', () => {
  assert.deepEqual(drawn([{ text: '\ufeffa\u202eb\r\n', mimeType: 'text/markdown' }]), ['\ufeffa\u202eb\r\n', 'md']);
});

test('data is decoded exactly', () => {
  assert.deepEqual([...resourceFile(uri, { contents: [{ uri, blob: 'AP8=' }] }).bytes], [0, 255]);
});

test('data that is not base64 is shown unchanged', () => {
  assert.deepEqual(drawn([{ blob: 'not base64!', mimeType: 'image/png' }]), ['not base64!', 'txt']);
});

test('several contents are joined into one text with their names', () => {
  assert.deepEqual(
    drawn([
      { text: 'one' },
      { uri: 'a://c\u0007', text: 'two', mimeType: 'text/x' },
      { blob: 'AP8=', mimeType: 'image/png' },
    ]),
    ['[a://b]\none\n\n[a://c\\u{7}, text/x]\ntwo\n\n[a://b, image/png, 2 B]', 'txt'],
  );
});

test('no contents are an empty file', () => {
  assert.deepEqual(drawn([]), ['', 'txt']);
});
