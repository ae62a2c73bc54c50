import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareFiles } from '../../../../src/core/present/result/compareFiles.js';

function file(name: string, ...bytes: number[]) {
  return { name, bytes: new Uint8Array(bytes) };
}

describe('files of two results', () => {
  test('files at the same position that differ are pairs', () => {
    const [before, after] = [file('image 1.png', 1, 2), file('image 1.png', 1, 3)];
    const same = file('image 2.png', 4);
    assert.deepEqual(compareFiles([before, same], [after, same]), { pairs: [[before, after]], isSameCount: true });
  });

  test('equal files are no pairs', () => {
    const files = [file('image 1.png', 1, 2)];
    assert.deepEqual(compareFiles(files, [file('image 1.png', 1, 2)]), { pairs: [], isSameCount: true });
  });

  test('a file without a counterpart is not taken for the same', () => {
    const files = [file('image 1.png', 1), file('image 2.png', 2)];
    assert.deepEqual(compareFiles(files, files.slice(0, 1)), { pairs: [], isSameCount: false });
    assert.deepEqual(compareFiles(files.slice(0, 1), files), { pairs: [], isSameCount: false });
  });
});
