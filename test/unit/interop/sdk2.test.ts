import { describe } from 'node:test';
import type { Peer } from './peerSuite.js';
import { child, modern, remote, suite } from './peerSuite.js';

// Servers built with the official SDK 2.x, over every transport that it supports, in both eras.
const sdk2 = 'test/support/interopSdk2.mjs';

const peers: Peer[] = [
  { name: 'SDK 2 over stdio', ids: '[stdio, lifecycle.discover]', open: child(sdk2), revision: modern },
  { name: 'SDK 2 over stdio, the older era', ids: '[stdio]', open: child(sdk2), options: { protocol: 'legacy' } },
  {
    name: 'SDK 2 over HTTP',
    ids: '[http.modernHeaders, lifecycle.discover]',
    open: remote(sdk2, 'http', 'http'),
    revision: modern,
  },
  {
    name: 'SDK 2 over HTTP, always streaming',
    ids: '[http.modernHeaders]',
    open: remote(sdk2, 'http-sse', 'http'),
    revision: modern,
  },
  {
    name: 'SDK 2 over HTTP, the modern era only',
    ids: '[http.modernHeaders]',
    open: remote(sdk2, 'http-modern', 'http'),
    options: { knownEra: 'legacy' },
    revision: modern,
  },
  {
    name: 'SDK 2 over HTTP, the older era',
    ids: '[http.post]',
    open: remote(sdk2, 'http', 'http'),
    options: { protocol: 'legacy' },
    isStateless: true,
  },
  {
    name: 'SDK 2 over a Unix socket or named pipe',
    ids: '[sockets]',
    open: remote(sdk2, 'unix', 'http'),
    revision: modern,
  },
  { name: 'SDK 2 over a raw socket', ids: '[U1]', open: remote(sdk2, 'socket', 'socket'), revision: modern },
  {
    name: 'SDK 2 over a raw socket, the legacy era',
    ids: '[U1]',
    open: remote(sdk2, 'socket', 'socket'),
    options: { protocol: 'legacy' },
  },
];

describe('SDK 2', { concurrency: 3 }, () => {
  for (const peer of peers) suite(peer);
});
