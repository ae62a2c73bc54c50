import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachConfiguration, pausesAtStart } from '../../../src/core/debug/attachConfiguration.js';
import { readInspectorLine } from '../../../src/core/debug/inspectorLine.js';
import { PauseWatch } from '../../../src/core/debug/pauseWatch.js';

const uuid = '0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e';

test('the inspector line of Node is read, and similar lines are not', () => {
  assert.deepEqual(readInspectorLine(`Debugger listening on ws://127.0.0.1:41234/${uuid}`), {
    port: 41_234,
    url: `ws://127.0.0.1:41234/${uuid}`,
  });
  const others = [
    `Debugger listening on ws://10.0.0.1:9229/${uuid}`,
    `Debugger listening on ws://127.0.0.1.evil.example:9229/${uuid}`,
    `Debugger listening on ws://127.0.0.1:99999/${uuid}`,
    `Debugger listening on ws://127.0.0.1:0/${uuid}`,
    'Debugger listening on ws://127.0.0.1:9229/../json',
    `> Debugger listening on ws://127.0.0.1:9229/${uuid}`,
    'Debugger attached.',
  ];
  assert.deepEqual(
    others.map((line) => readInspectorLine(line)),
    others.map(() => undefined),
  );
});

test('the debugger attaches to the Node process that printed the address, with source maps', () => {
  const target = { kind: 'node', address: { port: 41_234, url: `ws://127.0.0.1:41234/${uuid}` } } as const;
  const made = attachConfiguration({ server: 's', target, stopAtStart: false, cwd: '/w' });
  const { type, request, websocketAddress, port, continueOnAttach, sourceMaps, outFiles, skipFiles } = made;
  assert.deepEqual(
    { type, request, websocketAddress, port, continueOnAttach, sourceMaps, outFiles, skipFiles },
    {
      type: 'pwa-node',
      request: 'attach',
      websocketAddress: target.address.url,
      port: 41_234,
      continueOnAttach: true,
      sourceMaps: true,
      outFiles: ['/w/**/*.(m|c|)js', '!**/node_modules*/**'],
      skipFiles: ['<node_internals>/**'],
    },
  );
  assert.equal(
    attachConfiguration({ server: 's', target, stopAtStart: true, cwd: undefined })['continueOnAttach'],
    false,
  );
});

test('variables of VS Code in values of a workspace are not resolved', () => {
  const target = { kind: 'node', address: { port: 1, url: `ws://127.0.0.1:1/${uuid}` } } as const;
  assert.equal(
    JSON.stringify(
      attachConfiguration({ server: 'x${command:evil.do}', target, stopAtStart: false, cwd: '/w/${input:y}' }),
    ).includes('${'),
    false,
  );
});

test('the debugger attaches to Python at its local port', () => {
  const made = attachConfiguration({
    server: 's',
    target: { kind: 'debugpy', port: 5678 },
    stopAtStart: true,
    cwd: '/w',
  });
  assert.deepEqual(
    { type: made.type, connect: made['connect'], redirectOutput: made['redirectOutput'] },
    { type: 'debugpy', connect: { host: '127.0.0.1', port: 5678 }, redirectOutput: false },
  );
});

test('Python is paused while it still waits, if it must stop at its first line', () => {
  const plan = (stopAtStart: boolean) =>
    ({ kind: 'debugpy', stopAtStart, port: 1, debugpy: { package: '/d' } }) as const;
  const initialized = { type: 'event', event: 'initialized' };
  assert.equal(pausesAtStart(plan(true), initialized), true);
  assert.equal(pausesAtStart(plan(false), initialized), false);
  assert.equal(pausesAtStart(plan(true), { type: 'event', event: 'stopped' }), false);
  assert.equal(pausesAtStart({ kind: 'node', way: 'arguments', stopAtStart: true }, initialized), false);
});

test('a program counts as paused from a stop until any message says that it continues', () => {
  const watch = new PauseWatch();
  const states = [
    { type: 'event', event: 'stopped', body: { threadId: 1 } },
    { type: 'response', success: true, command: 'evaluate' },
    { type: 'response', success: false, command: 'continue' },
    { type: 'response', success: true, command: 'next' },
    { type: 'event', event: 'stopped', body: { threadId: 1 } },
    { type: 'event', event: 'stopped', body: { threadId: 2 } },
    { type: 'event', event: 'continued', body: { threadId: 1, allThreadsContinued: false } },
    { type: 'event', event: 'thread', body: { reason: 'exited', threadId: 2 } },
    { type: 'event', event: 'stopped' },
    { type: 'event', event: 'terminated' },
    'no message',
  ].map((message) => {
    watch.read(message);
    return watch.isPaused;
  });
  assert.deepEqual(states, [true, true, true, false, true, true, true, false, true, false, false]);
});
