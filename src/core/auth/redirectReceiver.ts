import type { Disposable } from '../base/disposable.js';
import { Deferred } from '../base/deferred.js';

/** A wait that is to begin. */
export interface RedirectRequest {
  /** Only an answer with exactly this state is taken, and only once. */
  state: string;
  /** Wished for, because a client is registered with it. */
  redirectUri?: string;
  /**
   * No other address than `redirectUri` will do: the client was registered by hand. Default false: another may be
   * given.
   */
  isFixed?: boolean;
  server: string;
}

/** Takes the browser's answer to a sign-in. */
export interface RedirectReceiver {
  /**
   * Begins to wait. Rejects with an Error when nothing can be received, with UnusableRedirect when nothing can be at
   * the fixed address.
   */
  open(request: RedirectRequest): Promise<PendingRedirect>;
}

/**
 * The redirect address that is configured cannot be used here; the message is the end of a sentence, without a full
 * stop.
 */
export class UnusableRedirect extends Error {
  override readonly name = 'UnusableRedirect';
}

/** A wait for one answer; disposing ends it. */
export interface PendingRedirect extends Disposable {
  readonly redirectUri: string;
  /** The parameters of the answer. Never settles when disposed before. */
  readonly answer: Promise<URLSearchParams>;
}

/**
 * Receives through the editor's own URI scheme, for example `vscode://publisher.extension/signed-in`: the UI layer hands
 * every URI it gets to `take`, which matches it by state.
 */
export class UriRedirectReceiver implements RedirectReceiver {
  private readonly waiting = new Map<string, Deferred<URLSearchParams>>();

  /** @param redirectUri what the browser has to be sent to, as the editor translates it for this window. */
  constructor(private readonly redirectUri: () => Promise<string>) {}

  async open({ state }: Pick<RedirectRequest, 'state'>): Promise<PendingRedirect> {
    const redirectUri = await this.redirectUri();
    const deferred = new Deferred<URLSearchParams>();
    this.waiting.set(state, deferred);
    return { redirectUri, answer: deferred.promise, dispose: () => void this.waiting.delete(state) };
  }

  /** @param query of a URI that arrived. @returns false when nobody waits for it. */
  take(query: string): boolean {
    const params = new URLSearchParams(query);
    const state = params.get('state') ?? '';
    const deferred = this.waiting.get(state);
    this.waiting.delete(state);
    deferred?.resolve(params);
    return deferred !== undefined;
  }
}
