import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isKeyHeader, refusalDetails } from '../../../src/core/auth/refusalDetails.js';

test('the words of a refusal and its header are found in the forms that servers use', () => {
  const cases: readonly [body: string, said: string | undefined, keyHeader: string | undefined, challenge?: string][] =
    [
      ['{"message":"Provide a key in the X-Api-Key header"}', 'Provide a key in the X-Api-Key header', 'X-Api-Key'],
      ['{"error":"unauthorized","message":"Missing header api-key"}', 'Missing header api-key', 'api-key'],
      ['{"error":{"code":-32001,"message":"Invalid API key"}}', 'Invalid API key', undefined],
      [
        '{"jsonrpc":"2.0","error":{"message":"Set the \'X-Acme-Token\' header."}}',
        "Set the 'X-Acme-Token' header.",
        'X-Acme-Token',
      ],
      ['{"errors":[{"detail":"No token"}]}', 'No token', undefined],
      ['Unauthorized: send Authorization', 'Unauthorized: send Authorization', 'Authorization'],
      ['<html><h1>401</h1></html>', undefined, undefined],
      ['', undefined, 'X-API-Key', 'ApiKey realm="x", header="X-API-Key"'],
      ['{}', undefined, undefined],
      ['{"message":"Set the Host header"}', 'Set the Host header', undefined],
      ['{"message":"Bad \\u202e text"}', 'Bad \\u{202e} text', undefined],
    ];
  for (const [body, said, keyHeader, challenge] of cases)
    assert.deepEqual(
      refusalDetails(challenge === undefined ? [] : [challenge], body),
      { ...(said === undefined ? {} : { said }), ...(keyHeader === undefined ? {} : { keyHeader }) },
      body,
    );
});

test('any refusal gives bounded words and never a header that is not for credentials', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.oneof(fc.string(), fc.json()), (challenges, body) => {
      const { said = '', keyHeader } = refusalDetails(challenges, body);
      assert.ok(said.length <= 2_000);
      if (keyHeader !== undefined) assert.ok(isKeyHeader(keyHeader));
    }),
  );
  for (const name of ['Host', 'Cookie', 'Content-Length', 'Proxy-Authorization', 'Mcp-Session-Id', 'X-Forwarded-For'])
    assert.ok(!isKeyHeader(name), name);
});
