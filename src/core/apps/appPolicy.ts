/**
 * What an app may reach: nothing, except the origins that its resource declares (MCP Apps 2026-01-26, "UI Resource
 * Format"; security requirement V8). Stricter than the extension's own default in three places, as it allows: `'self'` is
 * never granted, since an app has no origin of its own; forms go nowhere; and only `https` and `wss` origins count.
 */
import { isObject, isStringArray } from '../base/guards.js';

/** Origins by what they are for; each was checked. */
export interface AppDomains {
  /** Requests and sockets. */
  connect: readonly string[];
  /** Scripts, styles, images, fonts, sounds. */
  resource: readonly string[];
  /** Frames inside of the app. */
  frame: readonly string[];
  /** What addresses may be relative to. */
  baseUri: readonly string[];
}

/** The origins, and what was declared but cannot be granted. */
export interface DeclaredDomains {
  domains: AppDomains;
  /** As the server wrote it. */
  refused: readonly string[];
}

export const noDomains: AppDomains = { connect: [], resource: [], frame: [], baseUri: [] };

const maxDomains = 64;
const keys = {
  connect: 'connectDomains',
  resource: 'resourceDomains',
  frame: 'frameDomains',
  baseUri: 'baseUriDomains',
} as const;

/** Reads `_meta.ui.csp`; anything that is not exactly an origin is refused, never repaired. */
export function declaredDomains(csp: unknown): DeclaredDomains {
  if (!isObject(csp)) return { domains: noDomains, refused: [] };
  const refused: string[] = [];
  const read = (key: string): string[] => {
    const declared = csp[key];
    if (!isStringArray(declared)) return [];
    const good = declared.filter(isOrigin);
    refused.push(...declared.filter((one) => !isOrigin(one)), ...good.slice(maxDomains));
    return [...new Set(good)].slice(0, maxDomains);
  };
  const domains = {
    connect: read(keys.connect),
    resource: read(keys.resource),
    frame: read(keys.frame),
    baseUri: read(keys.baseUri),
  };
  return { domains, refused: refused.slice(0, maxDomains) };
}

/** The same as the extension's own object, to tell an app what it was granted. */
export function asDeclared(domains: AppDomains): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [key, domains[name as keyof AppDomains]]));
}

/** Every origin once, in the order of their declaration. */
export function allDomains({ connect, resource, frame, baseUri }: AppDomains): string[] {
  return [...new Set([...connect, ...resource, ...frame, ...baseUri])];
}

/**
 * `https://host`, `wss://host`, each with an optional port, or with `*.` before a name of at least two parts. Nothing
 * else: no path, no other scheme, and no character that means something in a policy.
 */
function isOrigin(text: string): boolean {
  const host =
    /^(?:https|wss):\/\/(\*\.)?([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)(?::\d{1,5})?$/i.exec(
      text,
    );
  if (!host || text.length > 300) return false;
  return host[1] === undefined || (host[2]?.includes('.') ?? false);
}

/**
 * The policy for these origins as directives. `own` stands beside the origins for scripts, styles and fonts: the source of
 * our own files, for the page around an app; the app's own policy has none.
 */
export function appPolicy({ connect, resource, frame, baseUri }: AppDomains, own: readonly string[] = []): string {
  const list = (...sources: readonly string[]) => (sources.length === 0 ? "'none'" : sources.join(' '));
  return [
    "default-src 'none'",
    // Apps are one document with everything in it; they could not run at all otherwise.
    `script-src ${list("'unsafe-inline'", ...own, ...resource)}`,
    `style-src ${list("'unsafe-inline'", ...own, ...resource)}`,
    `font-src ${list('data:', ...own, ...resource)}`,
    `img-src ${list('data:', 'blob:', ...resource)}`,
    `media-src ${list('data:', 'blob:', ...resource)}`,
    `connect-src ${list(...connect)}`,
    `frame-src ${list(...frame)}`,
    `base-uri ${list(...baseUri)}`,
    // A worker of the app's own text is bound by the same policy.
    'worker-src blob:',
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ');
}

/**
 * True for the text of an app that may hold documents for frames of its own (`srcdoc`). From those it could reach the network
 * by WebRTC, which no policy governs and which the guard of an app (`webview/app/guard.ts`) closes only in documents that
 * scripts make. Names in HTML have no character references, so a text without these two holds none; a text that only
 * mentions them, as a script may, is counted in.
 */
export function holdsFrameDocuments(html: string): boolean {
  const frame = html.search(/<iframe/i);
  return frame !== -1 && /srcdoc(?:[\s=/>]|$)/i.test(html.slice(frame));
}
