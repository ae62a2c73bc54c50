import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { App } from '@modelcontextprotocol/ext-apps';
import type { AppHost } from '../../../src/core/apps/appBridge.js';
import { AppBridge } from '../../../src/core/apps/appBridge.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { ManualClock } from '../../support/manualClock.js';

type Message = Record<string, unknown> & {
  id?: unknown;
  method?: unknown;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

/** A host that records its requests and allows everything. */
class RecordingHost implements AppHost {
  readonly info = { name: 'deck', version: '1.0.0' };
  readonly asked: unknown[] = [];
  readonly warnings: string[] = [];
  answer: () => boolean = () => true;
  context = () => ({ theme: 'dark', displayMode: 'inline' });
  capabilities = () => ({ openLinks: {} });
  callTool: AppHost['callTool'] = async (call) => {
    this.asked.push(call);
    return { content: [{ type: 'text', text: 'called' }] };
  };
  readResource = async (uri: string) => ({ contents: [{ uri, text: 'read' }] });
  list = async (what: string) => [what];
  openLink = async (url: string) => this.note(url);
  sendMessage = async (text: string) => this.note(text);
  updateModelContext = async (context: object) => this.note(context);
  downloadFiles: AppHost['downloadFiles'] = async (files) => this.note(files);
  requestDisplayMode = (mode: 'inline' | 'fullscreen') => mode;
  log = (message: object) => void this.note(message);
  endRequested = () => void this.note('end');
  warn = (line: string) => void this.warnings.push(line);

  private note(what: unknown): boolean {
    this.asked.push(what);
    return this.answer();
  }
}

/** A bridge with an app whose messages the test writes. */
function raw({ clock }: { clock?: ManualClock } = {}) {
  const host = new RecordingHost();
  const sent: Message[] = [];
  const bridge = new AppBridge(host, (text) => void sent.push(JSON.parse(text) as Message), clock ? { clock } : {});
  let count = 0;
  const send = (message: object) => bridge.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const ask = async (method: string, params?: unknown): Promise<Message> => {
    const id = `q${++count}`;
    send({ id, method, ...(params === undefined ? {} : { params }) });
    for (;;) {
      const found = sent.find((one) => one.id === id);
      if (found) return found;
      await setImmediate();
    }
  };
  const shake = async (appCapabilities: object = {}) => {
    await ask('ui/initialize', {
      appInfo: { name: 'x', version: '1' },
      appCapabilities,
      protocolVersion: '2026-01-26',
    });
    send({ method: 'ui/notifications/initialized' });
  };
  return { host, bridge, sent, send, ask, shake };
}

describe('the channel to an app', () => {
  test('the official library connects, receives the call, and gets answers to its requests', async () => {
    const host = new RecordingHost();
    const app = new App({ name: 'app', version: '1.0.0' }, {}, { autoResize: false });
    const received: unknown[] = [];
    app.addEventListener('toolinput', (params) => received.push(params));
    app.addEventListener('toolresult', (params) => received.push(params));
    app.addEventListener('hostcontextchanged', (params) => received.push(params));
    const transport: Parameters<typeof app.connect>[0] & object = {
      start: async () => undefined,
      close: async () => undefined,
      send: async (message: unknown) => bridge.receive(JSON.stringify(message)),
    };
    const bridge = new AppBridge(host, (text) => transport.onmessage?.(JSON.parse(text)));
    bridge.showInput({ city: 'Bern' });
    await app.connect(transport);
    bridge.showResult({ content: [], structuredContent: { temperature: 20 } });
    bridge.contextChanged({ theme: 'light' });
    assert.deepEqual(app.getHostVersion(), host.info);
    assert.deepEqual((await app.callServerTool({ name: 'a', arguments: { x: 1 } })).content, [
      { type: 'text', text: 'called' },
    ]);
    assert.equal((await app.readServerResource({ uri: 'data://x' })).contents.length, 1);
    await app.openLink({ url: 'https://example.com/' });
    await app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'hello' }] });
    await app.updateModelContext({ structuredContent: { a: 1 } });
    await app.downloadFile({
      contents: [
        { type: 'resource', resource: { uri: 'file:///a.csv', mimeType: 'text/csv', text: 'a,b' } },
        { type: 'resource_link', uri: 'data://x', name: 'x' },
      ],
    });
    assert.equal((await app.requestDisplayMode({ mode: 'fullscreen' })).mode, 'fullscreen');
    let ended = false;
    app.onteardown = async () => {
      ended = true;
      return {};
    };
    await bridge.teardown();
    assert.equal(app.getHostContext()?.theme, 'light');
    assert.equal(ended, true);
    assert.deepEqual(received, [
      { arguments: { city: 'Bern' } },
      { content: [], structuredContent: { temperature: 20 } },
      { theme: 'light' },
    ]);
    assert.deepEqual(host.asked, [
      { name: 'a', arguments: { x: 1 } },
      'https://example.com/',
      'hello',
      { text: '', structured: { a: 1 } },
      [{ resource: { uri: 'file:///a.csv', text: 'a,b', mimeType: 'text/csv' } }, { uri: 'data://x' }],
    ]);
    bridge.close();
  });

  test('no messages are sent before the app is ready, then all of them in order', async () => {
    const { bridge, sent, ask, send } = raw();
    bridge.showInput({ a: 1 });
    bridge.showResult({ content: [] });
    bridge.listChanged('notifications/tools/list_changed');
    assert.deepEqual(sent, []);
    await ask('ui/initialize', {});
    assert.equal(sent.length, 1);
    send({ method: 'ui/notifications/initialized' });
    assert.deepEqual(
      sent.slice(1).map(({ method }) => method),
      ['ui/notifications/tool-input', 'ui/notifications/tool-result'],
    );
    send({ method: 'ui/notifications/initialized' });
    assert.equal(sent.length, 3);
  });

  test('[V8] requests before the handshake are refused', async () => {
    const { host, ask } = raw();
    assert.equal((await ask('tools/call', { name: 'x' })).error?.code, -32600);
    assert.deepEqual((await ask('ping')).result, {});
    assert.deepEqual(host.asked, []);
  });

  test('[V8] methods of other protocols do not exist', async () => {
    const { ask, shake } = raw();
    await shake();
    for (const method of [
      'sampling/createMessage',
      'prompts/get',
      'initialize',
      'vscode/executeCommand',
      '__proto__',
      'constructor',
      '',
      'completion/complete',
    ])
      assert.equal((await ask(method, {})).error?.code, -32601, method);
  });

  test('[V8] invalid requests are refused without a question', async () => {
    const { host, ask, shake } = raw();
    await shake();
    const long = 'x'.repeat(70_000);
    const bad: [string, unknown][] = [
      ['tools/call', {}],
      ['tools/call', { name: 5 }],
      ['tools/call', { name: 'a', arguments: [] }],
      ['tools/call', { name: long }],
      ['tools/call', { name: 'a', arguments: { value: 'x'.repeat(1024 * 1024) } }],
      ['resources/read', { uri: {} }],
      ['ui/open-link', { url: long }],
      ['ui/open-link', {}],
      ['ui/message', { role: 'assistant', content: { type: 'text', text: 'x' } }],
      ['ui/message', { role: 'user', content: { type: 'image', data: '' } }],
      ['ui/message', { role: 'user', content: [] }],
      ['ui/message', { role: 'user', content: { type: 'text', text: long } }],
      ['ui/update-model-context', { content: 'x' }],
      ['ui/update-model-context', { structuredContent: { long } }],
      ['ui/download-file', {}],
      ['ui/download-file', { contents: [] }],
      ['ui/download-file', { contents: Array.from({ length: 11 }, () => ({ type: 'resource_link', uri: 'a:b' })) }],
      ['ui/download-file', { contents: [{ type: 'resource', resource: { uri: 'a:b' } }] }],
      ['ui/download-file', { contents: [{ type: 'text', text: 'x' }] }],
    ];
    for (const [method, params] of bad)
      assert.equal((await ask(method, params)).error?.code, -32602, `${method} ${JSON.stringify(params).slice(0, 80)}`);
    assert.deepEqual(host.asked, []);
  });

  test('a refusal by the user is a response', async () => {
    const { host, ask, shake } = raw();
    await shake();
    host.answer = () => false;
    for (const [method, params] of [
      ['ui/open-link', { url: 'https://a.example' }],
      ['ui/message', { role: 'user', content: { type: 'text', text: 'x' } }],
      ['ui/update-model-context', {}],
      ['ui/download-file', { contents: [{ type: 'resource_link', uri: 'a:b' }] }],
    ] as const)
      assert.equal((await ask(method, params)).error?.code, -32000);
  });

  test('a failure has a readable message; an internal error reveals nothing', async () => {
    const { host, ask, shake } = raw();
    await shake();
    host.callTool = async () =>
      Promise.reject(new HostError('not-running', 'The server is not running.', { data: { why: 'idle' } }));
    assert.deepEqual((await ask('tools/call', { name: 'a' })).error, {
      code: -32000,
      message: 'The server is not running.',
    });
    host.callTool = async () => Promise.reject(new TypeError('cannot read secret of undefined'));
    assert.deepEqual((await ask('tools/call', { name: 'a' })).error, { code: -32603, message: 'Internal error' });
  });

  test('[V8] calls are limited: four at once, sixty per minute', async () => {
    const clock = new ManualClock();
    const { host, ask, shake, sent, send } = raw({ clock });
    await shake();
    const open: (() => void)[] = [];
    host.callTool = () => new Promise((resolve) => open.push(() => resolve({ content: [] })));
    for (let i = 0; i < 4; i++) send({ id: i, method: 'tools/call', params: { name: 'a' } });
    assert.equal((await ask('tools/call', { name: 'a' })).error?.code, -32000);
    assert.equal(open.length, 4);
    for (const end of open) end();
    while (sent.filter(({ result }) => result?.['content']).length < 4) await setImmediate();
    host.callTool = async () => ({ content: [] });
    for (let i = 4; i < 60; i++) assert.equal((await ask('tools/call', { name: 'a' })).error, undefined);
    assert.equal((await ask('tools/call', { name: 'a' })).error?.code, -32000);
    await clock.advance(60_001);
    assert.equal((await ask('tools/call', { name: 'a' })).error, undefined);
  });

  test('[progress] progress of a call or a read reaches the app that sent a token, no faster than it can be shown', async () => {
    const clock = new ManualClock();
    const { host, shake, sent, send } = raw({ clock });
    await shake();
    let report: (progress: { progress: number; total?: number; message?: string }) => void = () => undefined;
    host.callTool = (_call, _signal, onProgress) => {
      report = onProgress;
      return new Promise(() => undefined);
    };
    host.readResource = (_uri: string, _signal?: AbortSignal, onProgress: typeof report = () => undefined) => {
      onProgress({ progress: 7 });
      return new Promise(() => undefined);
    };
    send({ id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 't' } } });
    await setImmediate();
    for (let i = 1; i <= 1_000; i++) report({ progress: i, total: 1_000, message: `step ${i}` });
    await clock.advance(100);
    send({ id: 2, method: 'resources/read', params: { uri: 'x:y', _meta: { progressToken: 2 } } });
    await setImmediate();
    send({ id: 3, method: 'tools/call', params: { name: 'a' } });
    await setImmediate();
    report({ progress: 1 });
    assert.deepEqual(
      sent.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params),
      [
        { progressToken: 't', progress: 1, total: 1_000, message: 'step 1' },
        { progressToken: 't', progress: 1_000, total: 1_000, message: 'step 1000' },
        { progressToken: 2, progress: 7 },
      ],
    );
  });

  test('a request that the app cancels is aborted', async () => {
    const { host, send, shake } = raw();
    await shake();
    const aborted = new Promise<boolean>((resolve) => {
      host.callTool = (_call, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => (resolve(true), reject(new Error('aborted')))),
        );
    });
    send({ id: 1, method: 'tools/call', params: { name: 'a' } });
    send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    assert.equal(await aborted, true);
  });

  test('downloads wait for each other, and one that the app cancels meanwhile does not begin', async () => {
    const { host, send, sent, shake } = raw();
    await shake();
    const begun: string[] = [];
    let release = () => {};
    host.downloadFiles = ([file]) => {
      begun.push(file && 'uri' in file ? file.uri : '');
      return new Promise((resolve) => (release = () => resolve(true)));
    };
    const download = (id: string) =>
      send({ id, method: 'ui/download-file', params: { contents: [{ type: 'resource_link', uri: `a:${id}` }] } });
    ['one', 'two', 'three'].forEach(download);
    send({ method: 'notifications/cancelled', params: { requestId: 'two' } });
    await setImmediate();
    assert.deepEqual(begun, ['a:one']);
    release();
    await setImmediate();
    assert.deepEqual(begun, ['a:one', 'a:three']);
    release();
    await setImmediate();
    assert.deepEqual(
      sent.flatMap(({ id }) => (id === 'one' || id === 'two' || id === 'three' ? [id] : [])),
      ['one', 'three'],
    );
  });

  test('an app gets no display mode that it did not declare', async () => {
    const { ask, shake } = raw();
    await shake({ availableDisplayModes: ['inline'] });
    assert.deepEqual((await ask('ui/request-display-mode', { mode: 'fullscreen' })).result, { mode: 'inline' });
    assert.deepEqual((await ask('ui/request-display-mode', { mode: 'pip' })).result, { mode: 'inline' });
  });

  test('lists, log lines and the request to close reach the host', async () => {
    const { host, ask, send, shake } = raw();
    await shake();
    assert.deepEqual(
      [(await ask('tools/list')).result, (await ask('resources/templates/list', {})).result],
      [{ tools: ['tools'] }, { resourceTemplates: ['resourceTemplates'] }],
    );
    send({ method: 'notifications/message', params: { level: 'info', data: 'up' } });
    send({ method: 'ui/notifications/request-teardown' });
    assert.deepEqual(host.asked, [{ level: 'info', data: 'up' }, 'end']);
  });

  test('invalid messages are dropped', async () => {
    const { host, bridge, sent } = raw();
    for (const text of [
      '',
      'x',
      '[]',
      '5',
      'null',
      '{}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ])
      bridge.receive(text);
    await setImmediate();
    assert.deepEqual([sent, host.asked], [[], []]);
  });

  test('an app that does not close in order does not block the host', async () => {
    const clock = new ManualClock();
    const { bridge, shake, host } = raw({ clock });
    await shake();
    const ended = bridge.teardown();
    await clock.advance(2_000);
    await ended;
    assert.match(host.warnings.join(), /did not close normally/);
  });
});

describe('[V8] the memory that an app can make the host use', () => {
  test('a message with very many values is dropped before it is parsed', () => {
    const { bridge, host } = raw();
    bridge.receive(`{"jsonrpc":"2.0","method":"x","params":{"a":[${'{},'.repeat(300_000)}0]}}`);
    assert.match(host.warnings[0] ?? '', /more than 262,144 values/);
  });

  test('four requests for resources and lists run at once, and the others wait', async () => {
    const { host, send, shake, sent } = raw();
    await shake();
    const ends: (() => void)[] = [];
    host.readResource = async (uri) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return { contents: [{ uri, text: 'read' }] };
    };
    for (let id = 0; id < 10; id++) send({ id, method: 'resources/read', params: { uri: `a:${id}` } });
    send({ id: 'list', method: 'tools/list' });
    for (let answered = 0; answered < 10; answered++) {
      for (let turn = 0; turn < 5; turn++) await setImmediate();
      assert.ok(ends.length <= 4, `${ends.length} are read at once`);
      ends.shift()?.();
    }
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.equal(sent.filter(({ id }) => typeof id === 'number').length, 10);
    assert.ok(sent.some(({ id }) => id === 'list'));
  });

  test('no further lists, resources and results are sent while the app takes none', async () => {
    const { bridge, host, send, shake, sent } = raw();
    await shake();
    const text = 'x'.repeat(3_000_000);
    host.list = async () => [text];
    const lists = () => sent.filter(({ result }) => result?.['tools'] !== undefined).length;
    for (let id = 0; id < 20; id++) send({ id, method: 'tools/list' });
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    const first = lists();
    assert.ok(first <= 8, `${first} lists were sent`);
    for (let taken = 0; taken < 20; taken++) {
      bridge.taken(3_000_100);
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    }
    assert.equal(lists(), 20);
  });
});
