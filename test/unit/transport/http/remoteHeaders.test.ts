import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkedHeaders, redactedHeaders } from '../../../../src/core/transport/http/remoteHeaders.js';

describe('configured headers', () => {
  test('keep their values and get lower-case names', () => {
    assert.deepEqual(checkedHeaders({ Authorization: 'Bearer x', 'X-Key': 'a\tb é' }), {
      authorization: 'Bearer x',
      'x-key': 'a\tb é',
    });
  });

  test('[H1] are refused when they could break the message, without showing the value', () => {
    for (const [name, value] of [
      ['X-A', 'secret\r\nX-B: 1'],
      ['X-A', 'secret\n'],
      ['X-A', 'secret\0'],
      ['X-A', 'secret 世'],
      ['X A', 'secret'],
      ['X:A', 'secret'],
      ['', 'secret'],
      ['X\r\n', 'secret'],
    ] as const) {
      assert.throws(
        () => checkedHeaders({ [name]: value }),
        (error: any) => error.code === 'bad-configuration' && !error.message.includes('secret'),
      );
    }
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Mcp-Session-Id', 'connection'])
      assert.throws(() => checkedHeaders({ [name]: 'x' }), { code: 'bad-configuration' });
  });
});

describe('[S2] headers for a log', () => {
  test('show all names and only the values that are not secret', () => {
    const headers = {
      Authorization: 'Bearer x',
      Cookie: 'a=b',
      'Set-Cookie': ['c=d'],
      'mcp-session-id': 's',
      'X-Key': 'k',
      'Content-Type': 'text/html\u001b',
      'Content-Length': 5,
      absent: undefined,
    };
    assert.deepEqual(redactedHeaders(headers), {
      Authorization: '‹redacted›',
      Cookie: '‹redacted›',
      'Set-Cookie': '‹redacted›',
      'mcp-session-id': '‹redacted›',
      'X-Key': '‹redacted›',
      'Content-Type': 'text/html\\u{1b}',
      'Content-Length': '5',
    });
  });
});
