/**
 * Maximum length of a host with user name, password, and port, in UTF-16 code units. A host name has at most 253
 * characters. The time for encoding international names grows with the square of their length.
 */
const maxAuthorityLength = 1_000;

/** Parses an absolute URL. Undefined if the text is not one, or if its host is too long. */
export function parsedUrl(text: string): URL | undefined {
  const authority = /^[^:]{0,100}:[\\/\t\n\r]*([^\\/?#]*)/.exec(text)?.[1] ?? '';
  return authority.length <= maxAuthorityLength && URL.canParse(text) ? new URL(text) : undefined;
}
