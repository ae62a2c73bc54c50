/**
 * Maximum length of a host with user name, password, and port, in UTF-16 code units. A host name has at most 253
 * characters. The time for encoding international names grows with the square of their length.
 */
const maxAuthorityLength = 1_000;

/** Parses an absolute URL. Undefined if the text is not one, or if its host is too long. */
export function parsedUrl(text: string): URL | undefined {
  // The parser ignores these characters. Only with these schemes, slashes can be missing, and a backslash is a slash.
  const read = text.replace(/^[\0-\x20]+/, '').replace(/[\t\n\r]+/g, '');
  const [, web, other = ''] =
    /^(?:(?:https?|wss?|ftp|file):[\\/]*([^\\/?#]*)|[a-z][a-z\d+.-]*:\/\/([^/?#]*))/i.exec(read) ?? [];
  const authority = web ?? other;
  return authority.length <= maxAuthorityLength && URL.canParse(text) ? new URL(text) : undefined;
}
