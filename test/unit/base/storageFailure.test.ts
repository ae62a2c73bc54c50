import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import { onStorage, storageFailure, storageProblem } from '../../../src/core/base/storageFailure.js';
import { failureMessage } from '../../../src/core/present/failure/failureText.js';
import { saveCopy } from '../../../src/core/resources/saveCopy.js';

const context = { isWorkspaceTrusted: true };
const text = (error: unknown) => failureMessage(error, context);

/** As VS Code creates them: the message contains the operating system's error. */
const ofVsCode = (code: string, message: string) =>
  Object.assign(new Error(message), { name: `${code} (FileSystemError)`, code });

describe('[K3] failures of files and disks', () => {
  let folder = '';
  before(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'deck-storage-'))));
  after(() => rm(folder, { recursive: true }));

  const real: Record<string, { work: () => Promise<unknown>; says: RegExp }> = {
    'a missing folder': {
      work: () => writeFile(path.join(folder, 'none', 'a.csv'), ''),
      says: /its folder does not exist\. Select another location/,
    },
    'a folder in place of a file': {
      work: () => writeFile(folder, ''),
      says: /it is a folder\. Select another location/,
    },
    'a file in place of a folder': {
      work: async () => {
        await writeFile(path.join(folder, 'plain'), '');
        await writeFile(path.join(folder, 'plain', 'a.csv'), '');
      },
      says: /a part of its path is a file, not a folder/,
    },
    'a full disk': {
      work: async () => {
        const file = await open('/dev/full', 'w');
        await file.write('x').finally(() => file.close());
      },
      says: /the disk is full\. Free up disk space/,
    },
  };
  for (const [name, { work, says }] of Object.entries(real)) {
    test(`${name} is named with what to do`, async () => {
      const error = await onStorage({ operation: 'write', thing: '/work/out.csv', server: 'db' }, work).then(
        () => assert.fail('it worked'),
        (failure: unknown) => failure,
      );
      const message = text(error);
      assert.match(message?.text ?? '', says);
      assert.match(message?.text ?? '', /^Server "db": \/work\/out\.csv could not be written/);
      assert.equal(message?.isUnexpected, false);
    });
    test(`${name} is not an internal error, even if it was not classified`, async () => {
      const error = await work().then(
        () => assert.fail('it worked'),
        (failure: unknown) => failure,
      );
      assert.doesNotMatch(text(error)?.text ?? '', /fault of MCP Deck/);
      assert.equal(text(error)?.isUnexpected, false);
    });
  }

  test('error codes of VS Code, and codes that it wraps, are recognized', () => {
    assert.equal(storageProblem(ofVsCode('NoPermissions', 'no'))?.cause, 'not-permitted');
    assert.equal(storageProblem(ofVsCode('FileIsADirectory', 'no'))?.cause, 'is-folder');
    assert.equal(
      storageProblem(
        ofVsCode(
          'Unknown',
          "Unable to write file '/a' (Unknown (FileSystemError): Error: ENOSPC: no space left on device, write)",
        ),
      )?.cause,
      'full',
    );
    assert.equal(
      storageProblem(
        ofVsCode(
          'NoPermissions',
          "Unable to write file '/a' (NoPermissions (FileSystemError): Error: EROFS: read-only file system)",
        ),
      )?.cause,
      'read-only',
    );
  });

  test('errors that are not about files keep their own class', () => {
    assert.equal(
      storageProblem(Object.assign(new Error('spawn x ENOENT'), { code: 'ENOENT', syscall: 'spawn x', path: 'x' })),
      undefined,
    );
    assert.equal(
      storageProblem(Object.assign(new Error('connect EACCES /run/x.sock'), { code: 'EACCES', syscall: 'connect' })),
      undefined,
    );
    assert.equal(storageProblem(new TypeError('x is not a function')), undefined);
    const known = new HostError('timeout', 'x');
    assert.equal(storageFailure(known, { operation: 'read', thing: 'x' }), known);
  });

  test('a locked keyring is reported with what to do', () => {
    const error = storageFailure(new Error('Cannot autolaunch D-Bus without X11 $DISPLAY'), {
      operation: 'write',
      thing: 'Secret storage',
      server: 'db',
    });
    if (error instanceof HostError && error.code === 'storage-failed') error.data.store = 'secrets';
    assert.match(
      text(error)?.text ?? '',
      /^Server "db": Secret storage could not be written: Cannot autolaunch D-Bus without X11 \$DISPLAY\. Unlock your system keyring/,
    );
  });

  test('saving a copy into a deleted folder names the file', async () => {
    const error = await saveCopy(
      { folder: path.join(folder, 'gone'), name: 'a.txt', mayReplace: false },
      new Uint8Array(),
    ).then(
      () => assert.fail('it worked'),
      (failure: unknown) => failure,
    );
    assert.match(text(error)?.text ?? '', /gone\/a\.txt could not be written: its folder does not exist/);
    await assert.rejects(readFile(path.join(folder, 'gone', 'a.txt')));
  });
});
