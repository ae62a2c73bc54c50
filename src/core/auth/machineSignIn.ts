/**
 * Obtains the tokens of one server with a grant that needs no user: chooses the issuer and the scopes, and limits
 * step-ups. Expired tokens are replaced with a new grant instead of a refresh, so no token is stored.
 */
import type { Clock } from '../base/clock.js';
import type { Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import type { ScopeChoice } from './authorizationFlow.js';
import { chooseScopes } from './authorizationFlow.js';
import type { SignedIn } from './authorizationState.js';
import type { Discovery } from './discovery.js';
import { dpopProver } from './jwtSigner.js';
import type { MachineGrant } from './machineGrant.js';
import { configuredIssuer, machineClientId, requestMachineTokens } from './machineGrant.js';
import type { DpopNonces } from './tokenRequest.js';
import type { TokenStore } from './tokenStore.js';
import { tokensFrom } from './serverRecord.js';

export interface MachineSignInOptions {
  /** The server's key in the store. */
  server: string;
  serverName: string;
  grant: MachineGrant;
  /** Scopes from the configuration; the scopes of a challenge override them. */
  scopes: readonly string[] | undefined;
  store: TokenStore;
  clock: Clock;
  nonces: DpopNonces;
}

/**
 * Maximum number of step-ups within `stepUpPeriodMs`; prevents an endless loop with a server that keeps asking for new
 * scopes.
 */
const maxStepUps = 2;
const stepUpPeriodMs = 60_000;

export class MachineSignIn {
  private stepUps = { left: 0, until: -Infinity };

  constructor(private readonly options: MachineSignInOptions) {}

  /** The issuer that the configuration names for the grant; undefined for any issuer. */
  get issuer(): string | undefined {
    return configuredIssuer(this.options.grant);
  }

  /** Whether more scopes may be requested now. If so, records one step-up. */
  takeStepUp(): boolean {
    const now = this.options.clock.now();
    if (now >= this.stepUps.until) this.stepUps = { left: maxStepUps, until: now + stepUpPeriodMs };
    return this.stepUps.left-- > 0;
  }

  /** Requests tokens with the grant, in one attempt. Throws HostError `auth-failed`. */
  async signIn(
    flow: Flow,
    discovery: Discovery,
    { challenged, before }: Pick<ScopeChoice, 'challenged' | 'before'>,
  ): Promise<SignedIn> {
    const { server, serverName, grant, scopes: configured, nonces } = this.options;
    const { resource, issuer } = discovery;
    const scopes = chooseScopes({ challenged, configured, ofServer: discovery.scopes, before });
    const dpop = dpopProver(discovery);
    await this.bind(flow, issuer.issuer);
    const answer = await requestMachineTokens(flow, grant, discovery, scopes, nonces, dpop);
    flow.trace.add('done', { note: `Received a token from ${issuer.issuer}.` });
    const tokens = tokensFrom(answer, flow.now(), {
      requestedScopes: scopes,
      resource,
      tokenEndpoint: issuer.token_endpoint,
      // A renewal repeats the grant, so the client is not stored with the tokens.
      client: { clientId: '', authMethod: 'none' },
      dpopKey: dpop?.stored,
    });
    const account = { issuer: issuer.issuer, account: grant.kind, tokens };
    return { record: { server, name: serverName, accounts: [account], clients: [] }, account };
  }

  /**
   * Binds the grant to its configured issuer or, without one, to the first issuer that it is used with. If the server's
   * metadata names another issuer, no secret is read and nothing is sent to that issuer (security requirement A12).
   */
  private async bind(flow: Flow, issuer: string): Promise<void> {
    const { server, grant, store } = this.options;
    const clientId = machineClientId(grant);
    const { bound } = await store.read(server);
    const isBound = bound?.clientId === clientId;
    const owner = this.issuer ?? (isBound ? bound.issuer : issuer);
    if (owner !== issuer) throw flowError(flow, 'client-moved', { issuer, detail: owner });
    if (!isBound || bound.issuer !== issuer)
      await store.update(server, (record) => (record.bound = { clientId, issuer }));
  }
}
