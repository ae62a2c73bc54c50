import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { BundleArchive } from '../../../../src/core/gallery/bundles/bundleArchive.js';
import { BundleError } from '../../../../src/core/gallery/bundles/bundleError.js';
import type { BundleProblem } from '../../../../src/core/gallery/bundles/bundleError.js';
import { BundleStore } from '../../../../src/core/gallery/bundles/bundleStore.js';
import type { ZipFileSpec } from '../../../support/zipBytes.js';
import { heapBytes } from '../../../support/heapBytes.js';
import { bundleFiles, bundleManifest, emptyExtraFields, zipBytes } from '../../../support/zipBytes.js';

const isWindows = process.platform === 'win32';
const folder = mkdtempSync(path.join(tmpdir(), 'bundle-archive-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** A new store, and a file with these bytes. */
function setUp(bytes: Buffer): { store: BundleStore; root: string; file: string } {
  const root = path.join(folder, `store-${++count}`);
  const file = path.join(folder, `file-${count}.mcpb`);
  writeFileSync(file, bytes);
  return { store: new BundleStore(root, 'linux'), root, file };
}

async function install(bytes: Buffer): Promise<{ root: string; folder: string }> {
  const { store, root, file } = setUp(bytes);
  const staged = await store.openFile(file);
  await staged.unpack().finally(() => staged.dispose());
  return { root, folder: staged.folder };
}

test('a bundle is unpacked with its folders, and only its owner can read and execute its files', async () => {
  const { root, folder: unpacked } = await install(
    zipBytes([
      ...bundleFiles(),
      { name: 'empty/', mode: 0o40777 },
      { name: 'bin/run', data: '#!/bin/sh\n', mode: 0o106777 },
      { name: 'größe/日本.txt', data: 'ü' },
      { name: 'stored.txt', data: 'as it is', method: 0 },
      { name: 'from-windows.txt', data: 'x', mode: 0 },
    ]),
  );
  assert.deepEqual(readdirSync(root).sort(), [path.basename(unpacked), `${path.basename(unpacked)}.json`]);
  assert.match(path.basename(unpacked), /^little-[0-9a-f]{16}$/);
  assert.equal(readFileSync(path.join(unpacked, 'größe', '日本.txt'), 'utf8'), 'ü');
  assert.equal(readFileSync(path.join(unpacked, 'stored.txt'), 'utf8'), 'as it is');
  assert.ok(statSync(path.join(unpacked, 'empty')).isDirectory());
  if (isWindows) return;
  const modeOf = (name: string) => (statSync(path.join(unpacked, name)).mode & 0o7777).toString(8);
  assert.deepEqual(['bin/run', 'server/index.js', 'empty'].map(modeOf), ['700', '600', '700']);
});

test('the program of a bundle can be executed even if the archive does not say so', async () => {
  const server = { type: 'binary', entry_point: 'bin/x', mcp_config: { command: '${__dirname}/bin/x', args: [] } };
  const { folder: unpacked } = await install(
    zipBytes([
      { name: 'manifest.json', data: bundleManifest({ server }) },
      { name: 'bin/x', data: 'x', mode: 0 },
    ]),
  );
  if (!isWindows) assert.equal(statSync(path.join(unpacked, 'bin', 'x')).mode & 0o777, 0o700);
});

const zeros = Buffer.alloc(20_000_000);
const refused: [name: string, extra: ZipFileSpec[], problem: BundleProblem, message: RegExp][] = [
  [
    '[BN1] a parent folder',
    [{ name: '../out.txt' }],
    'path-escape',
    /"\.\.\/out\.txt" in the bundle leads out of its folder/,
  ],
  ['[BN1] a parent folder inside', [{ name: 'a/../../out.txt' }], 'path-escape', /leads out/],
  ['[BN1] an absolute path', [{ name: '/tmp/out.txt' }], 'path-escape', /leads out/],
  ['[BN1] backslashes', [{ name: '..\\out.txt' }], 'path-escape', /leads out/],
  ['[BN1] a drive', [{ name: 'C:out.txt' }], 'path-escape', /leads out/],
  ['[BN1] a network path', [{ name: '\\\\host\\share\\x' }], 'path-escape', /leads out/],
  ['[BN1] dots of full width', [{ name: '．．/out.txt' }], 'path-escape', /leads out/],
  ['[BN1] a slash of full width', [{ name: 'a／..／..／out.txt' }], 'path-escape', /leads out/],
  [
    '[BN1] a symbolic link',
    [{ name: 'link', data: '../..', mode: 0o120777 }],
    'link',
    /"link" in the bundle is a link/,
  ],
  ['[BN1] a device file', [{ name: 'dev', mode: 0o020666 }], 'link', /special file/],
  ['[BN1] a folder with the type of a file', [{ name: 'x/', mode: 0o100644 }], 'link', /special file/],
  [
    '[BN2] a device of Windows',
    [{ name: 'a/NUL.txt' }],
    'path-name',
    /"a\/NUL\.txt" in the bundle is not valid on every/,
  ],
  ['[BN2] a dot at the end', [{ name: 'a./x' }], 'path-name', /not valid on every system/],
  ['[BN2] a stream of NTFS', [{ name: 'a.txt:b' }], 'path-name', /not valid on every system/],
  ['[BN2] an invisible character', [{ name: 'a\u200b.txt' }], 'path-name', /a\\u\{200b\}\.txt/],
  ['[BN2] a reversed text', [{ name: 'a\u202etxt.exe' }], 'path-name', /a\\u\{202e\}txt\.exe/],
  ['[BN2] a control character', [{ name: 'a\u0007' }], 'path-name', /not valid on every system/],
  ['[BN2] an empty name', [{ name: 'a//b' }], 'path-name', /not valid on every system/],
  ['[BN2] bytes that are no UTF-8', [{ name: Buffer.from([0x61, 0xff]) }], 'path-name', /not valid on every system/],
  ['[BN2] a long name', [{ name: 'a'.repeat(300) }], 'path-name', /not valid on every system/],
  [
    '[BN2] names with characters that become 18 others',
    [{ name: Array.from({ length: 6 }, () => '\uFDFA'.repeat(60)).join('/') }],
    'path-name',
    /not valid on every system/,
  ],
  ['[BN2] many folders', [{ name: 'a/'.repeat(60) }], 'path-name', /not valid on every system/],
  ['[BN2] a name twice', [{ name: 'server/index.js' }], 'duplicate', /contains "server\/index\.js" twice/],
  ['[BN2] another case', [{ name: 'Server/INDEX.js' }], 'duplicate', /in two spellings/],
  ['[BN2] another normalization', [{ name: 'é' }, { name: 'e\u0301' }], 'duplicate', /in two spellings/],
  ['[BN2] a file as a folder', [{ name: 'server/index.js/x' }], 'duplicate', /in two spellings/],
  ['[BN2] a folder as a file', [{ name: 'server' }], 'duplicate', /in two spellings/],
  ['[BN3] a file that grows', [{ name: 'zeros', data: zeros }], 'zip-bomb', /"zeros" grows too much/],
  ['[BN3] a size that lies', [{ name: 'zeros', data: zeros, declared: 1024 }], 'wrong-size', /not have the size/],
  ['[BN3] a file that is too short', [{ name: 'x', data: 'abc', declared: 5 }], 'wrong-size', /not have the size/],
  ['[BN3] a folder with content', [{ name: 'x/', data: 'abc', mode: 0 }], 'wrong-size', /not have the size/],
  [
    '[BN3] files that share data',
    [
      { name: 'one', data: 'abc' },
      { name: 'two', data: 'abc', dataOf: 2 },
    ],
    'overlap',
    /shares its data/,
  ],
  [
    '[BN3] more than 2 GB',
    Array.from({ length: 3 }, (_, at) => ({
      name: `x${at}`,
      data: Buffer.alloc(9_000_000, at + 1),
      declared: 899_000_000,
    })),
    'zip-bomb',
    /grows too much/,
  ],
  [
    '[BN3] a file with many extra fields',
    [{ name: 'x', extra: emptyExtraFields(1_025) }],
    'extra-data',
    /"x" has too much additional data/,
  ],
  [
    '[BN3] a file with a long comment',
    [{ name: 'x', comment: Buffer.alloc(4_097, 0x61) }],
    'extra-data',
    /"x" has too much additional data/,
  ],
  [
    '[BN3] a folder with many extra fields',
    [{ name: 'x/', extra: emptyExtraFields(1_025), mode: 0 }],
    'extra-data',
    /"x\/" has too much additional data/,
  ],
  [
    '[BN3] extra fields that are many together',
    Array.from({ length: 2_000 }, (_, at) => ({ name: `x${at}`, extra: emptyExtraFields(1_024) })),
    'extra-data',
    /"x1953" has too much additional data/,
  ],
  [
    '[BN3] an encrypted file',
    [{ name: 'x', data: 'abc', flags: 0x801 }],
    'encrypted',
    /"x" in the bundle is encrypted/,
  ],
  [
    '[BN3] an unknown compression',
    [{ name: 'x', data: 'abc', method: 12 }],
    'compression',
    /"x" is compressed in a way/,
  ],
  ['[BN3] damaged data', [{ name: 'x', data: 'abc'.repeat(9), method: 0, flags: 0x800 }], 'not-a-zip', /damaged/],
];

for (const [name, extra, problem, message] of refused)
  test(`[BN1, BN2, BN3] a bundle is refused and leaves nothing behind: ${name}`, async () => {
    let bytes = zipBytes([...bundleFiles(), ...extra]);
    if (problem === 'not-a-zip') {
      // A file that is stored, and said to be deflated.
      bytes = Buffer.from(bytes);
      for (let at = bytes.indexOf('PK'); at >= 0; at = bytes.indexOf('PK', at + 1)) {
        const isEntry = bytes.readUInt32LE(at) === 0x02014b50 && bytes.readUInt16LE(at + 10) === 0;
        if (isEntry) bytes.writeUInt16LE(8, at + 10);
      }
    }
    const { store, root, file } = setUp(bytes);
    const failure = await store
      .openFile(file)
      .then((staged) => staged.unpack().finally(() => staged.dispose()))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    assert.ok(failure instanceof BundleError, String(failure));
    assert.equal(failure.problem, problem);
    assert.match(failure.message, message);
    assert.match(failure.message, /^"file-\d+\.mcpb" was not installed: /);
    assert.deepEqual(readdirSync(root), []);
    assert.deepEqual(
      readdirSync(folder).filter((entry) => /out/.test(entry)),
      [],
    );
    assert.ok(!existsSync('/tmp/out.txt'));
  });

test('[BN3] extra fields and comments are not kept, and files with them are unpacked', async () => {
  const extras = Array.from({ length: 500 }, (_, at) => ({
    name: `x${at}`,
    data: `${at}`,
    method: at % 2 === 0 ? 0 : 8,
    extra: emptyExtraFields(1_000),
    comment: Buffer.alloc(4_000, 0x61),
  }));
  const { file, root } = setUp(zipBytes([...bundleFiles(), ...extras]));
  const start = await heapBytes();
  const archive = await BundleArchive.open(file, 'little');
  // Each of the 500,000 extra fields would have an object and a buffer, more than 60 bytes.
  assert.ok((await heapBytes()) - start < 10_000_000);
  mkdirSync(root);
  const files = await archive.unpack(root).finally(() => archive.close());
  assert.equal(files.size, 502);
  for (const at of [0, 1, 499]) assert.equal(readFileSync(path.join(root, `x${at}`), 'utf8'), `${at}`);
});

test('[BN3] an archive with too many files, and one that is no archive, are refused', async () => {
  const cases: [Buffer, BundleProblem, RegExp][] = [
    [zipBytes(bundleFiles(), { count: 60_000 }), 'too-many-files', /more than 50000 files/],
    [Buffer.from('no archive'), 'not-a-zip', /not a bundle, or it is damaged/],
    [Buffer.alloc(0), 'not-a-zip', /not a bundle, or it is damaged/],
    [zipBytes(bundleFiles()).subarray(0, 200), 'not-a-zip', /not a bundle, or it is damaged/],
    [zipBytes(bundleFiles(), { count: 5 }), 'not-a-zip', /not a bundle, or it is damaged/],
    [zipBytes([{ name: 'x/manifest.json', data: '{}' }]), 'no-manifest', /contains no "manifest\.json"/],
    [zipBytes([{ name: 'manifest.json', data: 'no' }]), 'bad-manifest', /cannot be used: /],
    [
      zipBytes([{ name: 'manifest.json', data: `"${'x'.repeat(1_100_000)}"`, method: 0 }]),
      'bad-manifest',
      /larger than 1 MB/,
    ],
    [zipBytes(bundleFiles({ compatibility: { platforms: ['darwin'] } })), 'platform', /only: darwin/],
  ];
  for (const [bytes, problem, message] of cases) {
    const { store, root, file } = setUp(bytes);
    await assert.rejects(store.openFile(file), (error) => {
      assert.ok(error instanceof BundleError, String(error));
      assert.deepEqual([error.problem, message.test(error.message)], [problem, true], error.message);
      return true;
    });
    assert.deepEqual(readdirSync(root), []);
  }
});

test('a signature after the archive is reported, and does not prevent the installation', async () => {
  const signature = Buffer.concat([
    Buffer.from('MCPB_SIG_V1'),
    Buffer.from([4, 0, 0, 0, 1, 2, 3, 4]),
    Buffer.from('MCPB_SIG_END'),
  ]);
  const cases: [Buffer, boolean][] = [
    [zipBytes(bundleFiles()), false],
    [zipBytes(bundleFiles(), { after: signature }), true],
    [zipBytes(bundleFiles(), { comment: signature }), true],
  ];
  for (const [bytes, isSigned] of cases) {
    const { store, file } = setUp(bytes);
    const staged = await store.openFile(file);
    assert.equal(staged.isSigned, isSigned);
    await staged.unpack();
    await staged.dispose();
    assert.ok(existsSync(path.join(staged.folder, 'server', 'index.js')));
  }
});
