import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { maskPieces, maskText } from '../../../src/core/base/masking.js';
import type { EndedRun, HistoryLimits } from '../../../src/core/runs/runHistory.js';
import { RunHistory } from '../../../src/core/runs/runHistory.js';
import { MemoryHistoryFiles } from '../../support/memoryHistoryFiles.js';

const silent = { write: () => undefined };

function ended(id: string, parts: Partial<EndedRun> = {}): EndedRun {
  return {
    id,
    server: 's',
    tool: 't',
    arguments: { city: 'Oslo' },
    startedAt: 1_000,
    durationMs: 84,
    outcome: 'done',
    summary: 'sunny',
    secretArguments: new Set(),
    secrets: [],
    text: () => ['sun', 'ny'],
    ...parts,
  };
}

async function opened(files = new MemoryHistoryFiles(), limits: HistoryLimits = {}): Promise<RunHistory> {
  const history = new RunHistory(files, silent, limits);
  await history.whenRead();
  return history;
}

describe('history', () => {
  test('runs are available in the next window, newest first, with the text of their results', async () => {
    const files = new MemoryHistoryFiles();
    const first = await opened(files);
    first.add(ended('a'));
    first.add(ended('b', { startedAt: 2_000, summary: 'rain', text: () => ['rain'] }));
    await first.flush();
    const second = await opened(files);
    assert.deepEqual(second.runs(), first.runs());
    assert.deepEqual(
      second.runs().map(({ id, summary, textLength }) => ({ id, summary, textLength })),
      [
        { id: 'b', summary: 'rain', textLength: 4 },
        { id: 'a', summary: 'sunny', textLength: 5 },
      ],
    );
    assert.equal(await second.resultText('a'), 'sunny');
  });

  test('an argument that is too long to be stored is not copied', async () => {
    const history = await opened();
    let reads = 0;
    const large = new Proxy(
      { text: 'x'.repeat(30_000) },
      {
        ownKeys: (target) => {
          reads++;
          return Reflect.ownKeys(target);
        },
      },
    );
    assert.deepEqual(history.keepable({ large, small: 1 }, new Set(), ['a secret']).omitted, ['large']);
    assert.equal(reads, 1, 'only its length is determined');
  });

  test('a call that was not sent is known as such in the next window', async () => {
    const files = new MemoryHistoryFiles();
    const first = await opened(files);
    first.add(ended('sent', { outcome: 'cancelled' }));
    first.add(ended('unsent', { outcome: 'cancelled', isUnsent: true }));
    await first.flush();
    assert.deepEqual(
      (await opened(files)).runs().map(({ id, isUnsent }) => [id, isUnsent]),
      [
        ['unsent', true],
        ['sent', undefined],
      ],
    );
  });

  test('a run that ends before the file is read is kept in addition to those of the file', async () => {
    const files = new MemoryHistoryFiles();
    const first = await opened(files);
    first.add(ended('a'));
    await first.flush();
    const second = new RunHistory(files, silent);
    second.add(ended('b', { startedAt: 2_000 }));
    await second.whenRead();
    assert.deepEqual(
      second.runs().map(({ id }) => id),
      ['b', 'a'],
    );
  });

  test('[K2] an index that cannot be read is not overwritten, and is read when it becomes readable', async () => {
    const files = new MemoryHistoryFiles();
    const first = await opened(files);
    first.add(ended('a'));
    await first.flush();
    const before = files.index;
    const readable = files.readIndex.bind(files);
    files.readIndex = () => Promise.reject(new Error('EIO: i/o error, read'));
    const second = new RunHistory(files, silent);
    second.add(ended('b', { startedAt: 2_000 }));
    await assert.rejects(second.saved());
    assert.equal(files.index, before);
    files.readIndex = readable;
    second.add(ended('c', { startedAt: 3_000 }));
    await second.saved();
    assert.deepEqual(
      second.runs().map(({ id }) => id),
      ['c', 'b', 'a'],
    );
    assert.match(files.index ?? '', /"a"/);
  });

  test('[S3] secrets are neither in the list nor in the texts', async () => {
    const files = new MemoryHistoryFiles();
    const history = await opened(files);
    history.add(
      ended('a', {
        arguments: { city: 'Oslo', password: 'hunter2hunter2', query: 'with s3cr3t-value inside' },
        secretArguments: new Set(['password']),
        secrets: ['s3cr3t-value', 'hunter2hunter2'],
        summary: 'echo s3cr3t-value',
        text: () => ['before s3cr3t', '-value after hunter2', 'hunter2'],
      }),
    );
    await history.flush();
    const everything = [files.index, ...files.byId.values()].join('\n');
    assert.doesNotMatch(everything, /s3cr3t|hunter2/);
    assert.deepEqual(history.run('a')?.arguments, { city: 'Oslo' });
    assert.deepEqual(history.run('a')?.omitted, ['password', 'query']);
    assert.equal(await history.resultText('a'), 'before ••• after •••');
  });

  test('a secret that spans pieces is masked for any slicing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'secret!', 'longer-secret!', ' ')),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (words, cuts) => {
          const text = words.join('');
          const secrets = ['secret!', 'longer-secret!'];
          const pieces: string[] = [];
          for (let at = 0; at < text.length;) {
            const length = cuts.next().value ?? 1;
            pieces.push(text.slice(at, at + length));
            at += length;
          }
          assert.equal([...maskPieces(pieces, secrets)].join(''), maskText(text, secrets));
        },
      ),
    );
  });

  test('a broken list is backed up and reported, and a new one starts', async () => {
    const reported: string[] = [];
    const files = new MemoryHistoryFiles();
    files.index = '{"version":1,"runs":[{"id"';
    const history = new RunHistory(files, { write: (_level, line) => reported.push(line) });
    await history.whenRead();
    history.add(ended('a'));
    await history.flush();
    assert.deepEqual(files.aside, ['{"version":1,"runs":[{"id"']);
    assert.match(reported.join('\n'), /renamed to "history\.broken\.json"/);
    assert.deepEqual(
      (await opened(files)).runs().map(({ id }) => id),
      ['a'],
    );
  });

  test('invalid entries are omitted, and the others are kept', async () => {
    const files = new MemoryHistoryFiles();
    const first = await opened(files);
    first.add(ended('a'));
    await first.flush();
    const index = JSON.parse(files.index ?? '');
    index.runs.push({ ...index.runs[0], id: '../escape' }, { ...index.runs[0], id: 'c', outcome: 'odd' }, 7);
    files.index = JSON.stringify(index);
    assert.deepEqual(
      (await opened(files)).runs().map(({ id }) => id),
      ['a'],
    );
  });

  test('the limits apply to any runs', async () => {
    const run = fc.record({ size: fc.nat(400), text: fc.nat(300), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 40 }), async (runs) => {
        const limits = {
          maxRuns: 7,
          maxIndexLength: 3_000,
          maxArgumentsLength: 300,
          maxTextLength: 100,
          maxTextsLength: 350,
        };
        const files = new MemoryHistoryFiles();
        const history = await opened(files, limits);
        for (const [at, { size, text, remove }] of runs.entries()) {
          history.add(
            ended(`r${at}`, { startedAt: at, arguments: { big: 'x'.repeat(size) }, text: () => ['y'.repeat(text)] }),
          );
          if (remove) history.removeRun(`r${at}`);
          await history.flush();
        }
        await history.flush();
        assert.ok(history.runs().length <= limits.maxRuns);
        assert.ok(JSON.stringify(history.runs()).length <= limits.maxIndexLength + limits.maxRuns + 2);
        const kept = [...files.byId.values()].reduce((sum, text) => sum + text.length, 0);
        assert.ok(kept <= limits.maxTextsLength, `${kept} characters of texts`);
        const known = new Set(
          history
            .runs()
            .filter(({ textLength }) => textLength > 0)
            .map(({ id }) => id),
        );
        assert.deepEqual(
          [...files.byId.keys()].filter((id) => !known.has(id)),
          [],
        );
        for (const { arguments: values, omitted } of history.runs())
          assert.ok('big' in values || omitted.includes('big'));
      }),
      { numRuns: 40 },
    );
  });

  test('favorites have their own names, outlive the history and are limited', async () => {
    const files = new MemoryHistoryFiles();
    const history = await opened(files, { maxFavourites: 2 });
    history.add(ended('a'));
    const run = history.run('a');
    assert.ok(run);
    history.addFavourite('f1', 'Weather\nin Oslo', run);
    history.addFavourite('f2', 'Second', run);
    history.addFavourite('f3', 'Third', run);
    history.renameFavourite('f3', '  ');
    history.renameFavourite('f1', 'Oslo');
    history.clear();
    await history.flush();
    const again = await opened(files);
    assert.deepEqual(again.runs(), []);
    assert.deepEqual([...files.byId.keys()], []);
    assert.deepEqual(
      again.favourites().map(({ id, name, arguments: values }) => ({ id, name, values })),
      [
        { id: 'f1', name: 'Oslo', values: { city: 'Oslo' } },
        { id: 'f3', name: 'Third', values: { city: 'Oslo' } },
      ],
    );
  });

  test('the previous run of a tool is the latest earlier one with a result', async () => {
    const history = await opened();
    history.add(ended('a', { startedAt: 1 }));
    history.add(ended('b', { startedAt: 2, outcome: 'failed' }));
    history.add(ended('c', { startedAt: 3, tool: 'other' }));
    assert.equal(history.previousOf('s', 't', 9)?.id, 'a');
    assert.equal(history.previousOf('s', 't', 1), undefined);
  });

  test('arguments named like parts of objects are plain data', async () => {
    const files = new MemoryHistoryFiles();
    const history = await opened(files);
    history.add(
      ended('a', { arguments: JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as Record<string, unknown> }),
    );
    await history.flush();
    const again = await opened(files);
    assert.deepEqual(Object.keys(again.run('a')?.arguments ?? {}), ['__proto__', 'constructor']);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
});
