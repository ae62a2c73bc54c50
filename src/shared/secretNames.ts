/**
 * What the names of members, headers and parameters say about their values. One name rule with the forms: what a
 * field hides while it is typed, a trace, the history and the drafts hide too.
 */
import { isSecretArgument } from './form/hints.js';

/** How a name ends that holds a secret; without its separators and in lower case. */
const ends =
  /(?:password|passwords|passwd|passphrase|passcode|secret|secrets|apikey|accesskey|privatekey|secretkey|signingkey|token|tokens|authorization|cookie|cookie2|cookies|credential|credentials|assertion|sessionid|codeverifier|jwt|xsrf|csrf|pgpass|privkey|sshkey|masterkey|accountkey|storagekey|sharedkey|encryptionkey|servicekey|authkey|connectionstring|connstr|databaseurl)$/;
/** Names that are secret only as a whole. */
const whole = /^(?:pwd|pin|otp|pat|auth|bearer)$/;
/** The last word of a name that has several: `DB_PASS`, `X-PAT`, `sentryDsn`; not `bypass` or `compat`. */
const lastWord = /(?:^|[^A-Za-z])(?:pass|pw|pwd|pin|otp|pat|auth|dsn|sas|jwt|bearer)$/i;
const lastWordOfCamel = /[a-z\d](?:Pass|Pw|Pwd|Pin|Otp|Pat|Auth|Dsn|Sas|Jwt|Bearer)$/;
/** Parts of names by which people call settings that hold secrets. */
const settingPart = /token|key|secret|passw|passphrase|credential|auth(?!or)|cookie|session|bearer/i;
/** Tokens that mark a place or an operation and open no door. */
const harmlessToken =
  /(?:progress|page|next|previous|continuation|cancel|cancellation|sync|cursor|max|stop|special)tokens?$/;
/** Numbers under these names are secrets as well; a number of tokens is none. */
const numberEnds = /(?:password|passwd|passphrase|passcode|secret|pin|otp)$/;
const parameterNames =
  /^(?:key|sig|signature|code|sid|session|sv|xamzsignature|xamzcredential|xgoogsignature|hmac|nonce|samlresponse|samlrequest)$/;
const maxNameLength = 200;

function hasLastWord(name: string): boolean {
  const end = name.slice(-maxNameLength);
  return lastWord.test(end) || lastWordOfCamel.test(end);
}

function plain(name: string): string {
  return name
    .slice(-maxNameLength)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');
}

/** A member of any message, or a header: its value is nobody's business. */
export function isSecretName(name: string): boolean {
  const letters = plain(name);
  return (ends.test(letters) && !harmlessToken.test(letters)) || whole.test(letters) || hasLastWord(name);
}

/**
 * An environment variable, a header or an option of a command: what a person sets up is rather hidden once too often.
 */
export function isSecretSetting(name: string): boolean {
  return settingPart.test(name.slice(-maxNameLength)) || isSecretName(name);
}

/** Tokens that tell by their beginning what they are, and what is too random to be anything else. */
const tokenText =
  /^(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*|npm_\w{30,}|hf_\w{20,}|[0-9a-f]{32,}|[0-9A-Za-z+/]{40,}={0,2})$/;

/** A text that is a token by its looks, whatever it is called. */
export function isTokenText(text: string): boolean {
  return text.length <= 10_000 && tokenText.test(text);
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

const plainSecretName = /token|api[-_]?key|secret|passw|credential|authorization|^x-.*key$|_key$|(?:^|_)pat$/i;
/** Shorter texts are names, switches and paths. */
const minSecretText = 8;

/** True for a written value that should not be published, by its name and its look. Linear in the text. */
export function looksSecret(name: string, text: string): boolean {
  if (text.length < minSecretText || text.length > 10_000 || text.includes('${') || /\s/.test(text)) return false;
  // An address or a path.
  if (/^[a-z][a-z0-9+.-]*:\/\/|^[./~]|^[A-Za-z]:\\/i.test(text)) return false;
  return (
    isTokenText(text) ||
    ((plainSecretName.test(name) || isSecretName(name)) && !/_(?:FILE|PATH|URL|HOST|PORT|NAME|USER|ID)$/i.test(name))
  );
}
