/**
 * A small authorization server and a protected MCP server, over real sockets: expiry, rotation with detection of reuse,
 * revocation, dynamic registration, DPoP with nonces, machine grants. Tests change its defaults in `behaviour`, also
 * while it runs. The journal contains every request.
 */
import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { privateKey } from './httpTestCertificate.js';

type Json = Record<string, unknown>;

/** One request as it arrived. */
export interface JournalEntry {
  at: 'issuer' | 'server';
  method: string;
  path: string;
  query: Record<string, string>;
  form: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A handler of a test: answers the request and returns true, or returns false for the default behavior. */
type Handler = (entry: JournalEntry, response: ServerResponse) => boolean;

export interface Behaviour {
  /** Lifetime of access tokens, seconds; undefined: the answer contains no lifetime, and tokens never expire. */
  lifetimeS?: number;
  rotates: boolean;
  /** False: no refresh tokens. */
  givesRefreshTokens: boolean;
  /** Milliseconds by which the clocks of both servers are ahead. */
  clockAheadMs: number;
  /** Changes the metadata of the issuer; undefined: 404. */
  issuerMetadata: (document: Json) => Json | undefined;
  /** Changes the metadata of the server; undefined: 404. */
  resourceMetadata: (document: Json) => Json | undefined;
  /** Parameters of the redirect; undefined: an error page instead. */
  redirect: (params: Record<string, string>) => Record<string, string> | undefined;
  /** Scopes that the server requires: 401 without a token, 403 without these scopes. */
  wantedScopes: string[];
  /** Changes the challenge; undefined: no WWW-Authenticate. */
  challenge: (value: string) => string | undefined;
  /** Rejects tokens that are otherwise valid. */
  accepts: (token: string) => boolean;
  /** The server requires DPoP, with a nonce at each of the two servers when given. */
  dpop?: { issuerNonce?: string; serverNonce?: string };
  /** The redirect URI must equal the registered one, port included. */
  isStrictAboutRedirects: boolean;
  /** Handles each request first. */
  intercept?: Handler;
  /** Answers authorized requests; default: a plain 200. */
  serve?: (entry: JournalEntry, response: ServerResponse, scopes: readonly string[]) => void;
  /** Scopes that one request requires in addition to `wantedScopes`. */
  scopesFor?: (entry: JournalEntry) => string[];
}

/** Host name of both servers, and their certificate when they use TLS. */
export interface Place {
  host: string;
  certificate?: string;
}

interface Grant {
  clientId: string;
  scopes: string[];
  resource: string;
  family: string;
  expiresAt: number;
  jkt: string | undefined;
}

const usual: Behaviour = {
  lifetimeS: 3600,
  rotates: true,
  givesRefreshTokens: true,
  clockAheadMs: 0,
  issuerMetadata: (document) => document,
  resourceMetadata: (document) => document,
  redirect: (params) => params,
  wantedScopes: ['files:read'],
  challenge: (value) => value,
  accepts: () => true,
  isStrictAboutRedirects: true,
};

export class AuthServer {
  readonly journal: JournalEntry[] = [];
  readonly behaviour: Behaviour;
  /** Registered clients by id. */
  readonly clients = new Map<string, { secret?: string; redirectUris: string[] }>();
  readonly accessTokens = new Map<string, Grant>();
  readonly refreshTokens = new Map<string, Grant>();
  /** Used refresh tokens. A second use revokes the whole family. */
  private readonly used = new Map<string, string>();
  private readonly codes = new Map<string, { params: Record<string, string> }>();
  private issuerServer!: Server;
  private resourceServer!: Server;
  /** Milliseconds since the epoch, on the servers' clocks. */
  time: () => number = Date.now;

  private constructor(
    behaviour: Partial<Behaviour>,
    private readonly place: Place,
  ) {
    this.behaviour = { ...usual, ...behaviour };
  }

  /** Listens on two random ports of this machine. */
  static async start(behaviour: Partial<Behaviour> = {}, place: Place = { host: '127.0.0.1' }): Promise<AuthServer> {
    const server = new AuthServer(behaviour, place);
    server.issuerServer = await server.listen((entry, response) => server.atIssuer(entry, response), 'issuer');
    server.resourceServer = await server.listen((entry, response) => server.atServer(entry, response), 'server');
    return server;
  }

  get issuer(): string {
    return this.originOf(this.issuerServer);
  }

  get origin(): string {
    return this.originOf(this.resourceServer);
  }

  /** The URL of the MCP endpoint. */
  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** Requests to a path, oldest first. */
  requests(path: string): JournalEntry[] {
    return this.journal.filter((entry) => entry.path === path);
  }

  /** Token requests with one grant type. */
  grants(grantType: string): JournalEntry[] {
    return this.requests('/token').filter(({ form }) => form['grant_type'] === grantType);
  }

  /** Revokes every access token, as a restart of the server would. */
  forgetAccessTokens(): void {
    this.accessTokens.clear();
  }

  async stop(): Promise<void> {
    for (const server of [this.issuerServer, this.resourceServer]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private originOf(server: Server): string {
    const { host, certificate } = this.place;
    return `${certificate === undefined ? 'http' : 'https'}://${host}:${(server.address() as AddressInfo).port}`;
  }

  private now(): number {
    return this.time() + this.behaviour.clockAheadMs;
  }

  private atIssuer(entry: JournalEntry, response: ServerResponse): void {
    const { issuer } = this;
    switch (`${entry.method} ${entry.path}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return json(
          response,
          this.behaviour.issuerMetadata({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            registration_endpoint: `${issuer}/register`,
            revocation_endpoint: `${issuer}/revoke`,
            response_types_supported: ['code'],
            grant_types_supported: ['authorization_code', 'refresh_token'],
            token_endpoint_auth_methods_supported: [
              'none',
              'client_secret_basic',
              'client_secret_post',
              'private_key_jwt',
            ],
            code_challenge_methods_supported: ['S256'],
            authorization_response_iss_parameter_supported: true,
            ...(this.behaviour.dpop && { dpop_signing_alg_values_supported: ['ES256'] }),
          }),
        );
      case 'POST /register':
        return this.register(entry, response);
      case 'GET /authorize':
        return this.authorize(entry, response);
      case 'POST /token':
        return this.token(entry, response);
      case 'POST /revoke': {
        const grant = this.refreshTokens.get(entry.form['token'] ?? '');
        if (grant) this.endFamily(grant.family);
        return json(response, {});
      }
      default:
        return json(response, undefined);
    }
  }

  private register(entry: JournalEntry, response: ServerResponse): void {
    const wish = JSON.parse(entry.body) as { redirect_uris: string[]; token_endpoint_auth_method?: string };
    const id = `client-${this.clients.size + 1}`;
    const secret = wish.token_endpoint_auth_method === 'none' ? undefined : `secret-of-${id}`;
    this.clients.set(id, { secret, redirectUris: wish.redirect_uris });
    json(
      response,
      { ...wish, client_id: id, ...(secret && { client_secret: secret, client_secret_expires_at: 0 }) },
      201,
    );
  }

  private authorize({ query }: JournalEntry, response: ServerResponse): void {
    const client = this.clients.get(query['client_id'] ?? '');
    const redirectUri = query['redirect_uri'] ?? '';
    const isMetadataDocument = query['client_id']?.startsWith('https://');
    if (
      !isMetadataDocument &&
      (!client || (this.behaviour.isStrictAboutRedirects && !client.redirectUris.includes(redirectUri)))
    ) {
      response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>unknown client</h1>');
      return;
    }
    const code = randomUUID();
    this.codes.set(code, { params: query });
    const params = this.behaviour.redirect({ code, state: query['state'] ?? '', iss: this.issuer });
    if (!params) {
      response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>no</h1>');
      return;
    }
    const target = new URL(redirectUri);
    for (const [name, value] of Object.entries(params)) target.searchParams.set(name, value);
    response.writeHead(302, { location: target.href }).end();
  }

  private token(entry: JournalEntry, response: ServerResponse): void {
    const { form, headers } = entry;
    const refuse = (error: string, description?: string) =>
      json(response, { error, error_description: description }, error === 'invalid_client' ? 401 : 400);
    const basic = /^Basic (.*)$/.exec(headers.authorization ?? '')?.[1];
    const [basicId, basicSecret] =
      basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    const clientId = basicId ?? form['client_id'] ?? '';
    const client = this.clients.get(clientId);
    const needsClient =
      form['grant_type'] === 'authorization_code' ||
      form['grant_type'] === 'refresh_token' ||
      form['grant_type'] === 'client_credentials';
    if (needsClient && !client && !clientId.startsWith('https://')) return refuse('invalid_client', 'no such client');
    if (
      client?.secret !== undefined &&
      client.secret !== (basicSecret ?? form['client_secret']) &&
      form['client_assertion'] === undefined
    )
      return refuse('invalid_client', 'wrong secret');
    let jkt: string | undefined;
    if (headers['dpop'] !== undefined) {
      const proof = readProof(String(headers['dpop']), 'POST', `${this.issuer}/token`, this.now());
      if (!proof) return refuse('invalid_dpop_proof');
      const nonce = this.behaviour.dpop?.issuerNonce;
      if (nonce !== undefined && proof.nonce !== nonce) {
        response.setHeader('dpop-nonce', nonce);
        return refuse('use_dpop_nonce');
      }
      jkt = proof.jkt;
    }
    switch (form['grant_type']) {
      case 'authorization_code': {
        const saved = this.codes.get(form['code'] ?? '');
        this.codes.delete(form['code'] ?? '');
        if (!saved) return refuse('invalid_grant', 'the code was used already');
        const { params } = saved;
        if (params['client_id'] !== clientId || params['redirect_uri'] !== form['redirect_uri'])
          return refuse('invalid_grant', 'the code belongs to another client');
        if (
          createHash('sha256')
            .update(form['code_verifier'] ?? '')
            .digest('base64url') !== params['code_challenge']
        )
          return refuse('invalid_grant', 'PKCE does not match');
        if (params['resource'] !== form['resource']) return refuse('invalid_target');
        return this.issue(response, {
          clientId,
          scopes: words(params['scope']),
          resource: form['resource'] ?? '',
          family: randomUUID(),
          expiresAt: 0,
          jkt,
        });
      }
      case 'refresh_token': {
        const token = form['refresh_token'] ?? '';
        const family = this.used.get(token);
        if (family !== undefined) this.endFamily(family);
        const grant = this.refreshTokens.get(token);
        if (!grant || grant.clientId !== clientId || grant.resource !== form['resource'])
          return refuse('invalid_grant', 'the refresh token is not valid');
        if (this.behaviour.rotates) {
          this.refreshTokens.delete(token);
          this.used.set(token, grant.family);
        }
        return this.issue(response, { ...grant, jkt: jkt ?? grant.jkt }, this.behaviour.rotates ? undefined : token);
      }
      case 'client_credentials':
      case 'urn:ietf:params:oauth:grant-type:jwt-bearer':
        return this.issue(
          response,
          {
            clientId,
            scopes: words(form['scope']),
            resource: form['resource'] ?? '',
            family: randomUUID(),
            expiresAt: 0,
            jkt,
          },
          '',
        );
      default:
        return refuse('unsupported_grant_type');
    }
  }

  /** @param refreshToken the refresh token that stays valid; empty for none. */
  private issue(response: ServerResponse, grant: Grant, refreshToken = randomUUID() as string): void {
    const { lifetimeS, givesRefreshTokens } = this.behaviour;
    const accessToken = `access-${randomUUID()}`;
    const given = { ...grant, expiresAt: lifetimeS === undefined ? Infinity : this.now() + lifetimeS * 1000 };
    this.accessTokens.set(accessToken, given);
    if (refreshToken !== '' && givesRefreshTokens) this.refreshTokens.set(refreshToken, given);
    json(response, {
      access_token: accessToken,
      token_type: grant.jkt === undefined ? 'Bearer' : 'DPoP',
      ...(lifetimeS !== undefined && { expires_in: lifetimeS }),
      ...(refreshToken !== '' && givesRefreshTokens && { refresh_token: refreshToken }),
      scope: grant.scopes.join(' '),
    });
  }

  private endFamily(family: string): void {
    for (const tokens of [this.accessTokens, this.refreshTokens])
      for (const [token, grant] of tokens) if (grant.family === family) tokens.delete(token);
  }

  private atServer(entry: JournalEntry, response: ServerResponse): void {
    const metadataPath = '/.well-known/oauth-protected-resource/mcp';
    if (entry.path === metadataPath)
      return json(
        response,
        this.behaviour.resourceMetadata({ resource: this.url, authorization_servers: [this.issuer] }),
      );
    if (entry.path !== '/mcp') return json(response, undefined);
    const { dpop, serve, scopesFor } = this.behaviour;
    const wantedScopes = [...this.behaviour.wantedScopes, ...(scopesFor?.(entry) ?? [])];
    const [, scheme = '', token = ''] = /^(\S+) (.*)$/.exec(entry.headers.authorization ?? '') ?? [];
    const grant = this.accessTokens.get(token);
    const refuse = (status: number, params: string) => {
      const value = this.behaviour.challenge(
        `${dpop ? 'DPoP' : 'Bearer'} resource_metadata="${this.origin}${metadataPath}"${params}`,
      );
      response.writeHead(status, value === undefined ? {} : { 'www-authenticate': value }).end();
    };
    const scope = wantedScopes.length > 0 ? `, scope="${wantedScopes.join(' ')}"` : '';
    if (
      !grant ||
      grant.expiresAt <= this.now() ||
      !this.behaviour.accepts(token) ||
      scheme !== (grant.jkt === undefined ? 'Bearer' : 'DPoP')
    )
      return refuse(401, `${token ? ', error="invalid_token"' : ''}${scope}`);
    if (grant.jkt !== undefined) {
      const proof = readProof(String(entry.headers['dpop']), entry.method, this.url, this.now(), token);
      if (proof?.jkt !== grant.jkt) return refuse(401, ', error="invalid_dpop_proof"');
      if (dpop?.serverNonce !== undefined && proof.nonce !== dpop.serverNonce) {
        response.setHeader('dpop-nonce', dpop.serverNonce);
        return refuse(401, ', error="use_dpop_nonce"');
      }
    }
    if (!wantedScopes.every((wanted) => grant.scopes.includes(wanted)))
      return refuse(403, `, error="insufficient_scope"${scope}`);
    if (serve) serve(entry, response, grant.scopes);
    else json(response, { ok: true });
  }

  private async listen(
    next: (entry: JournalEntry, response: ServerResponse) => void,
    at: JournalEntry['at'],
  ): Promise<Server> {
    const { certificate } = this.place;
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      void this.handle(at, request, response, next);
    const server =
      certificate === undefined
        ? createServer(listener)
        : createSecureServer({ key: privateKey, cert: certificate }, listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** Sends the document, or 404 for undefined. The Date header uses the servers' clock. */
  private async handle(
    at: JournalEntry['at'],
    request: IncomingMessage,
    response: ServerResponse,
    next: (entry: JournalEntry, response: ServerResponse) => void,
  ): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const url = new URL(request.url ?? '/', 'http://x');
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
    const entry: JournalEntry = {
      at,
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: isForm ? Object.fromEntries(new URLSearchParams(body)) : {},
      headers: request.headers,
      body,
    };
    this.journal.push(entry);
    response.setHeader('date', new Date(this.now()).toUTCString());
    if (this.behaviour.intercept?.(entry, response)) return;
    next(entry, response);
  }
}

/** Sends a JSON document; 404 for undefined. */
export function json(response: ServerResponse, document: unknown, status = document === undefined ? 404 : 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(document === undefined ? '{}' : JSON.stringify(document));
}

function words(text = ''): string[] {
  return text.split(' ').filter(Boolean);
}

/** Checks a DPoP proof (RFC 9449 section 4.3) with code independent of the client. Each proof is accepted once. */
function readProof(
  proof: string,
  method: string,
  url: string,
  now: number,
  accessToken?: string,
): { jkt: string; nonce: unknown } | undefined {
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json;
  const { typ, alg, jwk } = decode(header) as { typ: string; alg: string; jwk: Json };
  const claims = decode(payload);
  if (typ !== 'dpop+jwt' || alg !== 'ES256' || 'd' in jwk || seenProofs.has(String(claims['jti']))) return undefined;
  seenProofs.add(String(claims['jti']));
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  if (!verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))
    return undefined;
  if (claims['htm'] !== method || claims['htu'] !== url || Math.abs(Number(claims['iat']) * 1000 - now) > 60_000)
    return undefined;
  if (accessToken !== undefined && claims['ath'] !== createHash('sha256').update(accessToken).digest('base64url'))
    return undefined;
  const thumbprint = JSON.stringify({ crv: jwk['crv'], kty: jwk['kty'], x: jwk['x'], y: jwk['y'] });
  return { jkt: createHash('sha256').update(thumbprint).digest('base64url'), nonce: claims['nonce'] };
}

const seenProofs = new Set<string>();
