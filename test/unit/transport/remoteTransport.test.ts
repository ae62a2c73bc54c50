import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';

describe('the transport of a definition', () => {
  const kind = (type: 'http' | 'sse' | 'ws' | 'socket' | 'auto', url: string, fallback?: 'none' | 'sse') =>
    openRemote({ type, url, headers: {} }, fallback ? { fallback } : {}).kind;

  test('depends on its type, its address, and whether the older transport is configured', () => {
    assert.deepEqual(
      [
        kind('auto', 'https://a.example/mcp'),
        kind('http', 'http://a.example/mcp'),
        kind('auto', 'https://a.example/mcp', 'sse'),
        kind('sse', 'https://a.example/sse'),
        kind('ws', 'wss://a.example'),
        kind('auto', 'ws://localhost'),
        kind('auto', 'unix:///a.sock#/mcp'),
        kind('auto', 'unix:///a.sock'),
        kind('socket', 'unix:///a.sock'),
        kind('socket', 'pipe:///a'),
      ],
      ['http', 'http', 'sse', 'sse', 'ws', 'ws', 'http', 'http', 'socket', 'socket'],
    );
  });

  test('[W1] is refused for plain WebSockets to other machines, and for contradictions', () => {
    assert.throws(() => kind('ws', 'ws://a.example/'), { code: 'bad-configuration', hint: /wss:/ });
    assert.throws(() => kind('ws', 'https://a.example/'), { code: 'bad-configuration' });
    assert.throws(() => kind('socket', 'https://a.example/'), { code: 'bad-configuration' });
    assert.throws(() => openRemote({ type: 'http', url: 'https://a.example/', headers: { 'X-A': 'a\nb' } }), {
      code: 'bad-configuration',
    });
  });

  test('shows its address without possible secrets', () => {
    assert.deepEqual(openRemote({ type: 'http', url: 'https://a.example/mcp?token=x', headers: {} }).describe?.(), {
      address: 'https://a.example/mcp',
    });
  });
});
