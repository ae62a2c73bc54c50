import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleLine } from '../../../src/core/base/hostileText.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { maskFailure } from '../../../src/core/base/maskFailure.js';
import { failureLine } from '../../../src/core/present/failure/failureText.js';
import { finderOf } from '../../../src/core/base/secretFinder.js';
import { ProtocolError } from '../../../src/core/protocol/jsonRpc.js';

const secret = 'hunter2-secret';

test('[S3] a secret in the data of a failure, its hint and its causes is masked, and the server keeps its name', () => {
  const refusal = new ProtocolError(-32_000, `bad token ${secret}`, { seen: [{ token: secret }] });
  const problems = [`no ${secret}`];
  const error = new HostError('invalid-message', `It sent ${secret}.`, {
    data: { server: secret, method: 'tools/call', problems, result: { content: [{ text: secret }] } },
    hint: `Look for ${secret}.`,
    cause: new Error(`caused by ${secret}`, { cause: refusal }),
  });
  maskFailure(error, [secret]);
  const { server, ...data } = error.data;
  assert.equal(server, secret);
  const cause = error.cause as Error;
  for (const text of [
    error.message,
    error.stack,
    error.hint,
    JSON.stringify(data),
    cause.message,
    cause.stack,
    refusal.message,
    JSON.stringify(refusal.data),
  ]) {
    assert.doesNotMatch(text ?? '', /hunter2/);
    assert.match(text ?? '', /•••/);
  }
  assert.deepEqual(problems, [`no ${secret}`], 'the code that threw keeps its own values');
});

test('[S3] a deeply nested or circular failure is masked in bounded time', () => {
  let deep: unknown = secret;
  for (let level = 0; level < 5_000; level++) deep = [deep];
  const error = new HostError('handshake-failed', 'No.', { data: { theirs: deep } });
  error.cause = error;
  maskFailure(error, [secret]);
  assert.doesNotMatch(JSON.stringify(error.data), /hunter2/);
  let last: Error = new Error(secret);
  for (let level = 0; level < 100; level++) last = new Error('outer', { cause: last });
  maskFailure(last, [secret]);
  for (let cause: unknown = last; cause instanceof Error; cause = cause.cause)
    assert.doesNotMatch(cause.message, /hunter2/);
});

test('[S3] a refused handshake quotes the server without the secret', () => {
  const error = new HostError('handshake-failed', 'x', {
    data: { code: -32_000 },
    cause: new ProtocolError(-32_000, `unknown key ${secret}`),
  });
  maskFailure(error, [secret]);
  assert.match(failureLine(error, 'db'), /refused to start a session: unknown key •••/);
});

test('[S3] the beginning of a secret before a cut is masked, wherever the cut is in the text', () => {
  const long = `Xk9-${'SECRETsecret'.repeat(8)}`;
  const finder = finderOf([long]);
  for (let before = 0; before < 80; before++) {
    const echoed = `Skipped: ${visibleLine(`${'q'.repeat(before)}${long}`, 80)}. Check the server.`;
    const shown = 80 - before;
    if (shown >= 4) assert.doesNotMatch(finder.mask(echoed), /Xk9-/, echoed);
    assert.match(finder.mask(echoed), /^Skipped: .*Check the server\.$/);
  }
  const error = new Error(`The server says: ${visibleLine(`Bearer ${long}`, 40)}, and ${visibleLine(long, 20)}`);
  maskFailure(error, [long]);
  assert.doesNotMatch(error.message, /Xk9/);
  assert.equal(finder.mask('Xk9-S and Xk9-S… and Xk8-…'), 'Xk9-S and •••… and Xk8-…', 'only before a cut');
});

test('the data of an error of a server that needs much memory is replaced by a note, not copied', () => {
  const error = new ProtocolError(-32_000, 'x', JSON.parse(`[${'{},'.repeat(50_000)}{}]`));
  maskFailure(error, [secret]);
  assert.equal(error.data, '(too large)');
});
