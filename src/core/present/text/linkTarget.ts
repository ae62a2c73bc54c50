import { parsedUrl } from '../../base/parsedUrl.js';

/**
 * Determines whether a URL from a server may be opened, and as what. `file` means a path on this machine, and a URL
 * object means a web page. Undefined for all others: commands, other programs, scripts, and paths on other machines,
 * because those machines would learn who opens them (security requirements V3 and D2).
 */
export function linkTarget(href: string): 'file' | URL | undefined {
  // Browsers silently remove these characters, which changes the URL.
  if (/[\u0000-\u0020\u007f]/.test(href)) return undefined;
  const url = parsedUrl(href);
  if (!url) return undefined;
  // If a URL contains a user name, users may mistake the wrong part for the host.
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
