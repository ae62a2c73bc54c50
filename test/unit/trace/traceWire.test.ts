import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, test } from 'node:test';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import { traceDetails, traceRow } from '../../../src/core/present/documents/traceRows.js';
import { readTraceFile, traceLines, writeTraceFile } from '../../../src/core/trace/traceFile.js';
import type { MessageTap } from '../../../src/core/trace/messageTap.js';
import type { TraceLog } from '../../../src/core/trace/traceLog.js';
import type { TraceEntry } from '../../../src/core/trace/traceMessage.js';
import { headlessHost } from '../../support/headlessHost.js';
import type { SeenRequest } from '../../support/httpTestServer.js';
import {
  HttpTestServer,
  eventText,
  legacyServer,
  sendJson,
  sendResult,
  startEvents,
} from '../../support/httpTestServer.js';
import { until } from '../../support/httpUntil.js';
import type { RemoteKind } from '../../support/remoteEcho.js';
import { startRemoteEcho, unanswered } from '../../support/remoteEcho.js';
import { WsTestServer } from '../../support/wsTestServer.js';

let leave: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of leave.reverse()) await end();
  leave = [];
});

async function traced(definition: object, settings: object = {}): Promise<{ host: McpHost; log: TraceLog }> {
  const { host } = headlessHost({
    servers: { s: { protocol: 'legacy', ...definition } },
    settings: { trace: 'on', ...settings },
  });
  leave.push(() => host.close());
  await host.open();
  await host.lifecycle.start('s');
  const log = host.traces.log('s');
  assert.ok(log);
  return { host, log };
}

function entries(log: TraceLog): TraceEntry[] {
  return Array.from({ length: log.end - log.first }, (_, index) => log.get(log.first + index)).filter(
    (entry) => entry !== undefined,
  );
}

/** Every line in short form: direction, kind, method. */
function story(log: TraceLog, from = 0): string[] {
  return entries(log)
    .slice(from)
    .map(({ direction, kind, method, text }) => `${direction === 'sent' ? '>' : '<'} ${kind} ${method ?? text}`);
}

async function server(
  handler: (seen: SeenRequest) => void,
  sessionId?: string,
  onGet?: (seen: SeenRequest) => void,
): Promise<HttpTestServer> {
  const started = await HttpTestServer.start(
    legacyServer({ handler, ...(sessionId === undefined ? {} : { sessionId }), ...(onGet ? { onGet } : {}) }),
  );
  leave.push(() => started.close());
  return started;
}

for (const kind of ['http', 'sse', 'ws'] satisfies RemoteKind[]) {
  test(`over ${kind} every message appears once, each request with its answer`, async () => {
    const echo = await startRemoteEcho(kind);
    leave.push(() => echo.close());
    const { host, log } = await traced({
      type: kind,
      url: `${kind === 'ws' ? 'ws' : 'http'}://127.0.0.1:${echo.port}/mcp`,
    });
    const before = log.end;
    await Promise.all(
      ['a', 'b', 'c'].map((text) =>
        host.calls.runTool({ server: 's', tool: 'echo', arguments: { text } }, { caller: 'user' }),
      ),
    );
    const exchange = (method: string) => [`> request ${method}`, `< response ${method}`];
    assert.deepEqual(story(log).slice(0, before), [
      `> note opened ${kind}`,
      ...exchange('initialize'),
      '> notification notifications/initialized',
      ...exchange('tools/list'),
    ]);
    assert.deepEqual(story(log).slice(before).sort(), [0, 1, 2].flatMap(() => exchange('tools/call')).sort());
    for (const entry of entries(log).filter((one) => one.kind === 'request')) {
      const answer = log.get(entry.pair ?? -1);
      assert.deepEqual([answer?.kind, answer?.id, answer?.pair], ['response', entry.id, entry.seq]);
      const text = /"text":"(.)"/.exec(entry.text)?.[1];
      if (text !== undefined) assert.match(answer?.text ?? '', new RegExp(`"text":"${text}"`));
    }
    const call = host.calls.runTool({ server: 's', tool: 'echo', arguments: { text: unanswered } }, { caller: 'user' });
    await until(() => echo.calls.includes(unanswered));
    const open = entries(log).at(-1);
    assert.ok(open);
    assert.equal(traceRow({ position: 0, entry: open }, log.redactor([])).outcome, 'open');
    await Promise.all([host.lifecycle.stop('s'), assert.rejects(call)]);
    assert.equal(traceRow({ position: 0, entry: open }, log.redactor([])).outcome, 'lost');
    assert.equal(story(log).filter((line) => line === '< note closed').length, 1);
  });
}

test('a request with the trace context of an agent shows it', async () => {
  const { url } = await server((seen) => sendResult(seen));
  const { host, log } = await traced({ type: 'http', url });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const call = (meta: Record<string, unknown>) =>
    host.calls.runTool({ server: 's', tool: 'echo', arguments: {} }, { caller: 'user', meta }).catch(() => undefined);
  await call({ traceparent });
  await call({ traceparent: 'no trace context' });
  const redactor = log.redactor([]);
  const shown = entries(log)
    .filter(({ kind, method }) => kind === 'request' && method === 'tools/call')
    .map((entry) =>
      traceDetails(log, traceRow({ position: 0, entry }, redactor), redactor, true)?.message.facts.find(
        ({ name }) => name === 'Trace context',
      ),
    );
  assert.deepEqual(shown, [{ name: 'Trace context', value: traceparent }, undefined]);
});

test('a message over HTTP has its status and headers, with the session id masked', async () => {
  const { url } = await server(
    (seen) =>
      seen.rpc?.method === 'prompts/list'
        ? sendJson(seen, { jsonrpc: '2.0', id: seen.rpc.id, error: { code: -32600, message: 'No such list' } }, 400)
        : sendResult(seen),
    'the-session',
  );
  const { host, log } = await traced({ type: 'http', url });
  await assert.rejects(host.calls.sendRequest({ server: 's', method: 'prompts/list', params: {} }, {}));
  const facts = (method: string) => {
    const entry = entries(log).find((one) => one.kind === 'response' && one.method === method);
    assert.ok(entry);
    const redactor = log.redactor([]);
    return (traceDetails(log, traceRow({ position: 0, entry }, redactor), redactor, true)?.message.facts ?? []).filter(
      ({ name }) => !['Time', 'Latency', 'Size'].includes(name),
    );
  };
  assert.deepEqual(facts('initialize'), [
    { name: 'HTTP status', value: '200 OK' },
    { name: 'content-type', value: 'application/json' },
    { name: 'mcp-session-id', value: '•••' },
  ]);
  assert.deepEqual(facts('prompts/list'), [
    { name: 'HTTP status', value: '400 Bad Request' },
    { name: 'content-type', value: 'application/json' },
  ]);
  const ping = entries(log).find(({ kind, method }) => kind === 'request' && method === 'prompts/list');
  assert.deepEqual(ping && log.redactor([]).headers(ping), {
    'mcp-session-id': '•••',
    'mcp-protocol-version': '2025-11-25',
  });
});

test('a status without an answer, a canceled call and a timeout are lines with their reason', async () => {
  const { url } = await server((seen) => {
    if (seen.rpc?.method === 'prompts/list')
      seen.response.writeHead(503, { 'content-type': 'text/plain' }).end('The kitchen is on fire');
    else if (seen.rpc?.method !== 'resources/list') sendResult(seen);
  });
  const { host, log } = await traced({ type: 'http', url }, { requestTimeoutMs: 1_500 });
  const from = log.end;
  await assert.rejects(host.calls.sendRequest({ server: 's', method: 'prompts/list', params: {} }, {}));
  const cancelling = new AbortController();
  const cancelled = host.calls.sendRequest(
    { server: 's', method: 'resources/list', params: {} },
    { signal: cancelling.signal },
  );
  await until(() => entries(log).some(({ method }) => method === 'resources/list'));
  cancelling.abort(new Error('enough'));
  await assert.rejects(cancelled);
  await assert.rejects(host.calls.sendRequest({ server: 's', method: 'resources/list', params: {} }, {}));
  const lines = entries(log).slice(from);
  assert.deepEqual(
    lines
      .filter(({ kind }) => kind === 'note')
      .map(({ text, method, isError, pair }) => [
        text.replace(/\d+(\.\d+)? (m?s|seconds?)/, 'a while'),
        method,
        isError,
        log.get(pair ?? -1)?.kind,
      ]),
    [
      [
        'no answer: The server answered prompts/list with HTTP status 503: The kitchen is on fire',
        'prompts/list',
        true,
        'request',
      ],
      ['cancelled', 'resources/list', false, 'request'],
      ['no answer: resources/list was not answered within a while.', 'resources/list', true, 'request'],
    ],
  );
  assert.equal(lines.filter(({ method }) => method === 'notifications/cancelled').length, 2);
  // The host pings a server that left a request unanswered, until the server is stopped.
  await host.lifecycle.stop('s');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'deck-trace-'));
  leave.push(() => rm(folder, { recursive: true }));
  await writeTraceFile(path.join(folder, 't.jsonl'), traceLines(log, 's', []));
  const { log: read } = await readTraceFile(path.join(folder, 't.jsonl'));
  const facts = ({ kind, id, method, pair, isError, status, hasFailed, isLost }: TraceEntry) => ({
    kind,
    id,
    method,
    pair,
    isError,
    status,
    hasFailed,
    isLost,
  });
  assert.deepEqual(entries(read).map(facts), entries(log).map(facts));
});

test('messages of streams and batches are separate lines: notifications, requests of the server, invalid JSON', async () => {
  let stream: SeenRequest | undefined;
  const { url } = await server(
    (seen) => {
      const response = startEvents(seen);
      response.write(
        eventText({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'on the way' } }),
      );
      response.write(eventText('not JSON'));
      response.write(
        eventText([
          { jsonrpc: '2.0', method: 'notifications/x' },
          { jsonrpc: '2.0', id: seen.rpc?.id, result: {} },
        ]),
      );
      response.end();
    },
    undefined,
    (seen) => {
      stream = seen;
      startEvents(seen);
    },
  );
  const { host, log } = await traced({ type: 'http', url });
  await until(() => stream !== undefined);
  const from = log.end;
  await host.calls.sendRequest({ server: 's', method: 'ping', params: {} }, {});
  assert.deepEqual(story(log, from), [
    '> request ping',
    '< notification notifications/message',
    '< invalid not JSON',
    '< notification notifications/x',
    '< response ping',
  ]);
  assert.equal(entries(log).at(-1)?.status, 200);
  const next = log.end;
  stream?.response.write(eventText({ jsonrpc: '2.0', id: 'r1', method: 'ping' }));
  await until(() => entries(log).length >= next + 2);
  assert.deepEqual(story(log, next), ['< request ping', '> response ping']);
  assert.equal(log.get(next)?.pair, next + 1);
});

test('a late answer is still linked to its request', async () => {
  let asked: number | undefined;
  const ws = await WsTestServer.start({
    onMessage: (
      { id, method, params }: { id?: number; method: string; params: { protocolVersion?: string } },
      socket,
    ) => {
      const answer = (to: number | undefined, result: object) =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: to, result }));
      if (method === 'initialize')
        answer(id, {
          protocolVersion: params.protocolVersion,
          capabilities: {},
          serverInfo: { name: 'slow', version: '1' },
        });
      else if (method === 'notifications/cancelled') answer(asked, { text: 'late' });
      else asked = id;
    },
  });
  leave.push(() => ws.close());
  const { host, log } = await traced({ type: 'ws', url: ws.url });
  const cancelling = new AbortController();
  const call = host.calls.sendRequest(
    { server: 's', method: 'prompts/list', params: {} },
    { signal: cancelling.signal },
  );
  await until(() => asked !== undefined);
  cancelling.abort(new Error('enough'));
  await assert.rejects(call);
  await until(() => entries(log).some(({ kind, text }) => kind === 'response' && text.includes('late')));
  const request = entries(log).find(({ method }) => method === 'prompts/list');
  assert.equal(log.get(request?.pair ?? -1)?.kind, 'response');
});

test('[Y3] a trace that fails stops no message', async () => {
  const broken = () => {
    throw new RangeError('no room');
  };
  const tap: MessageTap = {
    opened: broken,
    sent: broken,
    received: broken,
    unanswered: broken,
    unreadable: broken,
    closed: broken,
  };
  const { host, log } = await traced({
    command: process.execPath,
    args: ['test/fixtures/servers/counting.mjs', 'one'],
  });
  host.traces.slotOf('s').current = tap;
  const result = await host.calls.runTool({ server: 's', tool: 'count', arguments: {} }, { caller: 'user' });
  assert.notEqual(result.isError, true);
  const before = log.end;
  await host.lifecycle.stop('s');
  assert.equal(log.end, before);
});
