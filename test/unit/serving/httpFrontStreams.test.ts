import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { isCancelled } from '../../../src/core/base/hostError.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { open, accept, send, reply, post, session, modern, EventReader } from './rawClient.js';

test('a lone answer is JSON; earlier messages make it a stream', async (t) => {
  const { url } = await open(t);
  const own = await session(url);
  const plain = await post(
    url,
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } },
    own,
  );
  assert.equal(plain.headers['content-type'], 'application/json');
  const { response } = await send(url, {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'report', _meta: { progressToken: 't' } },
    }),
    headers: own,
  });
  assert.equal(response.headers['content-type'], 'text/event-stream');
  assert.equal(response.headers['x-accel-buffering'], 'no');
  const reader = new EventReader(response);
  await reader.ended.promise;
  assert.equal(reader.events[0]?.data, '', 'the first event only carries an id');
  assert.ok(reader.events.every(({ id }) => id !== undefined));
  assert.deepEqual(
    reader.messages.map((message) => message['method'] ?? message['id']),
    ['notifications/progress', 'notifications/progress', 'notifications/progress', 'notifications/message', 3],
  );
});

test('a slow answer becomes a stream with heartbeats', async (t) => {
  const clock = new ManualClock();
  const { url, seen } = await open(t, { clock, keepAliveMs: 5_000 });
  const pending = send(url, modern('tools/call', { name: 'wait' }));
  await seen.waiting.promise;
  await clock.advance(5_000);
  const { response, hangUp } = await pending;
  assert.equal(response.headers['content-type'], 'text/event-stream');
  const reader = new EventReader(response);
  await clock.advance(5_000);
  await reader.atLeast(1);
  assert.equal(reader.comments, 1);
  hangUp();
  assert.ok(isCancelled(await seen.aborted.promise), 'a disconnect cancels the request');
});

test('a disconnect cancels a stateless request without output so far', async (t) => {
  const { url, seen, server } = await open(t);
  const target = new URL(url);
  const options = modern('tools/call', { name: 'wait' });
  const request = httpRequest({
    host: target.hostname,
    port: target.port,
    path: '/mcp',
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...(options?.headers as Record<string, string>) },
  });
  request.on('error', () => undefined);
  request.end(options?.body);
  await seen.waiting.promise;
  request.destroy();
  assert.ok(isCancelled(await seen.aborted.promise));
  assert.equal(server.connectionCount, 0);
});

test('in a session a disconnect cancels nothing: the client resumes for the rest', async (t) => {
  const { url, tools } = await open(t);
  const gate = new Deferred<void>();
  tools.add({
    tool: { name: 'slow', inputSchema: { type: 'object' } },
    call: async (_args, context) => {
      context.log('error', 'begun');
      await gate.promise;
      context.log('error', 'missed');
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const own = await session(url);
  const { response, hangUp } = await send(url, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'slow' } }),
    headers: own,
  });
  const first = new EventReader(response);
  await first.atLeast(2);
  const lastId = first.events.at(-1)?.id ?? '';
  hangUp();
  await first.ended.promise;
  gate.resolve();
  await settle();
  const again = await send(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } });
  const second = new EventReader(again.response);
  await second.ended.promise;
  assert.deepEqual(
    second.messages.map((message) => message['params']?.data ?? message['id']),
    ['missed', 'slow'],
  );
  const third = new EventReader(
    (await send(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } })).response,
  );
  await third.ended.promise;
  assert.equal(third.messages.length, 2, 'a finished stream can be requested again');
  for (const unknown of ['nope.1', 'post1.99', '.', `${lastId}9`])
    assert.equal((await reply(url, { method: 'GET', headers: { ...own, 'last-event-id': unknown } })).status, 400);
});

test('a stream that ended without further events is not resumed, so that the client stops reconnecting', async (t) => {
  const { url, seen } = await open(t);
  const own = await session(url);
  const get = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  const { response } = await send(url, {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'w',
      method: 'tools/call',
      params: { name: 'wait', _meta: { progressToken: 1 } },
    }),
    headers: own,
  });
  const reader = new EventReader(response);
  await seen.waiting.promise;
  await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }, own);
  await reader.ended.promise;
  const lastId = reader.events.at(-1)?.id ?? 'post1.0';
  const again = await reply(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } });
  assert.deepEqual([again.status, again.text], [204, '']);
  assert.equal(get.ended.isSettled, false, 'the stream of the session stays open');
});

test('a handler can disconnect the client and let it resume', async (t) => {
  const { url, tools } = await open(t);
  const gate = new Deferred<void>();
  tools.add({
    tool: { name: 'later', inputSchema: { type: 'object' } },
    call: async (_args, context) => {
      context.releaseStream(250);
      await gate.promise;
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const own = await session(url);
  const released = await reply(url, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'later' } }),
    headers: own,
  });
  assert.match(released.text, /^id: (post\d+\.1)\ndata:\n\nretry: 250\n\n$/);
  const lastId = /^id: (\S+)/.exec(released.text)?.[1] ?? '';
  const again = await send(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } });
  gate.resolve();
  const reader = new EventReader(again.response);
  await reader.ended.promise;
  assert.deepEqual(
    reader.messages.map((message) => message['id']),
    [9],
  );
});

test('messages that belong to no request wait for the GET stream; a second stream replaces the first', async (t) => {
  const { url, tools } = await open(t);
  const own = await session(url);
  const change = (): void =>
    tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) }).dispose();
  change();
  await settle();
  const first = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  await first.atLeast(1);
  const second = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  await first.ended.promise;
  change();
  await second.atLeast(1);
  assert.deepEqual(
    [...first.messages, ...second.messages].map((message) => message['method']),
    ['notifications/tools/list_changed', 'notifications/tools/list_changed'],
  );
});
