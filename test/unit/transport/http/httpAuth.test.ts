import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import type { AuthChallenge, Authorizer } from '../../../../src/core/auth/authorizer.js';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler } from '../../../support/httpTestServer.js';
import { HttpTestServer, legacyServer, sendJson, sendResult } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** Returns tokens from a list, and the next one at each challenge that it accepts. */
class ListAuthorizer implements Authorizer {
  readonly challenges: AuthChallenge[] = [];
  private at = 0;

  constructor(
    private readonly tokens: string[],
    private readonly isAsync = false,
    private readonly answer: () => boolean | Promise<boolean> = () => true,
  ) {}

  headers(): Record<string, string> | Promise<Record<string, string>> {
    const headers = { Authorization: `Bearer ${this.tokens[Math.min(this.at, this.tokens.length - 1)]}` };
    return this.isAsync ? Promise.resolve(headers) : headers;
  }

  async handleChallenge(challenge: AuthChallenge): Promise<boolean> {
    this.challenges.push(challenge);
    this.at++;
    return this.answer();
  }
}

async function start(handler: HttpHandler, authorizer?: Authorizer, headers?: Record<string, string>) {
  const server = await HttpTestServer.start(handler);
  open.push(server);
  const transport = new HttpTransport(parseRemoteAddress(server.url), {
    ...(authorizer ? { authorizer } : {}),
    ...(headers ? { headers } : {}),
  });
  open.push(transport);
  const peer = new HttpTestPeer(transport);
  await transport.open(peer);
  return { server, transport, peer };
}

/** Accepts requests with the token. */
const guarded =
  (token: string, status = 401): HttpHandler =>
  (seen) => {
    if (seen.headers.authorization === `Bearer ${token}`) sendResult(seen);
    else
      seen.response
        .writeHead(status, { 'www-authenticate': ['Bearer realm="a"', 'DPoP algs="ES256"'], 'dpop-nonce': 'n1' })
        .end('{"no":1}');
  };

describe('an authorizer', () => {
  for (const isAsync of [false, true]) {
    test(`adds its headers to every request (${isAsync ? 'asynchronously' : 'synchronously'})`, async () => {
      const { server, peer } = await start(guarded('good'), new ListAuthorizer(['good'], isAsync), {
        authorization: 'Bearer configured',
      });
      await peer.request('a');
      assert.deepEqual(server.log, ['POST a']);
    });
  }

  test('is called after a refusal, and the request is repeated', async () => {
    const authorizer = new ListAuthorizer(['old', 'good']);
    const { server, peer } = await start(guarded('good'), authorizer);
    await peer.request('a');
    assert.deepEqual(authorizer.challenges, [
      {
        status: 401,
        url: server.url,
        method: 'POST',
        wwwAuthenticate: ['Bearer realm="a"', 'DPoP algs="ES256"'],
        details: {},
        dpopNonce: 'n1',
        sentHeaders: { Authorization: 'Bearer old' },
      },
    ]);
    assert.deepEqual(
      server.seen.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer good'],
    );
  });

  test('[A11] is called at most five times for one request, even if it never refuses', async () => {
    const authorizer = new ListAuthorizer(['a', 'b', 'c', 'd']);
    const { server, peer } = await start(guarded('never'), authorizer);
    await assert.rejects(peer.request('a'), { code: 'auth-required' });
    assert.deepEqual({ asked: authorizer.challenges.length, sent: server.seen.length }, { asked: 5, sent: 6 });
  });

  test('may refuse: then a 401 requires a sign-in and a 403 is a refusal', async () => {
    const unauthorized = await start(guarded('never'), new ListAuthorizer(['a'], false, () => false));
    await assert.rejects(unauthorized.peer.request('a'), { code: 'auth-required' });
    const forbidden = await start(guarded('never', 403), new ListAuthorizer(['a'], false, () => false));
    await assert.rejects(forbidden.peer.request('a'), {
      code: 'http-status',
      data: { why: 'plain', request: 'a', status: 403, bodyText: '{"no":1}', contentType: '' },
    });
  });

  test('may fail: then its error is the error of the request', async () => {
    const signIn = new HostError('auth-required', 'Sign in first.');
    const { peer } = await start(guarded('never'), new ListAuthorizer(['a'], false, () => Promise.reject(signIn)));
    await assert.rejects(peer.request('a'), signIn);
    const broken: Authorizer = {
      headers: () => Promise.reject(new Error('no disk')),
      handleChallenge: () => Promise.resolve(true),
    };
    const other = await start(guarded('never'), broken);
    await assert.rejects(other.peer.request('a'), { code: 'internal', message: /no disk/ });
  });

  test('is called for a 403 too, and for the GET stream', async () => {
    const authorizer = new ListAuthorizer(['weak', 'strong']);
    let gets = 0;
    const { server, peer } = await start((seen) => {
      if (seen.headers.authorization !== 'Bearer strong') sendJson(seen, {}, 403);
      else legacyServer({ onGet: ({ response }) => void response.writeHead(++gets && 405).end() })(seen);
    }, authorizer);
    await peer.connect();
    await until(() => gets === 1);
    assert.equal(authorizer.challenges.length, 1);
    assert.ok(server.seen.slice(1).every(({ headers }) => headers.authorization === 'Bearer strong'));
  });

  test('that answers after the request was canceled has no effect', async () => {
    let letGo: (again: boolean) => void = () => undefined;
    const authorizer = new ListAuthorizer(['old', 'good'], false, () => new Promise((resolve) => (letGo = resolve)));
    const { server, transport, peer } = await start(guarded('good'), authorizer);
    const id = peer.upcomingId;
    void peer.request('a');
    await until(() => authorizer.challenges.length === 1);
    transport.cancel(id);
    letGo(true);
    await peer.request('b');
    assert.deepEqual(server.log, ['POST a', 'POST b']);
  });

  test('is not called for the final DELETE of the transport', async () => {
    const authorizer = new ListAuthorizer(['good', 'never']);
    const { server, transport, peer } = await start(
      (seen) =>
        seen.method === 'DELETE' ? seen.response.writeHead(401).end() : legacyServer({ sessionId: 's' })(seen),
      authorizer,
    );
    await peer.connect();
    await transport.close();
    assert.deepEqual(
      { challenges: authorizer.challenges, last: server.seen.at(-1)?.method },
      { challenges: [], last: 'DELETE' },
    );
  });
});

describe('without an authorizer', () => {
  test('a 401 reports that a sign-in is needed, with the challenge and no secret', async () => {
    const { server, peer } = await start(guarded('never'), undefined, { Authorization: 'Bearer configured' });
    await assert.rejects(peer.request('a'), (error: any) => {
      assert.deepEqual(
        { code: error.code, challenge: error.data.challenge },
        {
          code: 'auth-required',
          challenge: {
            status: 401,
            url: server.url,
            method: 'POST',
            wwwAuthenticate: ['Bearer realm="a"', 'DPoP algs="ES256"'],
            details: {},
            dpopNonce: 'n1',
            sentHeaders: {},
          },
        },
      );
      assert.ok(!JSON.stringify(error.data).includes('configured'));
      return true;
    });
  });

  test('[S2] nothing that an authorizer sent is in an error', async () => {
    const { peer } = await start(guarded('never'), new ListAuthorizer(['token-1', 'token-2', 'token-3']));
    await assert.rejects(
      peer.request('a'),
      (error: any) => !`${error.message}${JSON.stringify(error.data)}`.includes('token-'),
    );
  });
});
