import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import type { Flow } from '../../../src/core/auth/authHttp.js';
import { AuthHttp } from '../../../src/core/auth/authHttp.js';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import type { Discovery, IssuerMetadata } from '../../../src/core/auth/discovery.js';
import type { ClientChoices, ClientPlan } from '../../../src/core/auth/registration.js';
import { planClient, register, registrationRequest } from '../../../src/core/auth/registration.js';
import { SignInTrace } from '../../../src/core/auth/signInTrace.js';
import { chooseAuthMethod } from '../../../src/core/auth/tokenRequest.js';
import { AuthServer, json } from '../../support/authServer.js';

const issuer: IssuerMetadata = { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' };
const registering: IssuerMetadata = { ...issuer, registration_endpoint: 'https://as.example/register' };
const documents = { ...registering, client_id_metadata_document_supported: true } as IssuerMetadata;
const redirectUri = 'http://127.0.0.1:5000/callback';
const dynamic = { clientId: 'd', authMethod: 'none' as const, redirectUri };

suite('choice of the client: configured or entered, metadata document, registration, the user', () => {
  const choices = (given: Partial<ClientChoices>): ClientChoices => ({
    configured: undefined,
    boundIssuer: undefined,
    stored: undefined,
    metadataDocumentUrl: undefined,
    redirectUri,
    refused: new Set(),
    now: 1000,
    ...given,
  });
  const brief = (plan: ClientPlan) =>
    plan.kind === 'use'
      ? `${plan.chosen.source} ${plan.chosen.client.clientId}${plan.chosen.isReused ? ' again' : ''}`
      : plan.kind === 'moved'
        ? `moved from ${plan.issuer}`
        : plan.kind;
  const table: [name: string, metadata: IssuerMetadata, given: Partial<ClientChoices>, expected: string][] = [
    [
      'a configured client wins',
      documents,
      {
        configured: { clientId: 'c' },
        metadataDocumentUrl: 'https://m.example/c',
        stored: { issuer: issuer.issuer, dynamic },
      },
      'configured c',
    ],
    [
      'an entered client wins over a configured one',
      registering,
      { configured: { clientId: 'c' }, stored: { issuer: issuer.issuer, entered: { clientId: 'e' } } },
      'entered e',
    ],
    [
      'then the metadata document',
      documents,
      { metadataDocumentUrl: 'https://m.example/c', stored: { issuer: issuer.issuer, dynamic } },
      'metadata-document https://m.example/c',
    ],
    ['not when the issuer cannot read one', registering, { metadataDocumentUrl: 'https://m.example/c' }, 'register'],
    ['not when we have no document', documents, {}, 'register'],
    [
      'not when the issuer refused it',
      documents,
      { metadataDocumentUrl: 'https://m.example/c', refused: new Set(['metadata-document'] as const) },
      'register',
    ],
    ['a registration is used again', registering, { stored: { issuer: issuer.issuer, dynamic } }, 'dynamic d again'],
    [
      'not with another redirect URI',
      registering,
      { stored: { issuer: issuer.issuer, dynamic }, redirectUri: 'http://127.0.0.1:6000/callback' },
      'register',
    ],
    [
      'not when its secret has expired',
      registering,
      { stored: { issuer: issuer.issuer, dynamic: { ...dynamic, secretExpiresAt: 999 } } },
      'register',
    ],
    [
      'not when the issuer refused it',
      registering,
      { stored: { issuer: issuer.issuer, dynamic }, refused: new Set(['dynamic'] as const) },
      'register',
    ],
    ['otherwise the user is asked', issuer, { metadataDocumentUrl: 'https://m.example/c' }, 'ask'],
    [
      'a configured client of another issuer stops',
      documents,
      { configured: { clientId: 'c', issuer: 'https://old.example' } },
      'moved from https://old.example',
    ],
    [
      'a client first used with another issuer stops',
      documents,
      { configured: { clientId: 'c' }, boundIssuer: 'https://old.example' },
      'moved from https://old.example',
    ],
    [
      'a trailing slash does not make another issuer',
      documents,
      { configured: { clientId: 'c', issuer: 'https://as.example/' } },
      'configured c',
    ],
  ];
  for (const [name, metadata, given, expected] of table)
    test(name, () => assert.equal(brief(planClient({ issuer: metadata }, choices(given))), expected));
});

suite('how a client authenticates', () => {
  const table: [
    supported: string[] | undefined,
    hasSecret: boolean,
    registered: string | undefined,
    expected: string,
  ][] = [
    [undefined, true, undefined, 'client_secret_basic'],
    [undefined, false, undefined, 'none'],
    [['client_secret_post'], true, undefined, 'client_secret_post'],
    [['client_secret_post', 'client_secret_basic'], true, undefined, 'client_secret_basic'],
    [['client_secret_post', 'client_secret_basic'], true, 'client_secret_post', 'client_secret_post'],
    [['client_secret_basic'], false, undefined, 'none'],
    [['none'], true, undefined, 'none'],
    [['none', 'client_secret_post'], true, 'none', 'none'],
    [['private_key_jwt'], true, undefined, 'client_secret_basic'],
  ];
  for (const [supported, hasSecret, registered, expected] of table) {
    test(`${supported?.join(', ') ?? 'unknown'}, ${hasSecret ? 'with' : 'without'} secret, registered as ${registered ?? 'nothing'}: ${expected}`, () =>
      assert.equal(chooseAuthMethod(supported, hasSecret, registered), expected));
  }
});

test('a registration describes a native application that uses refresh tokens', () => {
  assert.deepEqual(
    JSON.parse(
      JSON.stringify(
        registrationRequest(
          { issuer: { ...issuer, token_endpoint_auth_methods_supported: ['client_secret_post'] } },
          redirectUri,
          { name: 'MCP Deck' },
        ),
      ),
    ),
    {
      client_name: 'MCP Deck',
      application_type: 'native',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  );
});

suite('dynamic registration over sockets', () => {
  let servers: AuthServer;
  afterEach(() => servers.stop());

  async function run(status: number, document: unknown, isFallback = false, text?: string) {
    servers = await AuthServer.start({
      intercept: (entry, response) => {
        if (entry.path !== '/register') return false;
        if (text === undefined) json(response, document, status);
        else response.writeHead(status, { 'content-type': 'text/html' }).end(text);
        return true;
      },
    });
    const flow: Flow = {
      server: 'github',
      http: new AuthHttp(new URL(servers.url)),
      trace: new SignInTrace('github'),
      now: Date.now,
      signal: undefined,
    };
    const discovery: Discovery = {
      resource: servers.url,
      scopes: undefined,
      wantsDpop: false,
      isFallback,
      issuer: { issuer: servers.issuer, token_endpoint: `${servers.issuer}/token` },
    };
    return register(flow, discovery, `${servers.issuer}/register`, redirectUri, { name: 'MCP Deck' });
  }

  test('keeps id, secret, method, redirect URI and the expiry of the secret', async () => {
    assert.deepEqual(
      await run(201, {
        client_id: 'x',
        client_secret: 's',
        client_secret_expires_at: 5,
        token_endpoint_auth_method: 'client_secret_post',
      }),
      {
        clientId: 'x',
        clientSecret: 's',
        authMethod: 'client_secret_post',
        redirectUri,
        secretExpiresAt: 5000,
      },
    );
  });

  const failures: [name: string, args: [number, unknown, boolean?, string?], problem: string, message: RegExp][] = [
    [
      'a refusal with hostile text',
      [
        400,
        { error: 'invalid_redirect_uri', error_description: 'no \u001b[31mlocalhost\u001b[0m\n[info] forged log line' },
      ],
      'registration-refused',
      /did not register MCP Deck as a client: no \\u\{1b\}\[31mlocalhost\\u\{1b\}\[0m \[info\] forged log line \(invalid_redirect_uri\)\.$/,
    ],
    [
      'an HTML page',
      [500, undefined, false, '<h1>oops</h1>'],
      'registration-refused',
      /status 500 and is not a JSON object/,
    ],
    ['success without a client id', [201, { client_id: '' }], 'registration-refused', /status 201 and no client ID/],
    ['an endpoint that was only guessed', [404, {}, true], 'no-metadata', /does not publish where to sign in/],
  ];
  for (const [name, args, problem, message] of failures) {
    test(`[A14] ${name} is explained`, async () => {
      await assert.rejects(run(...args), (error: unknown) => {
        assert.equal(problemOf(error), problem);
        assert.match((error as Error).message, message);
        return true;
      });
    });
  }
});
