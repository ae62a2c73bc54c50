/** The compiler checks the data of a failure: a line below that compiles without its comment fails the type check. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';

test('the data of a failure is typed by its code on creation', () => {
  new HostError('timeout', 'No answer.', { data: { waitedMs: 5, method: 'ping' } });
  new HostError('timeout', 'No answer.');
  // @ts-expect-error `waitedMs` must be a number
  new HostError('timeout', 'No answer.', { data: { waitedMs: '5' } });
  // @ts-expect-error a timeout has no status
  new HostError('timeout', 'No answer.', { data: { status: 404 } });
  // @ts-expect-error this code requires a status
  new HostError('http-status', 'Not found.');
  // @ts-expect-error this code does not exist
  new HostError('odd', 'Odd.');
});

test('the data of a failure is typed after its code is compared', () => {
  const error: unknown = new HostError('http-status', 'Not found.', { data: { status: 404 } });
  assert.ok(error instanceof HostError && error instanceof Error);
  assert.equal(error.name, 'HostError');
  assert.ok(error.code === 'http-status');
  const status: number = error.data.status;
  assert.equal(status, 404);
  // @ts-expect-error the data of another code is not available
  assert.equal(error.data.waitedMs, undefined);
});
