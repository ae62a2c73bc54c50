/** What the names of members, headers and parameters say about their values. One name rule with the forms: what a field hides while it is typed, a trace, the history and the drafts hide too. */
import { isSecretArgument } from './form/hints.js';

/** How a name ends that holds a secret; without its separators and in lower case. */
const ends = /(?:password|passwords|passwd|passphrase|passcode|secret|secrets|apikey|accesskey|privatekey|secretkey|signingkey|token|tokens|authorization|cookie|cookie2|cookies|credential|credentials|assertion|sessionid|codeverifier|jwt|xsrf|csrf)$/;
/** Names that are secret only as a whole. */
const whole = /^(?:pwd|pin|otp|pat|auth|bearer)$/;
/** Tokens that mark a place or an operation and open no door. */
const harmlessToken = /(?:progress|page|next|previous|continuation|cancel|cancellation|sync|cursor|max|stop|special)tokens?$/;
/** Numbers under these names are secrets as well; a number of tokens is none. */
const numberEnds = /(?:password|passwd|passphrase|passcode|secret|pin|otp)$/;
const parameterNames = /^(?:key|sig|signature|code|sid|session|sv|xamzsignature|xamzcredential|xgoogsignature|hmac|nonce|samlresponse|samlrequest)$/;
const maxNameLength = 200;

function plain(name: string): string {
  return name.slice(-maxNameLength).toLowerCase().replace(/[^a-z0-9]+/g, '');
}

/** A member of any message, or a header: its value is nobody's business. */
export function isSecretName(name: string): boolean {
  const letters = plain(name);
  return (ends.test(letters) && !harmlessToken.test(letters)) || whole.test(letters);
}

/** A member of which also a number is a secret. */
export function isSecretNumberName(name: string): boolean {
  return numberEnds.test(plain(name)) && isSecretName(name);
}

/** A parameter in the query or the fragment of an address. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || parameterNames.test(plain(name));
}

/** A field that its schema or its name marks as a secret. */
export function isSecretField(name: string, schema: unknown): boolean {
  return isSecretArgument(name, schema) || isSecretName(name);
}
