import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { LoopbackReceiver } from '../../../src/core/auth/loopbackReceiver.js';
import { UnusableRedirect, UriRedirectReceiver } from '../../../src/core/auth/redirectReceiver.js';
import type { BrowserPorts } from '../../../src/core/auth/windowReceiver.js';
import { WindowReceiver } from '../../../src/core/auth/windowReceiver.js';

const state = 'a-state-of-more-than-enough-characters';
const editorUri = 'vscode://mcp-deck.mcp-deck/signed-in';

/** A window in one of the environments, with the editor's mapping of loopback addresses. */
function windowIn(
  place: BrowserPorts['place'],
  {
    toBrowser = (uri: string) => uri,
    ownUri = editorUri,
  }: { toBrowser?: (uri: string) => string; ownUri?: string } = {},
): WindowReceiver {
  const own = () => Promise.resolve(ownUri);
  return new WindowReceiver(new LoopbackReceiver(), new UriRedirectReceiver(own), {
    place,
    editorUri: own,
    toBrowser: (uri) => Promise.resolve(toBrowser(uri)),
  });
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isListening(uri: string): Promise<boolean> {
  return fetch(uri).then(
    () => true,
    () => false,
  );
}

describe('the address that a client was registered with by hand', () => {
  const received: [string, WindowReceiver][] = [
    ['in a window of this machine', windowIn('here')],
    ['in a remote window whose editor forwards the port', windowIn('forwarded')],
    [
      'in a remote window whose editor forwards the port under another name of the machine',
      windowIn('forwarded', { toBrowser: (uri) => uri.replace('localhost', '127.0.0.1') }),
    ],
    [
      'in a web window that was opened on the same machine',
      windowIn('web', { ownUri: 'http://127.0.0.1:9000/callback?vscode-reqid=1' }),
    ],
  ];
  for (const [where, receiver] of received) {
    test(`[A8] is listened on exactly ${where}`, async () => {
      const redirectUri = `http://localhost:${await freePort()}/own/path`;
      const pending = await receiver.open({ state, redirectUri, isFixed: true, server: 's' });
      try {
        assert.equal(pending.redirectUri, redirectUri);
        await fetch(`${redirectUri.replace('localhost', '127.0.0.1')}?code=c&state=${state}`);
        assert.equal((await pending.answer).get('code'), 'c');
      } finally {
        pending.dispose();
      }
    });
  }

  test('[A8] is listened on at the IPv6 loopback address only where the browser runs on this machine', async () => {
    const redirectUri = `http://[::1]:${await freePort()}/cb`;
    const request = { state, redirectUri, isFixed: true, server: 's' };
    await assert.rejects(windowIn('forwarded').open(request), UnusableRedirect);
    const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
    if (!hasIPv6) {
      await assert.rejects(windowIn('here').open(request), UnusableRedirect);
      return;
    }
    const pending = await windowIn('here').open(request);
    await fetch(`${redirectUri}?code=c&state=${state}`);
    assert.deepEqual([pending.redirectUri, (await pending.answer).get('code')], [redirectUri, 'c']);
    pending.dispose();
  });

  const refused: [string, WindowReceiver, RegExp][] = [
    [
      'in a remote window where the port is another one for the browser',
      windowIn('forwarded', { toBrowser: (uri) => uri.replace(/:\d+/, ':61234') }),
      /on the machine of the browser, .*, which the browser reaches at http:\/\/localhost:61234\/cb; use vscode:\/\/mcp-deck\.mcp-deck\/signed-in instead$/,
    ],
    [
      'in a web window that has another address for the port',
      windowIn('web', {
        toBrowser: () => 'https://name-8123.example.dev/cb',
        ownUri: 'https://example.dev/callback?vscode-reqid=7',
      }),
      /which the browser reaches at https:\/\/name-8123\.example\.dev\/cb; use https:\/\/example\.dev\/callback instead$/,
    ],
    [
      'in a web window of another machine that forwards nothing',
      windowIn('web', { ownUri: 'https://example.dev/callback?vscode-reqid=7' }),
      /on the machine of the browser, not on the machine of MCP Deck; use https:\/\/example\.dev\/callback instead$/,
    ],
  ];
  for (const [where, receiver, reason] of refused) {
    test(`[A8] is refused with a reason, and no listener stays open, ${where}`, async () => {
      const redirectUri = `http://localhost:${await freePort()}/cb`;
      await assert.rejects(receiver.open({ state, redirectUri, isFixed: true, server: 's' }), {
        name: 'UnusableRedirect',
        message: reason,
      });
      assert.equal(await isListening(redirectUri), false);
    });
  }

  test('[A8] is refused if another program uses its port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = other.address() as AddressInfo;
      for (const place of ['here', 'forwarded'] as const) {
        await assert.rejects(
          windowIn(place).open({ state, redirectUri: `http://127.0.0.1:${port}/cb`, isFixed: true, server: 's' }),
          { name: 'UnusableRedirect', message: new RegExp(`port ${port} .*\\(EADDRINUSE\\)`) },
        );
      }
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test('[A8] is refused if no receiver listens there, and accepted if the editor receives it', async () => {
    for (const place of ['here', 'forwarded'] as const) {
      await assert.rejects(
        windowIn(place).open({ state, redirectUri: 'https://example.com/cb', isFixed: true, server: 's' }),
        { name: 'UnusableRedirect', message: /this window receives no responses at/ },
      );
      const pending = await windowIn(place).open({ state, redirectUri: editorUri, isFixed: true, server: 's' });
      assert.equal(pending.redirectUri, editorUri);
      pending.dispose();
    }
  });
});

test('[A8] an address of an earlier registration is only a preference: a remote window uses that of the editor', async () => {
  for (const place of ['forwarded', 'web'] as const)
    assert.equal(
      (await windowIn(place).open({ state, redirectUri: 'http://127.0.0.1:1/callback', server: 's' })).redirectUri,
      editorUri,
    );
  const here = await windowIn('here').open({ state, redirectUri: 'https://example.com/cb', server: 's' });
  assert.match(here.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  here.dispose();
});
