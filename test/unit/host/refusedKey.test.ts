/** A server that refuses the configured API key, over real HTTP, with and without a sign-in. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { failureMessage, failureReason } from '../../../src/core/present/failure/failureText.js';
import { headlessHost } from '../../support/headlessHost.js';
import { signInHost } from '../../support/signInHost.js';

type Definition = (url: string) => Record<string, unknown>;

/** The message of the failed start, and its buttons. */
async function refusal(definition: Definition, canSignIn: boolean, interactive = true): Promise<[string, string[]]> {
  const server = createServer((request, response) => {
    const isMcp = request.url === '/mcp';
    response.writeHead(isMcp ? 401 : 404, { 'content-type': 'application/json' });
    response.end(isMcp ? '{"error":"Provide a key in the X-Api-Key header"}' : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const servers = { acme: definition(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) };
  const { host } = canSignIn ? signInHost({ servers }) : headlessHost({ servers });
  await host.open();
  try {
    let error: unknown;
    await host.lifecycle.start('acme', { interactive }).catch((reason: unknown) => (error = reason));
    assert.ok(error instanceof Error);
    const message = failureMessage(error, { isWorkspaceTrusted: true, server: 'acme' });
    assert.match(failureReason(error), /^Provide a key/);
    return [message?.text ?? '', [...(message?.actions ?? [])]];
  } finally {
    await host.close();
    server.close();
    server.closeAllConnections();
  }
}

const refused =
  /^The server "acme" refused the API key in the header "X-Api-Key" \(401\)\. .*Provide a key in the X-Api-Key header\. Enter another key\.$/;
const keyed = (url: string) => ({ type: 'http', url, headers: { 'x-api-key': 'wrong' } });

describe('a refused API key', () => {
  for (const [way, definition, canSignIn, interactive] of [
    ['at the start of a user', keyed, true, true],
    ['at a start without questions', keyed, true, false],
    ['without sign-ins', keyed, false, true],
    ['with the sign-in turned off', (url: string) => ({ ...keyed(url), oauth: false }), true, true],
  ] as const)
    test(`is named, and another key is asked for: ${way}`, async () => {
      const [text, actions] = await refusal(definition, canSignIn, interactive);
      assert.match(text.replace('"x-api-key"', '"X-Api-Key"'), refused);
      assert.deepEqual(actions, ['replaceSecret', 'editServer', 'diagnoseServer']);
    });

  test('is not claimed if no key was sent', async () => {
    const [text, actions] = await refusal((url) => ({ type: 'http', url, headers: { 'x-team': 'a' } }), true);
    assert.match(text, /does not publish where to sign in/);
    assert.equal(actions[0], 'setSecret');
  });

  test('in the Authorization header offers another key', async () => {
    const [, actions] = await refusal(
      (url) => ({ type: 'http', url, headers: { Authorization: 'Bearer wrong' } }),
      true,
    );
    assert.equal(actions[0], 'replaceSecret');
  });
});
