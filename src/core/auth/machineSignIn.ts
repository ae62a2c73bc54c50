/**
 * Tokens of one server from a grant without a person: the issuer that the grant is good at, the scopes, the limits. The
 * tokens are asked for again instead of being refreshed, so nothing of them is stored.
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
import { machineClientId, requestMachineTokens } from './machineGrant.js';
import type { DpopNonces } from './tokenRequest.js';
import type { TokenStore } from './tokenStore.js';
import { tokensFrom } from './tokenStore.js';

/** What the sign-in of one server works with. */
export interface MachineSignInOptions {
  /** The server's key in the store. */
  server: string;
  serverName: string;
  grant: MachineGrant;
  /** Scopes from the configuration; a challenge overrides them. */
  scopes: readonly string[] | undefined;
  store: TokenStore;
  clock: Clock;
  nonces: DpopNonces;
}

/** Step-ups within `stepUpPeriodMs`; a server that names new scopes for ever is given up after them. */
const maxStepUps = 2;
const stepUpPeriodMs = 60_000;

export class MachineSignIn {
  private stepUps = { left: 0, until: -Infinity };

  constructor(private readonly options: MachineSignInOptions) {}

  /** Whether the server may have further scopes asked for now; counts as one step-up. */
  takeStepUp(): boolean {
    const now = this.options.clock.now();
    if (now >= this.stepUps.until) this.stepUps = { left: maxStepUps, until: now + stepUpPeriodMs };
    return this.stepUps.left-- > 0;
  }

  /**
   * Gets tokens by the grant; it is tried once. Throws HostError `auth-failed`.
   */
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
    flow.trace.add('done', { note: `A token of ${issuer.issuer}.` });
    const tokens = tokensFrom(answer, flow.now(), {
      requestedScopes: scopes,
      resource,
      tokenEndpoint: issuer.token_endpoint,
      // Renewed by asking again, so that the client need not be kept.
      client: { clientId: '', authMethod: 'none' },
      dpopKey: dpop?.stored,
    });
    const account = { issuer: issuer.issuer, account: grant.kind, tokens };
    return { record: { server, name: serverName, accounts: [account], clients: [] }, account };
  }

  /**
   * What a grant without a person sends is good at one issuer. Where the configuration names none, that is the first one
   * that this server named: a server that names another later gets nothing of it (requirement A12).
   */
  private async bind(flow: Flow, issuer: string): Promise<void> {
    const { server, grant, store } = this.options;
    const clientId = machineClientId(grant);
    const { bound } = await store.read(server);
    if (bound?.clientId === clientId && bound.issuer !== issuer)
      throw flowError(flow, 'client-moved', { issuer, detail: bound.issuer });
    if (bound?.clientId !== clientId) await store.update(server, (record) => (record.bound = { clientId, issuer }));
  }
}
