/**
 * The place of authorization in the network transports: they ask for headers before each request and hand over each
 * refusal. What is done about it (discovery, sign-in, refresh) is not their business.
 */
export interface Authorizer {
  /** Headers for a request; synchronous when nothing has to be fetched, since this stands in the path of every call. */
  headers(request: { method: string; url: string }): Record<string, string> | Promise<Record<string, string>>;
  /**
   * Answers a 401 or 403. One request may come here several times (sign-in, then a DPoP nonce, then more scopes); the
   * limits are kept here, so a transport repeats for as long as it is told to.
   * @returns true when the request is worth sending once more with fresh `headers()`; false to fail it.
   * Rejects with HostError `auth-required` when the user has to sign in, `auth-failed` when that did not help.
   */
  handleChallenge(challenge: AuthChallenge): Promise<boolean>;
}

/** A refusal as it arrived. */
export interface AuthChallenge {
  status: 401 | 403;
  url: string;
  method: string;
  /** All `WWW-Authenticate` values, unparsed and hostile. */
  wwwAuthenticate: string[];
  /** Value of `DPoP-Nonce`, when sent. */
  dpopNonce?: string;
  /** The headers that `headers()` gave for the refused request. */
  sentHeaders: Record<string, string>;
}
