import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readSmallFile } from '../../../src/core/config/smallFile.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-small-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => {
  const full = path.join(folder, name);
  writeFileSync(full, content);
  return full;
};

test('a small file is read; a folder, a file that is too large, and a missing file are errors', async () => {
  assert.equal(await readSmallFile(file('a', 'A=ü')), 'A=ü');
  await assert.rejects(readSmallFile(folder), { code: 'ENOTFILE' });
  await assert.rejects(readSmallFile(file('large', 'x'.repeat(1024 * 1024 + 1))), { code: 'EFBIG' });
  await assert.rejects(readSmallFile(path.join(folder, 'none')), { code: 'ENOENT' });
});

if (process.platform !== 'win32') {
  test(
    'a file of unknown size, such as one of /proc, is read only up to the limit',
    { skip: !existsSync('/proc/self/pagemap') && 'there is no /proc' },
    () => assert.rejects(readSmallFile('/proc/self/pagemap'), { code: 'EFBIG' }),
  );

  test('an endless device is not a file', () => assert.rejects(readSmallFile('/dev/zero'), { code: 'ENOTFILE' }));
}
