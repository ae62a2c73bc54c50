import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServerFeatures } from '../../../src/core/catalog/serverFeatures.js';
import { runNodes } from '../../../src/core/runs/runNodes.js';
import { nullLog } from '../../../src/core/base/log.js';
import type { FinishedRun } from '../../../src/core/runs/runLog.js';
import { RunLog } from '../../../src/core/runs/runLog.js';
import { MemoryHistoryFiles } from '../../support/memoryHistoryFiles.js';

async function opened(secrets: readonly string[] = []): Promise<RunLog> {
  const features = { tools: [{ name: 'echo', inputSchema: {} }] } as unknown as ServerFeatures;
  const servers = { secretValues: () => secrets, get: () => ({ features }) };
  const log = new RunLog(servers, new MemoryHistoryFiles(), nullLog);
  await log.history.whenRead();
  return log;
}

let count = 0;

function finished(text: string, parts: Partial<FinishedRun> = {}): FinishedRun {
  count++;
  return {
    id: `run-${count}`,
    server: 'demo',
    tool: 'echo',
    arguments: {},
    startedAt: count * 1_000,
    durationMs: 5,
    end: { result: { content: [{ type: 'text', text }] } },
    ...parts,
  };
}

describe('the log of runs', () => {
  test('returns the previous run of the same tool, and whether its result was the same', async () => {
    const log = await opened();
    const first = finished('one');
    assert.deepEqual(log.finish(first), {});
    assert.deepEqual(log.finish(finished('other tool', { tool: 'add' })), {});
    const second = finished('one');
    assert.deepEqual(log.finish(second), {
      previous: { id: first.id, isSame: true, canCompare: true, startedAt: first.startedAt },
    });
    assert.deepEqual(log.finish(finished('', { end: { message: 'It failed.', isCancelled: false } })), {});
    assert.deepEqual(log.finish(finished('two')), {
      previous: { id: second.id, isSame: false, canCompare: true, startedAt: second.startedAt },
    });
    log.dispose();
  });

  test('[F9] keeps the latest runs up to 64 MiB, counting small members of results, arguments and failures', async () => {
    const log = await opened();
    const many = () => Object.fromEntries(Array.from({ length: 500_000 }, (_one, index) => [`m${index}`, []]));
    const large = [
      finished('', { end: { result: { content: [], structuredContent: many() } } }),
      finished('', { arguments: many() }),
      finished('', { end: { result: { content: [], structuredContent: many() } } }),
      finished('small'),
    ];
    for (const run of large) log.finish(run);
    assert.deepEqual(
      large.map(({ id }) => log.find(id) !== undefined),
      [false, false, true, true],
    );
    const failures = [1, 2, 3].map(() =>
      finished('', { end: { message: 'It failed.', isCancelled: false, response: many() } }),
    );
    for (const run of failures) log.finish(run);
    assert.deepEqual(
      failures.map(({ id }) => log.findFailed(id) !== undefined),
      [false, false, true],
    );
    log.dispose();
  });

  test('stores the title of the tool, which the Servers view shows instead of its name', async () => {
    const features = { tools: [{ name: 'echo', title: 'Say It Again', inputSchema: {} }] } as unknown as ServerFeatures;
    const servers = { secretValues: () => [], get: () => ({ features }) };
    const log = new RunLog(servers, new MemoryHistoryFiles(), nullLog);
    await log.history.whenRead();
    log.finish(finished('one'));
    log.finish(finished('two', { tool: 'gone' }));
    const [day] = runNodes({ runs: log.history.runs(), favourites: [] }, 0, 'en');
    assert.deepEqual(
      day?.children?.().map(({ label, name }) => [label, name]),
      [
        ['gone', 'gone'],
        ['Say It Again', 'echo'],
      ],
    );
    log.dispose();
  });

  test('[S3] a secret in any text of a tool or a call is not stored', async () => {
    const secret = 'sk-live-0123456789abcdef';
    const name = `echo ${secret}`;
    const tools = [{ name, title: `Echo ${secret}`, inputSchema: {} }];
    const features = { tools } as unknown as ServerFeatures;
    const files = new MemoryHistoryFiles();
    const log = new RunLog({ secretValues: () => [secret], get: () => ({ features }) }, files, nullLog);
    await log.history.whenRead();
    const call = { server: 'demo', tool: name, arguments: { [secret]: 'x', text: secret, plain: 'x' } };
    log.finish(finished(`said ${secret}`, { ...call, client: `agent ${secret}`, traceparent: secret }));
    log.finish(finished('', { ...call, end: { message: `no ${secret}`, isCancelled: false } }));
    log.history.addFavourite('f', 'Echo', log.keepable(call));
    await log.history.saved();
    const [failed, run] = log.history.runs();
    assert.deepEqual(
      [run?.title, run?.tool, run?.client, run?.arguments, run?.omitted, failed?.summary],
      ['Echo •••', 'echo •••', 'agent •••', { plain: 'x' }, ['•••', 'text'], 'no •••'],
    );
    assert.doesNotMatch(JSON.stringify([files.index, ...files.byId.values()]), new RegExp(secret));
    for (const length of [100, 110, 280, 290, 299]) {
      const text = `${'x'.repeat(length)}${secret}${'y'.repeat(1_000)}`;
      tools.push({ name: `long ${length}`, title: text, inputSchema: {} });
      log.finish(finished(text, { tool: `long ${length}` }));
      const { title = '', summary } = log.history.runs()[0] ?? assert.fail();
      assert.doesNotMatch(title + summary, /sk-/, 'no part of a secret is left where a text is cut');
    }
    log.dispose();
  });

  test('two pictures can be compared, but not a picture with a text', async () => {
    const log = await opened();
    const picture = (side: number) => {
      const bytes = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      bytes[19] = side;
      bytes[23] = side;
      return {
        result: { content: [{ type: 'image' as const, data: bytes.toString('base64'), mimeType: 'image/png' }] },
      };
    };
    const compared = (parts: Partial<FinishedRun>) => log.finish(finished('', parts)).previous?.canCompare;
    assert.equal(compared({ end: picture(1) }), undefined);
    assert.equal(compared({ end: picture(2) }), true);
    assert.equal(compared({ end: { result: { content: [{ type: 'text', text: 'no picture' }] } } }), false);
    assert.equal(compared({ end: picture(1) }), false);
    log.dispose();
  });

  test('keeps the outcome and the first words of each run, newest first', async () => {
    const log = await opened();
    log.finish(finished('one'));
    log.finish(finished('bad', { end: { result: { content: [{ type: 'text', text: 'bad' }], isError: true } } }));
    log.finish(finished('', { end: { message: 'It failed.', isCancelled: false } }));
    log.finish(finished('', { end: { message: 'Canceled', isCancelled: true } }));
    assert.deepEqual(
      log.history.runs().map(({ outcome, summary }) => [outcome, summary]),
      [
        ['cancelled', 'Canceled'],
        ['failed', 'It failed.'],
        ['error', 'bad'],
        ['done', 'one'],
      ],
    );
    log.dispose();
  });

  test('keeps that a call was not sent', async () => {
    const log = await opened();
    const run = finished('', { end: { message: 'Not called', isCancelled: true, isUnsent: true } });
    log.finish(run);
    assert.equal(log.history.runs()[0]?.isUnsent, true);
    log.dispose();
  });

  test('keeps the whole result in memory and no secret in the history', async () => {
    const log = await opened(['hunter2-secret']);
    const run = finished('the password is hunter2-secret', {
      arguments: { message: 'hunter2-secret', password: 'typed', count: 1 },
    });
    log.finish(run);
    const [record] = log.history.runs();
    assert.deepEqual([record?.arguments, record?.omitted], [{ count: 1 }, ['message', 'password']]);
    assert.doesNotMatch(record?.summary ?? '', /hunter2-secret/);
    assert.deepEqual(log.find(run.id)?.result, 'result' in run.end ? run.end.result : undefined);
    assert.equal(log.findFailed(run.id), undefined);
    log.dispose();
  });
});
