/**
 * Our authorizer, set up for the `auth/` scenarios of the official conformance suite. The browser is an HTTP request to
 * the authorization URL whose redirect is then sent to our own loopback listener, so that listener, state and issuer
 * checks are all tested.
 */
import type { AuthChallenge, Authorizer } from '../../src/core/auth/authorizer.js';
import { LocalLock } from '../../src/core/auth/authLock.js';
import { LoopbackReceiver } from '../../src/core/auth/loopbackReceiver.js';
import type { MachineGrant } from '../../src/core/auth/machineGrant.js';
import type { OAuthAuthorizerOptions, SignInOptions } from '../../src/core/auth/oauthOptions.js';
import { OAuthAuthorizer } from '../../src/core/auth/oauthAuthorizer.js';
import { SignInQuestions } from '../../src/core/auth/signInQuestions.js';
import { TokenStore } from '../../src/core/auth/tokenStore.js';
import type { Disposable } from '../../src/core/base/disposable.js';
import { isObject } from '../../src/core/base/guards.js';
import { MemorySecrets } from '../support/memorySecrets.js';

/** The client id metadata document that the suite expects. */
const metadataDocumentUrl = 'https://conformance-test.local/client-metadata.json';

/** `MCP_CONFORMANCE_CONTEXT`, or its parsed content; undefined for scenarios without one. */
export type ConformanceContext = string | Record<string, unknown> | undefined;

/** The authorizer for one scenario, as if the user requested everything. */
export function createConformanceAuthorizer(context: ConformanceContext, serverUrl: string): ConformanceAuthorizer {
  const inner = new OAuthAuthorizer({
    serverUrl,
    serverName: 'conformance',
    store: new TokenStore(new MemorySecrets(), new LocalLock()),
    signIn: { openBrowser: browse, receiver: new LoopbackReceiver() },
    metadataDocumentUrl,
    product: { name: 'MCP Deck conformance client' },
    ...fromContext(context),
  });
  return new ConformanceAuthorizer(inner);
}

/**
 * Answers refusals as a user who agrees to each question. Questions are counted per request, as the suite does: a
 * request repeated after a refusal belongs to the earlier questions.
 */
export class ConformanceAuthorizer implements Authorizer, Disposable {
  private questions = new SignInQuestions();
  private isRepetition = false;

  constructor(readonly inner: OAuthAuthorizer) {}

  headers(request: { method: string; url: string }): Record<string, string> | Promise<Record<string, string>> {
    if (!this.isRepetition) this.questions = new SignInQuestions();
    this.isRepetition = false;
    return this.inner.headers(request);
  }

  async handleChallenge(challenge: AuthChallenge): Promise<boolean> {
    try {
      this.isRepetition = await this.inner.handleChallenge(challenge);
    } catch (refusal) {
      const signIn = (options: SignInOptions) => this.inner.signIn(options);
      await this.questions.answer(refusal, { mayAsk: () => true, signIn });
      this.isRepetition = true;
    }
    return this.isRepetition;
  }

  dispose(): void {
    this.inner.dispose();
  }
}

function fromContext(context: ConformanceContext): Partial<OAuthAuthorizerOptions> {
  const parsed: unknown = typeof context === 'string' && context !== '' ? JSON.parse(context) : context;
  if (!isObject(parsed)) return {};
  const text = (name: string) => (typeof parsed[name] === 'string' ? parsed[name] : undefined);
  const need = (name: string) => {
    const value = text(name);
    if (value === undefined) throw new Error(`The conformance context has no "${name}".`);
    return value;
  };
  const name = text('name') ?? process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const machine = (grant: MachineGrant) => ({ machine: grant });
  if (name.includes('client-credentials-jwt'))
    return machine({
      kind: 'client-credentials',
      client: { clientId: need('client_id'), privateKey: { pem: need('private_key_pem') } },
    });
  if (name.includes('client-credentials'))
    return machine({
      kind: 'client-credentials',
      client: { clientId: need('client_id'), clientSecret: need('client_secret') },
    });
  if (name.includes('wif')) {
    const jwt = need('valid_jwt');
    return machine({ kind: 'workload', jwt: () => Promise.resolve(jwt), issuer: audienceOf(jwt) });
  }
  if (name.includes('enterprise')) {
    return machine({
      kind: 'enterprise',
      client: { clientId: need('client_id'), clientSecret: need('client_secret') },
      provider: {
        issuer: need('idp_issuer'),
        tokenEndpoint: need('idp_token_endpoint'),
        clientId: need('idp_client_id'),
      },
      idToken: () => Promise.resolve(need('idp_id_token')),
    });
  }
  const clientId = text('client_id');
  return clientId === undefined ? {} : { client: { clientId, clientSecret: text('client_secret') } };
}

/** The issuer that a JWT is for. The context does not name it separately. */
function audienceOf(jwt: string): string {
  const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  return isObject(claims) && typeof claims['aud'] === 'string' ? claims['aud'] : '';
}

/** The browser: requests the URL, takes the redirect, follows it to our listener. */
async function browse(url: string): Promise<boolean> {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`The authorization endpoint answered ${response.status} without a redirect.`);
  await fetch(new URL(location, url));
  return true;
}
