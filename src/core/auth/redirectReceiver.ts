import type { Disposable } from '../base/disposable.js';
import { Deferred } from '../base/deferred.js';

/** The redirect to wait for. */
export interface RedirectRequest {
  /** Only a response with exactly this state is accepted, and only once. */
  state: string;
  /** The preferred redirect URI: the one that a client is registered with. */
  redirectUri?: string;
  /** Whether only `redirectUri` is accepted, because the client was registered by hand. Default: false. */
  isFixed?: boolean;
  server: string;
}

/** Receives the browser's response to a sign-in. */
export interface RedirectReceiver {
  /**
   * Starts waiting. Rejects with an Error if no response can be received, and with UnusableRedirect if none can be
   * received at the fixed redirect URI.
   */
  open(request: RedirectRequest): Promise<PendingRedirect>;
}

/**
 * The error for a configured redirect URI that cannot be used. The message is the end of a sentence, without a period.
 */
export class UnusableRedirect extends Error {
  override readonly name = 'UnusableRedirect';
}

/** A wait for one response; dispose it to stop waiting. */
export interface PendingRedirect extends Disposable {
  readonly redirectUri: string;
  /** The parameters of the response. The promise never settles if the wait is disposed first. */
  readonly answer: Promise<URLSearchParams>;
}

/**
 * Receives responses through the editor's URI scheme, for example `vscode://publisher.extension/signed-in`. The UI
 * layer passes every received URI to `take`, which finds the matching wait by the state parameter.
 */
export class UriRedirectReceiver implements RedirectReceiver {
  private readonly waiting = new Map<string, Deferred<URLSearchParams>>();

  /** @param redirectUri returns the URI to redirect to, as the editor provides it for this window. */
  constructor(private readonly redirectUri: () => Promise<string>) {}

  async open({ state }: Pick<RedirectRequest, 'state'>): Promise<PendingRedirect> {
    const redirectUri = await this.redirectUri();
    const deferred = new Deferred<URLSearchParams>();
    this.waiting.set(state, deferred);
    return { redirectUri, answer: deferred.promise, dispose: () => void this.waiting.delete(state) };
  }

  /** Takes the query of a received URI. Returns false if no sign-in waits for it. */
  take(query: string): boolean {
    const params = new URLSearchParams(query);
    const state = params.get('state') ?? '';
    const deferred = this.waiting.get(state);
    this.waiting.delete(state);
    deferred?.resolve(params);
    return deferred !== undefined;
  }
}
