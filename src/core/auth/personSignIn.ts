/**
 * The sign-in of a user, from the choice of the client to the stored tokens. Stored tokens do not change until the new
 * ones arrive. A client that is registered or entered during the sign-in is stored at once, and a registration that the
 * issuer no longer accepts is replaced once.
 */
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import type { Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import type { ScopeChoice, BrowserSignInPorts } from './authorizationFlow.js';
import { chooseScopes, signInWithBrowser } from './authorizationFlow.js';
import type { SignedIn } from './authorizationState.js';
import { isAuthError, problemOf } from './authProblem.js';
import type { Discovery } from './discovery.js';
import { dpopProver } from './jwtSigner.js';
import type { ChosenClient, ClientSource, PreRegisteredClient } from './registration.js';
import { planClient, register } from './registration.js';
import type { DpopNonces } from './tokenRequest.js';
import { chooseAuthMethod } from './tokenRequest.js';
import type { TokenStore } from './tokenStore.js';
import { clientsAt, currentAccount, putAccount, tokensFrom } from './serverRecord.js';

/** Asks the user for a client ID if the issuer does not provide one; undefined when the user cancels. */
export type AskClient = (request: {
  serverName: string;
  /** The issuer; untrusted text. */
  issuer: string;
  /** The redirect URI to register with the issuer. */
  redirectUri: string;
  /** The reason that no client is available. */
  reason: HostError;
}) => Promise<{ clientId: string; clientSecret?: string } | undefined>;

/** The possible sources of a client. */
export interface ClientOptions {
  /** A client that the user configured. */
  client?: PreRegisteredClient;
  /** The https URL of MCP Deck's client ID metadata document, if it has one. */
  metadataDocumentUrl?: string;
  /** How MCP Deck describes itself in a dynamic registration. */
  product?: { name: string; uri?: string };
  askClient?: AskClient;
}

export interface PersonSignInPorts {
  store: TokenStore;
  signIn: BrowserSignInPorts;
  client: ClientOptions;
  nonces: DpopNonces;
}

/** One sign-in. */
export interface PersonSignIn {
  /** The server's key in the store. */
  server: string;
  account: string;
  discovery: Discovery;
  /** The scopes to choose from, in addition to those that the server and the issuer publish. */
  scopes: Pick<ScopeChoice, 'challenged' | 'configured' | 'before'>;
  isStepUp: boolean;
  /** Whether the issuer should let the user choose an account, because another account is being added. */
  choosesAccount: boolean;
}

/**
 * Signs in, stores the tokens for `account`, and selects this account. Throws HostError `cancelled` or `auth-failed`.
 */
export async function signInPerson(
  flow: Flow,
  { store, signIn: ports, client: options, nonces }: PersonSignInPorts,
  signIn: PersonSignIn,
): Promise<SignedIn> {
  const { server, account, discovery } = signIn;
  const { issuer, token_endpoint: tokenEndpoint, revocation_endpoint: revocationEndpoint } = discovery.issuer;
  const scopes = chooseScopes({
    ...signIn.scopes,
    ofServer: discovery.scopes,
    ofIssuer: discovery.issuer.scopes_supported,
  });
  const dpop = dpopProver(discovery);
  const refused = new Set<ClientSource>();
  for (;;) {
    const chosen: { value?: ChosenClient } = {};
    try {
      const redirectUri =
        options.client?.redirectUri ?? clientsAt(await store.read(server), issuer).dynamic?.redirectUri;
      const chooseClient = async (uri: string) =>
        (chosen.value = await findClient(flow, store, options, signIn, uri, refused)).client;
      const { client, answer } = await signInWithBrowser(flow, ports, {
        ...signIn,
        scopes,
        dpop,
        redirectUri,
        isRedirectFixed: options.client?.redirectUri !== undefined,
        chooseClient,
        nonces,
      });
      const { resource } = discovery;
      const tokens = tokensFrom(answer, flow.now(), {
        requestedScopes: scopes,
        resource,
        tokenEndpoint,
        revocationEndpoint,
        client,
        dpopKey: dpop?.stored,
      });
      await store.exclusively(server, account, async ({ left }) => {
        await store.update(server, (record) => {
          record.name = flow.server;
          record.selected = account;
          putAccount(record, { issuer, account, label: labelFrom(answer.idToken), tokens });
          if (chosen.value?.source === 'configured') record.bound = { clientId: client.clientId, issuer };
        });
        left(tokens);
      });
      flow.trace.add('done', { note: `Signed in at ${issuer}.` });
      const record = await store.read(server);
      const signedIn = currentAccount(record, account);
      if (!signedIn) throw new HostError('internal', 'Secret storage did not keep the sign-in.');
      return { record, account: signedIn };
    } catch (error) {
      const { source, isReused = false } = chosen.value ?? {};
      const isRejected = isAuthError(error) && /^(invalid|unauthorized)_client$/.test(error.data.error ?? '');
      // For an unknown client, an issuer often shows an error page instead of a redirect to this program.
      if (isReused && (isRejected || problemOf(error) === 'no-answer'))
        await store.update(server, (record) => delete clientsAt(record, issuer).dynamic);
      if (!isRejected || !source || !(isReused || source === 'metadata-document') || refused.size > 0) throw error;
      refused.add(source);
    }
  }
}

/** The client to use. If necessary, it is registered or requested from the user. */
async function findClient(
  flow: Flow,
  store: TokenStore,
  options: ClientOptions,
  { server, discovery }: PersonSignIn,
  redirectUri: string,
  refused: ReadonlySet<ClientSource>,
): Promise<ChosenClient> {
  const { client: configured, metadataDocumentUrl, product = { name: 'MCP Deck' }, askClient } = options;
  const { issuer, token_endpoint_auth_methods_supported: methods } = discovery.issuer;
  const record = await store.read(server);
  const plan = planClient(discovery, {
    configured,
    boundIssuer: record.bound?.clientId === configured?.clientId ? record.bound?.issuer : undefined,
    stored: clientsAt(record, issuer),
    metadataDocumentUrl,
    redirectUri,
    refused,
    now: flow.now(),
  });
  if (plan.kind === 'use') {
    const { client, source, isReused } = plan.chosen;
    flow.trace.add('registration', {
      note: `Client ${client.clientId} (${source}${isReused ? ', registered earlier' : ''}).`,
    });
    return plan.chosen;
  }
  if (plan.kind === 'moved') throw flowError(flow, 'client-moved', { issuer, detail: plan.issuer });
  let reason = flowError(flow, 'client-id-needed', { issuer });
  if (plan.kind === 'register') {
    try {
      const dynamic = await register(flow, discovery, plan.endpoint, redirectUri, product);
      // Stored before the sign-in is complete. Existing tokens are not affected, because each has its own copy of its
      // client.
      await store.update(server, (current) => {
        current.name = flow.server;
        clientsAt(current, issuer).dynamic = dynamic;
      });
      return { client: dynamic, source: 'dynamic', isReused: false };
    } catch (error) {
      if (problemOf(error) !== 'registration-refused') throw error;
      reason = error as HostError;
    }
  }
  const entered = await askClient?.({ serverName: flow.server, issuer, redirectUri, reason });
  if (!entered) throw reason;
  await store.setClient(server, flow.server, issuer, entered);
  return {
    client: { ...entered, authMethod: chooseAuthMethod(methods, entered.clientSecret !== undefined) },
    source: 'entered',
    isReused: false,
  };
}

/** An account name from an ID token. The signature is not checked, so the name is for display only. */
function labelFrom(idToken: string | undefined): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString());
    const name = isObject(claims)
      ? [claims['email'], claims['preferred_username'], claims['name'], claims['sub']].find(
          (claim) => typeof claim === 'string',
        )
      : undefined;
    return name?.slice(0, 200);
  } catch {
    return undefined;
  }
}
