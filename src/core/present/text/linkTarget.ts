/**
 * What may be done with a URL that a server wrote: `file` for a path on this machine, a URL object for the web,
 * undefined for all others: commands, other programs, scripts, and paths on other machines, which would learn who opens
 * them (security requirements V3 and D2).
 */
export function linkTarget(href: string): 'file' | URL | undefined {
  // Browsers remove these characters silently, which changes the URL.
  if (/[\u0000-\u0020\u007f]/.test(href)) return undefined;
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    // Not an absolute URL.
    return undefined;
  }
  // With a user name in the URL, users mistake the wrong part for the host.
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
