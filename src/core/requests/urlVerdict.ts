/**
 * Decides whether a URL that a server asks the user to visit may be opened, and determines what the user must know
 * first (specification 2025-11-25 and 2026-07-28, client/elicitation, "Safe URL Handling"; security requirement C10).
 * The URL is never fetched here.
 */
import { domainToUnicode } from 'node:url';
import { visibleLine } from '../base/hostileText.js';

/** A URL that may be opened after the user agreed. */
export interface SafeUrl {
  /** The whole URL in ASCII characters. */
  href: string;
  /** The host of the URL with the port, in ASCII: `xn--…` if the host has other characters. */
  host: string;
  /** The host as the user would read it, if it differs from `host`. */
  readableHost?: string;
}

/** Maximum length of a URL, in UTF-16 code units. Longer URLs are refused, because the user cannot check them. */
const maxLength = 2_048;

/**
 * The URL in a notation that can be shown in full, or the reason why it must not be opened, worded as the end of a
 * sentence.
 */
export function judgeUrl(text: string): SafeUrl | { problem: string } {
  if (text.length > maxLength)
    return { problem: `it has ${text.length} characters, more than the ${maxLength} allowed` };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: `"${visibleLine(text, 100)}" is not a URL` };
  }
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return {
      problem: `only https URLs and http URLs of this machine can be opened, not "${visibleLine(url.protocol, 30)}"`,
    };
  if (url.username !== '' || url.password !== '') return { problem: 'it contains a user name or password' };
  const readable = domainToUnicode(url.hostname);
  return {
    href: url.href,
    host: url.host,
    ...(readable === '' || readable === url.hostname ? {} : { readableHost: visibleLine(readable, 260) }),
  };
}
