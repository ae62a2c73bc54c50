/**
 * What may be done with an address that a server wrote: `file` for a path on this machine, a URL for the web, undefined for
 * everything else: commands, other programs, scripts, and names of other machines, which would be told who looks (security
 * requirements V3 and D2).
 */
export function linkTarget(href: string): 'file' | URL | undefined {
  // A browser drops these where nobody sees it, and the address becomes another one.
  if (/[\u0000-\u0020\u007f]/.test(href)) return undefined;
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    // Not an address by itself.
    return undefined;
  }
  // With a name in it, people take the wrong part for the host.
  if (url.protocol === 'https:' || url.protocol === 'http:')
    return url.host !== '' && url.username === '' && url.password === '' ? url : undefined;
  if (url.protocol !== 'file:' || url.host !== '') return undefined;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  return path.startsWith('//') || path.includes('\\') || path.includes('\0') ? undefined : 'file';
}
