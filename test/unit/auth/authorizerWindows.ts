/** Shared by the tests of the authorizer: its servers, and windows that sign in to them. Both are closed after each test. */
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { LocalLock } from '../../../src/core/auth/authLock.js';
import type { AuthProblem } from '../../../src/core/base/hostErrorData.js';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import type { OAuthAuthorizerOptions } from '../../../src/core/auth/oauthOptions.js';
import type { TestWindow } from '../../support/authClient.js';
import { openWindow } from '../../support/authClient.js';
import type { Behaviour } from '../../support/authServer.js';
import { AuthServer } from '../../support/authServer.js';
import { MemorySecrets } from '../../support/memorySecrets.js';

export const is = (problem: AuthProblem, message?: RegExp) => (error: unknown) => {
  assert.equal(problemOf(error), problem, String(error));
  if (message) assert.match((error as Error).message, message);
  return true;
};

export let servers: AuthServer;

let windows: TestWindow[] = [];

afterEach(async () => {
  for (const { authorizer } of windows) authorizer.dispose();
  windows = [];
  await servers.stop();
});

export function open(
  options: Partial<OAuthAuthorizerOptions> = {},
  secrets = new MemorySecrets(),
  lock = new LocalLock(),
): TestWindow {
  const window = openWindow({ serverUrl: servers.url, ...options }, secrets, lock);
  windows.push(window);
  return window;
}

/** Starts the servers of a test, which stop after it. */
export async function startServers(behaviour: Partial<Behaviour> = {}): Promise<void> {
  servers = await AuthServer.start(behaviour);
}

export async function start(
  behaviour: Partial<Behaviour> = {},
  options: Partial<OAuthAuthorizerOptions> = {},
): Promise<TestWindow> {
  await startServers(behaviour);
  return open(options);
}
