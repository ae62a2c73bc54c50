import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { connectInterop } from '../../support/interopClient.js';
import { startPeer } from '../../support/interopProcess.js';
import type { Peer } from './peerSuite.js';
import { child, remote, suite, textOf } from './peerSuite.js';

// Servers built with the official SDK 1.x, over every transport that it supports.
const sdk1 = 'test/support/interopSdk1.mjs';

const peers: Peer[] = [
  { name: 'SDK 1 over stdio', ids: '[stdio]', open: child(sdk1) },
  {
    name: 'SDK 1 over stdio, 2025-06-18',
    ids: '[stdio, lifecycle.versions]',
    open: child(sdk1),
    options: { protocol: 'legacy', proposal: '2025-06-18' },
    revision: '2025-06-18',
  },
  {
    name: 'SDK 1 over stdio, 2025-03-26',
    ids: '[stdio, lifecycle.versions]',
    open: child(sdk1),
    options: { protocol: 'legacy', proposal: '2025-03-26' },
    revision: '2025-03-26',
  },
  {
    name: 'SDK 1 over stdio, 2024-11-05',
    ids: '[stdio, lifecycle.versions]',
    open: child(sdk1),
    options: { protocol: 'legacy', proposal: '2024-11-05' },
    revision: '2024-11-05',
  },
  { name: 'SDK 1 over HTTP with sessions', ids: '[http.post, http.session]', open: remote(sdk1, 'http', 'http') },
  {
    name: 'SDK 1 over HTTP with JSON answers',
    ids: '[http.post]',
    open: remote(sdk1, 'http-json', 'http'),
    isJsonOnly: true,
  },
  {
    name: 'SDK 1 over HTTP without sessions',
    ids: '[http.post]',
    open: remote(sdk1, 'http-stateless', 'http'),
    isStateless: true,
  },
  { name: 'SDK 1 over HTTP+SSE', ids: '[sse.legacy]', open: remote(sdk1, 'sse', 'sse') },
  {
    name: 'SDK 1 over HTTP+SSE, not told so',
    ids: '[http.fallback]',
    open: remote(sdk1, 'sse'),
    options: { mayFallBackToSse: true },
  },
  { name: 'SDK 1 over WebSocket', ids: '[websocket]', open: remote(sdk1, 'ws', 'ws') },
  { name: 'SDK 1 over a Unix socket or named pipe', ids: '[sockets]', open: remote(sdk1, 'unix', 'http') },
  { name: 'SDK 1 over a raw socket', ids: '[U1]', open: remote(sdk1, 'socket', 'socket') },
];

describe('SDK 1', { concurrency: 3 }, () => {
  for (const peer of peers) suite(peer);
});

describe('sessions over HTTP', { concurrency: false }, () => {
  test('[http.session] a dropped session is opened again once and the call repeated; at the end it is deleted', async (t) => {
    const peer = await startPeer([sdk1, 'http']);
    t.after(() => peer.close());
    const { session, oracle } = await connectInterop(() => openRemote({ type: 'http', url: peer.url, headers: {} }));
    await session.callTool('echo', { text: 'before' });
    await fetch(new URL('/forget', peer.url), { method: 'POST' });
    assert.equal(textOf(await session.callTool('echo', { text: 'after' })), 'after');
    assert.equal(oracle.methods.filter((method) => method === 'initialize').length, 2);
    const count = async () => (await fetch(new URL('/count', peer.url))).text();
    assert.equal(await count(), '1');
    await session.close();
    assert.equal(await count(), '0');
    assert.deepEqual(oracle.problems, []);
  });

  test('[http.resume] an answer on a lost stream is requested with Last-Event-ID', async (t) => {
    const peer = await startPeer([sdk1, 'http']);
    t.after(() => peer.close());
    const { session, oracle } = await connectInterop(() => openRemote({ type: 'http', url: peer.url, headers: {} }));
    assert.equal(textOf(await session.callTool('drop', {})), 'after the break');
    assert.equal(oracle.methods.filter((method) => method === 'tools/call').length, 1, 'the call is not repeated');
    await session.close();
    assert.deepEqual(oracle.problems, []);
  });
});
