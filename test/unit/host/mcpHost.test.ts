import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nullLog } from '../../../src/core/base/log.js';
import { RunLog } from '../../../src/core/runs/runLog.js';
import { MemoryHistoryFiles } from '../../support/memoryHistoryFiles.js';
import { failureMessage } from '../../../src/core/present/failure/failureText.js';
import { makeHost, server, withHost } from './memoryHost.js';

test('[S5] the secrets at the start of a run are masked at its end, even if its definition was changed or removed in the meantime', async () => {
  const withToken = (token: string) => ({ a: { ...server(), env: { API_TOKEN: token } } });
  const made = makeHost({ workspace: withToken('hunter2-first') });
  await withHost(made, async (host) => {
    const runs = new RunLog(host.servers, new MemoryHistoryFiles(), nullLog);
    let count = 0;
    const record = (text: string) => {
      const id = `run-${++count}`;
      const run = { id, server: 'a', tool: 't', arguments: { note: text }, startedAt: 1, durationMs: 1 };
      runs.finish({ ...run, end: { result: { content: [{ type: 'text', text }] } } });
      return JSON.stringify(runs.history.run(id));
    };
    await host.lifecycle.start('a');
    await made.edit(withToken('hunter2-second'));
    await host.lifecycle.restart('a');
    assert.deepEqual(
      ['hunter2-first', 'hunter2-second'].filter((token) => record(`it is ${token}`).includes(token)),
      [],
    );
    await made.edit({});
    assert.equal(host.servers.get('a'), undefined);
    assert.deepEqual(
      ['hunter2-first', 'hunter2-second'].filter(
        (token) => !host.servers.secretValues('a').includes(token) || record(`it was ${token}`).includes(token),
      ),
      [],
    );
    await made.edit({
      a: { command: process.execPath, args: ['-e', 'console.error("now hunter2-first"); process.exit(1)'] },
    });
    await host.lifecycle.start('a').catch(() => undefined);
    assert.ok(
      made.logged.some((line) => line.includes('now ')),
      made.logged.join('\n'),
    );
    assert.deepEqual(
      made.logged.filter((line) => /stderr.*hunter2/.test(line)),
      [],
    );
    runs.dispose();
  });
});

test('[C2] the answer to the start question is in the audit log, and a start without a question is not', async () => {
  for (const answer of ['allow', 'deny', 'later'] as const) {
    const made = makeHost({ workspace: { a: server() }, user: { mine: server() }, answer });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a').catch(() => undefined);
      await host.lifecycle.start('mine');
      const outcome = { allow: 'allowed', deny: 'refused', later: 'left' }[answer];
      assert.deepEqual(
        made.noted.map((record) => ({ ...record, definition: 'x' })),
        [{ event: 'start', server: 'a', source: '.vscode/mcp.json', definition: 'x', outcome }],
      );
    });
  }
});

test('a call starts its server, returns the plain result, and the server shows its tools', async () => {
  const made = makeHost({ workspace: { a: server() } });
  await withHost(made, async (host) => {
    const result = await host.calls.runTool(
      { server: 'a', tool: 'echo', arguments: { text: 'hi' } },
      { caller: 'user' },
    );
    assert.deepEqual(result, { content: [{ type: 'text', text: 'hi' }] });
    const view = host.servers.get('a');
    assert.deepEqual(
      [view?.state.kind, view?.features?.tools.map(({ name }) => name), view?.features?.identity.era],
      ['running', ['echo'], 'legacy'],
    );
  });
});

test('a start that was aborted before it began does not run', async () => {
  await withHost(makeHost({ user: { a: server() } }), async (host) => {
    await assert.rejects(host.lifecycle.start('a', { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
    assert.equal(host.servers.get('a')?.state.kind, 'stopped');
  });
});

describe('a typed value', () => {
  const inputs = [{ id: 'k', type: 'promptString', password: true }];
  const workspace = { a: { ...server(), env: { KEY: '${input:k}' } } };

  test('is requested again after it was forgotten, and changed without a start', async () => {
    const values = ['first', 'second', 'third'];
    const secrets = new Map<string, string>();
    const stored = () => [...secrets].flatMap(([key, value]) => (key.startsWith('mcpDeck.input/') ? [value] : []));
    await withHost(makeHost({ workspace, inputs, values, secrets }), async (host) => {
      assert.deepEqual(await host.storedValues.inputs(), []);
      await host.lifecycle.start('a');
      assert.deepEqual(stored(), ['first']);
      await host.storedValues.askInput('a', 'k');
      assert.deepEqual(stored(), ['second']);
      for (const one of await host.storedValues.inputs()) await host.storedValues.forgetInput(one);
      assert.deepEqual(stored(), []);
      await host.lifecycle.restart('a');
      assert.deepEqual(stored(), ['third']);
      await assert.rejects(host.storedValues.askInput('a', 'k'), { code: 'cancelled' });
      assert.deepEqual(stored(), ['third'], 'canceling keeps the old value');
    });
  });

  test('is named as a possible cause only when the server ends before it answers', async () => {
    const failing = { a: { ...server('exit-on-start'), env: { KEY: '${input:k}' } }, b: server('exit-on-start') };
    await withHost(makeHost({ workspace: failing, inputs, values: ['wrong'] }), async (host) => {
      const messageOf = (id: string) =>
        host.lifecycle.start(id).then(
          () => assert.fail('it should have failed'),
          (error: unknown) => failureMessage(error, { isWorkspaceTrusted: true }),
        );
      const [withValue, without] = [await messageOf('a'), await messageOf('b')];
      assert.match(
        withValue?.text ?? '',
        /If a value that you entered is wrong, change it with "MCP Deck: Stored Values…"\.$/,
      );
      assert.ok(withValue?.actions.includes('manageStoredValues'));
      assert.ok(
        !without?.text.includes('Stored Values') && !without?.actions.includes('manageStoredValues'),
        without?.text,
      );
    });
  });

  test('[S1] of a password is only in secret storage: not in the state, the log or the audit log, and only after trust', async () => {
    const typed = 'typed-in-by-the-person';
    const secrets = new Map<string, string>();
    const password = [{ ...inputs[0], password: true }];
    const refusing = makeHost({ workspace, inputs: password, values: [typed], secrets, answer: 'deny' });
    await withHost(refusing, (host) => assert.rejects(host.lifecycle.start('a')));
    assert.deepEqual([...secrets], [], 'it is not requested before the server is approved');
    const made = makeHost({ workspace, inputs: password, values: [typed], secrets });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      assert.equal([...secrets.values()].filter((value) => value.includes(typed)).length, 1);
      assert.doesNotMatch(
        JSON.stringify([
          [...made.state],
          made.logged,
          made.noted,
          made.questions,
          host.servers.list().map(({ entry }) => entry),
          await host.storedValues.inputs(),
        ]),
        /typed-in/,
      );
    });
  });

  test('[S4] stays while its definition is missing, and is deleted with a removed server', async () => {
    const secrets = new Map<string, string>();
    const made = makeHost({ workspace, inputs, values: ['typed'], secrets });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const stored = await host.storedValues.of('a');
      assert.deepEqual([stored.inputs.map(({ input }) => input), stored.signedInTo], [['k'], undefined]);
      await made.edit({});
      assert.deepEqual(
        (await host.storedValues.inputs()).map(({ server: id, input, isUsed }) => [id, input, isUsed]),
        [['a', 'k', false]],
      );
      await host.storedValues.forget(stored);
      assert.deepEqual([await host.storedValues.inputs(), [...secrets]], [[], [['mcpDeck.inputs', '[]']]]);
    });
  });
});

test('[N3] an edit stops removed and disabled servers and leaves the others running', async () => {
  const made = makeHost({ workspace: { a: server(), b: server(), c: server() } });
  await withHost(made, async (host) => {
    await Promise.all(['a', 'b', 'c'].map((id) => host.lifecycle.start(id)));
    const pid = host.servers.get('a')?.endpoint?.pid;
    await made.edit({ a: server(), c: { ...server(), disabled: true } });
    assert.deepEqual(
      [host.servers.get('a')?.endpoint?.pid, host.servers.get('b'), host.servers.get('c')?.entry.isEnabled],
      [pid, undefined, false],
    );
    while (host.servers.get('c')?.state.kind !== 'stopped') await new Promise((resolve) => setImmediate(resolve));
  });
});

test('a crash during a call fails the call and the server with the reason', async () => {
  const made = makeHost({ workspace: { a: server('exit-mid-call') } });
  await withHost(made, async (host) => {
    await assert.rejects(host.calls.runTool({ server: 'a', tool: 'echo' }, { caller: 'user' }), { code: 'exited' });
    const view = host.servers.get('a');
    assert.match(view?.state.kind === 'failed' ? view.state.error.message : '', /code 7: out of memory/);
    assert.deepEqual(view?.stderr, ['out of memory']);
  });
});

test('errors about unknown servers and tools name the existing ones', async () => {
  const made = makeHost({ workspace: { a: server() } });
  await withHost(made, async (host) => {
    await assert.rejects(
      host.lifecycle.start('b'),
      (error: Error & { hint?: string }) => /no server "b"/.test(error.message) && error.hint === 'Known servers: a.',
    );
    await assert.rejects(host.calls.findTool('a', 'nope'), /no tool "nope"/);
  });
});

test('[P7] closing the host leaves no process, and closing twice is harmless', async () => {
  const made = makeHost({ workspace: { a: server('ignore-sigterm') } });
  await made.host.open();
  await made.host.lifecycle.start('a');
  const pid = made.host.servers.get('a')?.endpoint?.pid ?? 0;
  await Promise.all([made.host.close(), made.host.close()]);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});
