/**
 * Compiled code that is cached from one start to the next. A process also caches its own compilations, so tests of
 * whether V8 accepts the cache on disk use separate processes; the others use one `CodeCache` per start.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { CodeCache } from '../../src/vscode/codeCache.js';

const require = createRequire(import.meta.url);

function setup(t: TestContext, files: Record<string, string>) {
  const top = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-code-'));
  t.after(() => rmSync(top, { recursive: true, force: true }));
  const fileOf = (name: string): string => path.join(top, name);
  const write = (name: string, text: string): void => writeFileSync(fileOf(name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const kept = path.join(top, 'kept');
  /** A new start: no file is loaded. */
  const start = (): { cache: CodeCache; load: (name: string) => any; taken: () => string[] } => {
    for (const file of Object.keys(require.cache)) if (file.startsWith(top)) delete require.cache[file];
    const cache = new CodeCache(kept);
    return {
      cache,
      load: (name) => cache.load(fileOf(name)),
      taken: () => [...cache.taken].map((file) => path.basename(file)),
    };
  };
  const keep = async (name: string): Promise<void> => {
    const { cache, load } = start();
    load(name);
    await cache.save();
  };
  return { fileOf, write, start, keep, kept, keptFile: path.join(kept, 'a.js.bin') };
}

/** The digest, which precedes the code. */
const digestBytes = 32;
const five = 'exports.five = () => 5;';

/** A start in a separate process, which stores its code. */
function startProcess(
  { kept, fileOf }: { kept: string; fileOf: (name: string) => string },
  ...flags: string[]
): unknown {
  return JSON.parse(
    execFileSync(process.execPath, [...flags, path.resolve('dist/test/codeCacheStart.mjs'), kept, fileOf('a.js')], {
      encoding: 'utf8',
    }),
  );
}

test('the second start uses the code of the first', (t) => {
  const files = setup(t, { 'a.js': 'exports.run = () => 5;' });
  assert.deepEqual(startProcess(files), { value: 5, taken: [] });
  assert.deepEqual(startProcess(files), { value: 5, taken: ['a.js'] });
});

test('code of a V8 with other flags, or of another version, is compiled again', (t) => {
  const files = setup(t, { 'a.js': 'exports.run = () => 5;' });
  startProcess(files);
  assert.deepEqual(startProcess(files, '--no-opt'), { value: 5, taken: [] });
  assert.deepEqual(startProcess(files, '--no-opt'), { value: 5, taken: ['a.js'] });
  const code = readFileSync(files.keptFile).subarray(digestBytes);
  code.fill(0x7f, 0, 16);
  writeFileSync(
    files.keptFile,
    Buffer.concat([
      createHash('sha256')
        .update(readFileSync(files.fileOf('a.js')))
        .update(code)
        .digest(),
      code,
    ]),
  );
  assert.deepEqual(startProcess(files, '--no-opt'), { value: 5, taken: [] });
  assert.deepEqual(startProcess(files, '--no-opt'), { value: 5, taken: ['a.js'] });
});

test('a file runs once, and is an ordinary module', (t) => {
  const { start, fileOf } = setup(t, {
    'a.js':
      'globalThis.runs = (globalThis.runs ?? 0) + 1; module.exports = { file: __filename, folder: __dirname, id: module.id };',
  });
  const { load } = start();
  assert.equal(load('a.js'), load('a.js'));
  assert.equal(load('a.js'), require(fileOf('a.js')));
  assert.deepEqual(load('a.js'), { file: fileOf('a.js'), folder: path.dirname(fileOf('a.js')), id: fileOf('a.js') });
  assert.equal((globalThis as { runs?: number }).runs, 1);
});

test('a prepared file has not run, and is not read again', (t) => {
  const { start, fileOf, write } = setup(t, {
    'a.js': 'globalThis.prepared = (globalThis.prepared ?? 0) + 1; exports.five = () => 5;',
  });
  const { cache, load } = start();
  cache.prepare(fileOf('a.js'));
  assert.equal((globalThis as { prepared?: number }).prepared, undefined);
  write('a.js', 'no longer there');
  assert.equal(load('a.js').five(), 5);
  assert.equal((globalThis as { prepared?: number }).prepared, 1);
  cache.prepare(fileOf('a.js'));
  assert.equal(load('a.js').five(), 5, 'a module that has run stays');
});

test('modules that a file requires by a relative path are cached too, when used; other modules come from Node', async (t) => {
  const { start, keep, kept } = setup(t, {
    'a.js': 'exports.sum = () => require("./b.js").two + require("./b.js").two; exports.path = require("node:path");',
    'b.js': 'exports.two = 2;',
  });
  await keep('a.js');
  assert.deepEqual(readdirSync(kept), ['a.js.bin']);
  const { cache, load, taken } = start();
  assert.equal(load('a.js').sum(), 4);
  assert.equal(load('a.js').path, path);
  await cache.save();
  assert.deepEqual(taken(), ['a.js']);
  const later = start();
  assert.equal(later.load('a.js').sum(), 4);
  assert.deepEqual(later.taken(), ['a.js', 'b.js']);
});

test('a changed file of the same length is detected', async (t) => {
  const { start, keep, write } = setup(t, { 'a.js': five });
  await keep('a.js');
  write('a.js', five.replace('5', '6'));
  const { load, taken } = start();
  assert.equal(load('a.js').five(), 6);
  assert.deepEqual(taken(), []);
  await keep('a.js');
  const later = start();
  assert.equal(later.load('a.js').five(), 6);
  assert.deepEqual(later.taken(), ['a.js']);
});

test('damaged code on disk is not used, and is compiled again', async (t) => {
  const { start, keep, keptFile } = setup(t, { 'a.js': five });
  await keep('a.js');
  const whole = readFileSync(keptFile);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
        fc
          .record({ place: fc.nat(whole.length - 1), bit: fc.nat(7) })
          .map(({ place, bit }) =>
            Buffer.from(whole.map((byte, index) => (index === place ? byte ^ (1 << bit) : byte))),
          ),
        fc.uint8Array().map((more) => Buffer.concat([whole, Buffer.from(more), Buffer.from([0])])),
      ),
      (bytes) => {
        writeFileSync(keptFile, bytes);
        const { load, taken } = start();
        assert.equal(load('a.js').five(), 5);
        assert.deepEqual(taken(), []);
      },
    ),
  );
  await keep('a.js');
  const later = start();
  later.load('a.js');
  assert.deepEqual(later.taken(), ['a.js']);
});

test('text in any alphabet is unchanged', async (t) => {
  const { start, keep } = setup(t, { 'a.js': 'exports.text = "Größe, 大きさ, 📏";' });
  await keep('a.js');
  const { load, taken } = start();
  assert.equal(load('a.js').text, 'Größe, 大きさ, 📏');
  assert.deepEqual(taken(), ['a.js']);
});

test('stack traces name the position in the file, cached or not', async (t) => {
  const { start, keep, fileOf } = setup(t, { 'a.js': 'exports.where = () => new Error().stack.split("\\n")[1];' });
  const place = `${fileOf('a.js')}:1:23`;
  assert.ok(start().load('a.js').where().includes(place));
  await keep('a.js');
  const { load, taken } = start();
  assert.ok(load('a.js').where().includes(place));
  assert.deepEqual(taken(), ['a.js']);
});

test('a file that throws, is missing or is not JavaScript fails each time, and is loaded once it is fixed', async (t) => {
  const { start, write } = setup(t, { 'a.js': 'throw new Error("not today");' });
  const { cache, load } = start();
  assert.throws(() => load('a.js'), /not today/);
  assert.throws(() => load('a.js'), /not today/);
  write('a.js', 'this is none');
  assert.throws(() => load('a.js'), SyntaxError);
  write('a.js', five);
  assert.equal(load('a.js').five(), 5);
  assert.throws(() => load('b.js'), { code: 'ENOENT' });
  await cache.save();
});

test('files are loaded even if the cache cannot be written', async (t) => {
  const { start, write, kept } = setup(t, { 'a.js': five });
  write('kept', 'a file where the folder should be');
  const { cache, load } = start();
  assert.equal(load('a.js').five(), 5);
  await cache.save();
  assert.equal(readFileSync(kept, 'utf8'), 'a file where the folder should be');
});

test('reports code to store only if there is new code', async (t) => {
  const { fileOf, start, keep, kept } = setup(t, {
    'a.js': 'exports.b = () => require("./b.js");',
    'b.js': 'exports.two = 2;',
  });
  await keep('a.js');
  start();
  let reports = 0;
  const cache = new CodeCache(kept, () => reports++);
  const a = cache.load(fileOf('a.js')) as { b: () => unknown };
  assert.equal(reports, 0);
  a.b();
  a.b();
  assert.equal(reports, 1);
});

test('only complete files are left, even by a killed start', async (t) => {
  const { start, kept } = setup(t, { 'a.js': five });
  mkdirSync(kept);
  writeFileSync(path.join(kept, 'a.js.bin.0000'), 'half of');
  const { cache, load } = start();
  load('a.js');
  await Promise.all([cache.save(), cache.save(), cache.save()]);
  assert.deepEqual(readdirSync(kept), ['a.js.bin']);
});

test('the cache is private to its user, and files that others may write are not used', async (t) => {
  const { start, keep, kept, keptFile } = setup(t, { 'a.js': 'exports.value = 5;' });
  await keep('a.js');
  if (process.platform !== 'win32')
    assert.deepEqual([statSync(kept).mode & 0o777, statSync(keptFile).mode & 0o777], [0o700, 0o600]);
  const read = start();
  read.load('a.js');
  assert.deepEqual(read.taken(), ['a.js']);
  if (process.platform !== 'win32') chmodSync(keptFile, 0o622);
  const again = start();
  assert.equal(again.load('a.js').value, 5);
  assert.deepEqual(again.taken(), process.platform === 'win32' ? ['a.js'] : []);
});
