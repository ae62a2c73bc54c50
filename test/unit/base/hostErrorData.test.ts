/** The compiler checks what a failure carries: a line below that compiles without its comment fails the type check. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';

test('the data of a failure fits its code where it is made', () => {
  new HostError('timeout', 'No answer.', { data: { waitedMs: 5, method: 'ping' } });
  new HostError('timeout', 'No answer.');
  // @ts-expect-error a time is a number
  new HostError('timeout', 'No answer.', { data: { waitedMs: '5' } });
  // @ts-expect-error a timeout has no status
  new HostError('timeout', 'No answer.', { data: { status: 404 } });
  // @ts-expect-error a status is what this failure is about
  new HostError('http-status', 'Not found.');
  // @ts-expect-error such a code does not exist
  new HostError('odd', 'Odd.');
});

test('the data of a failure has its type where the code was compared', () => {
  const error: unknown = new HostError('http-status', 'Not found.', { data: { status: 404 } });
  assert.ok(error instanceof HostError && error instanceof Error);
  assert.equal(error.name, 'HostError');
  assert.ok(error.code === 'http-status');
  const status: number = error.data.status;
  assert.equal(status, 404);
  // @ts-expect-error what another code carries is not here
  assert.equal(error.data.waitedMs, undefined);
});
