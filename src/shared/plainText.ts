/**
 * Masks secrets in plain text that were not registered as secrets: credentials before the `@` of a URL, URL parameters,
 * HTTP header lines, bearer tokens. Every pattern starts at a fixed mark and has a limited length, so that the time is
 * linear.
 */
import { isSecretName, isSecretParameter } from './secretNames.js';

/** The replacement for a secret, as in `SecretFinder`. */
const dots = '•••';

const maxSchemeLength = 20;
const parameter = /([?#]|&(?:amp;|#38;)?)([\w.\-[\]%]{1,64})=([^&#\s"'<>\\`)\]}]+)/g;
const header =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|mcp-session-id)("?[ \t]{0,4}[:=][ \t]{0,4}"?)([^\r\n"]+)/gi;
const bearer = /\b(Bearer|DPoP)([ \t]{1,4})([\w.~+/=-]{12,})/gi;

/** Returns the replacement for a secret. `name` is the header or parameter; empty for other secrets. */
type Hide = (secret: string, name: string) => string;

/**
 * Replaces the secrets that these patterns find in a text, by default with dots. Returns the same string if nothing was
 * found.
 */
export function maskPlainText(text: string, hide: Hide = () => dots): string {
  let masked = text;
  if (masked.includes('://')) masked = maskUserInfo(masked, hide);
  if (masked.includes('='))
    masked = masked.replace(parameter, (all, mark: string, name: string, value: string) =>
      isSecretParameter(name) && value !== dots ? `${mark}${name}=${hide(value, name)}` : all,
    );
  if (/authorization|cookie|api-key|session-id/i.test(masked))
    masked = masked.replace(header, (all, name: string, colon: string, value: string) =>
      isHeaderValue(name, value) ? `${name}${colon}${hide(value, name)}` : all,
    );
  // A word after "bearer" may belong to a sentence, so only a word with a digit is treated as a token.
  if (/bearer|dpop/i.test(masked))
    masked = masked.replace(bearer, (all, scheme: string, space: string, token: string) =>
      /\d/.test(token) ? `${scheme}${space}${hide(token, '')}` : all,
    );
  return masked;
}

/** True for `Authorization: Bearer …` and `Cookie: a=b`; false for sentences about headers. */
function isHeaderValue(name: string, value: string): boolean {
  if (!isSecretName(name) || value.startsWith(dots)) return false;
  return /cookie$/i.test(name)
    ? value.includes('=')
    : /^(?:[A-Za-z][\w-]{0,20} +)?[^\s,]{6,}$/.test(value.trim().slice(0, 4_000)) || /^(?:Digest|AWS4-)/i.test(value);
}

function maskUserInfo(text: string, hide: Hide): string {
  let masked = '';
  let done = 0;
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', colon + 3)) {
    const from = colon + 3;
    const scheme = /[a-z][a-z0-9+.-]*$/i.exec(text.slice(Math.max(0, colon - maxSchemeLength), colon));
    const authority = /^[^/?#\s"'<>\\]{1,4096}/.exec(text.slice(from, from + 4_096))?.[0] ?? '';
    const at = authority.lastIndexOf('@');
    const user = authority.slice(0, at);
    // A user name without a password is masked only in web URLs: the `git` of ssh://git@host is not a secret.
    if (!scheme || at <= 0 || user === dots || !(user.includes(':') || /^(?:http|ws)s?$/i.test(scheme[0]))) continue;
    masked += text.slice(done, from) + hide(user, '');
    done = from + at;
  }
  return done === 0 ? text : masked + text.slice(done);
}
