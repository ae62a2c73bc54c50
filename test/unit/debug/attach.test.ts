import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachConfiguration, pausesAtStart } from '../../../src/core/debug/attachConfiguration.js';
import { readInspectorLine } from '../../../src/core/debug/inspectorLine.js';
import { PauseWatch } from '../../../src/core/debug/pauseWatch.js';

const uuid = '0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e';

test('the line of Node is read, and nothing that is like it', () => {
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

test('Node is attached to at the very process that said where it listens, with source maps', () => {
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

test('no variable of VS Code is filled in from what a workspace named', () => {
  const target = { kind: 'node', address: { port: 1, url: `ws://127.0.0.1:1/${uuid}` } } as const;
  assert.equal(
    JSON.stringify(
      attachConfiguration({ server: 'x${command:evil.do}', target, stopAtStart: false, cwd: '/w/${input:y}' }),
    ).includes('${'),
    false,
  );
});

test('Python is attached to at its port of this machine', () => {
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

test('Python is asked to pause while it still waits, where it has to stop at its first line', () => {
  const plan = (stopAtStart: boolean) =>
    ({ kind: 'debugpy', stopAtStart, port: 1, debugpy: { package: '/d' } }) as const;
  const initialized = { type: 'event', event: 'initialized' };
  assert.equal(pausesAtStart(plan(true), initialized), true);
  assert.equal(pausesAtStart(plan(false), initialized), false);
  assert.equal(pausesAtStart(plan(true), { type: 'event', event: 'stopped' }), false);
  assert.equal(pausesAtStart({ kind: 'node', way: 'arguments', stopAtStart: true }, initialized), false);
});

test('a program is paused from a stop until it goes on, whoever says so', () => {
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
