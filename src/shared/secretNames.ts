/**
 * Recognizes secrets by the names of properties, headers, and parameters, and tokens by their format. Forms, traces,
 * the history, and drafts use the same rules.
 */
import { isSecretArgument } from './form/hints.js';

/** Endings of secret names, without separators and in lower case. Plurals are lists of secrets. */
const ends =
  /(?:passwords?|passwd|passphrases?|passcodes?|secrets?|(?:api|access|private|secret|signing|master|account|storage|shared|encryption|service|auth|ssh)keys?|tokens?|authorization|cookies?|cookie2|credentials?|assertion|sessionids?|codeverifier|jwt|xsrf|csrf|pgpass|privkey|connectionstring|connstr|databaseurl|(?:recovery|backup|mfa)codes?)$/;
/** Names that mean a secret only if nothing else is in the name. */
const whole = /^(?:pwd|pin|otp|pat|auth|bearer)$/;
/**
 * Matches the last word of a name with several words: `DB_PASS`, `X-PAT`, `sentryDsn`, but not `bypass` or `compat`.
 */
const lastWord = /(?:^|[^A-Za-z])(?:pass|pw|pwd|pin|otp|totp|pat|auth|dsn|sas|jwt|bearer|pem|psk|mnemonic|ssn)$/i;
const lastWordOfCamel = /[a-z\d](?:Pass|Pw|Pwd|Pin|Otp|Totp|Pat|Auth|Dsn|Sas|Jwt|Bearer|Pem|Psk|Mnemonic|Ssn)$/;
/** Common parts of the names of secret settings. */
const settingPart = /token|key|secret|passw|passphrase|credential|auth(?!or(?!ization))|cookie|session|bearer/i;
/** Tokens that mark a position or an operation and are not credentials. */
const harmlessToken =
  /(?:progress|page|next|previous|continuation|cancel|cancellation|sync|cursor|max|stop|special)tokens?$/;
/**
 * Names whose values are secret even if they are numbers. Names such as `tokens` are not included, because a number of
 * tokens is not a secret.
 */
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

/** Whether a property of a message or a header is secret. */
export function isSecretName(name: string): boolean {
  const letters = plain(name);
  return (ends.test(letters) && !harmlessToken.test(letters)) || whole.test(letters) || hasLastWord(name);
}

/**
 * Whether an environment variable, a header, or a command-line option is secret. An uncertain name is treated as
 * secret, because users set these values themselves and know them.
 */
export function isSecretSetting(name: string): boolean {
  return settingPart.test(name.slice(-maxNameLength)) || isSecretName(name);
}

/** Matches tokens with a known prefix, and texts that look so random that they can only be tokens. */
const tokenText =
  /^(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*|npm_\w{30,}|hf_\w{20,}|[0-9a-f]{32,}|[0-9A-Za-z+/]{40,}={0,2})$/;

/** Whether a text looks like a token. The name of its field is not considered. */
export function isTokenText(text: string): boolean {
  return text.length <= 10_000 && tokenText.test(text);
}

/** Whether a property is secret even if its value is a number. */
export function isSecretNumberName(name: string): boolean {
  return numberEnds.test(plain(name)) && isSecretName(name);
}

/** Whether a parameter in the query or fragment of an address is secret. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || parameterNames.test(plain(name));
}

/** Whether a parameter in an address that the user wrote is secret, by its name or its value. */
export function isSecretQuery(name: string, value: string): boolean {
  return isSecretParameter(name) || isSecretSetting(name) || isTokenText(value);
}

/** Whether a field is a secret according to its schema or its name. */
export function isSecretField(name: string, schema: unknown): boolean {
  return isSecretArgument(name, schema) || isSecretName(name);
}

const plainSecretName = /token|api[-_]?key|secret|passw|credential|authorization|^x-.*key$|_key$|(?:^|_)pat$/i;
/** Minimum length of a secret, in characters. Shorter texts are usually names, switches, or paths. */
const minSecretText = 8;

/**
 * Whether a value should not be published, judged by its name and its format. The time is linear in the length of the
 * text.
 */
export function looksSecret(name: string, text: string): boolean {
  if (text.length < minSecretText || text.length > 10_000 || text.includes('${') || /\s/.test(text)) return false;
  // An address or a path is not a secret.
  if (/^[a-z][a-z0-9+.-]*:\/\/|^[./~]|^[A-Za-z]:\\/i.test(text)) return false;
  return (
    isTokenText(text) ||
    ((plainSecretName.test(name) || isSecretName(name)) && !/_(?:FILE|PATH|URL|HOST|PORT|NAME|USER|ID)$/i.test(name))
  );
}
