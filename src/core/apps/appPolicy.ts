/**
 * Determines what an app may access: nothing except the origins that its resource declares (MCP Apps 2026-01-26, "UI
 * Resource Format"; security requirement V8). The policy is stricter than the extension's default in three points,
 * which the extension permits: `'self'` is never granted, because an app has no origin; forms cannot be submitted; and
 * only `https` and `wss` origins are accepted.
 */
import { isObject, isStringArray } from '../base/guards.js';

/** Validated origins, by purpose. */
export interface AppDomains {
  /** Origins for requests and WebSockets. */
  connect: readonly string[];
  /** Origins for scripts, styles, images, fonts and sounds. */
  resource: readonly string[];
  /** Origins for frames inside the app. */
  frame: readonly string[];
  /** Origins for bases of relative URLs. */
  baseUri: readonly string[];
}

/** The granted origins, and the declarations that cannot be granted. */
export interface DeclaredDomains {
  domains: AppDomains;
  /** The refused declarations, as the server wrote them. */
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

/** Reads `_meta.ui.csp`. Anything that is not exactly an origin is refused, never repaired. */
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

/** The granted domains in the format of the extension, for the host capabilities that an app receives. */
export function asDeclared(domains: AppDomains): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [key, domains[name as keyof AppDomains]]));
}

/** Every origin once, in the order of the declaration. */
export function allDomains({ connect, resource, frame, baseUri }: AppDomains): string[] {
  return [...new Set([...connect, ...resource, ...frame, ...baseUri])];
}

/**
 * Whether a text is an origin that can be granted: `https://host` or `wss://host`, each with an optional port, or with
 * `*.` before a name of at least two parts. Paths, other schemes and the special characters of a policy are not
 * accepted.
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
 * The policy for these origins as directives. `own` is the source of MCP Deck's own files, added for scripts, styles
 * and fonts. Only the page around an app uses `own`; the policy of the app itself has no such source.
 */
export function appPolicy({ connect, resource, frame, baseUri }: AppDomains, own: readonly string[] = []): string {
  const list = (...sources: readonly string[]) => (sources.length === 0 ? "'none'" : sources.join(' '));
  return [
    "default-src 'none'",
    // Apps are single documents with inline scripts and styles, so they need 'unsafe-inline'.
    `script-src ${list("'unsafe-inline'", ...own, ...resource)}`,
    `style-src ${list("'unsafe-inline'", ...own, ...resource)}`,
    `font-src ${list('data:', ...own, ...resource)}`,
    `img-src ${list('data:', 'blob:', ...resource)}`,
    `media-src ${list('data:', 'blob:', ...resource)}`,
    `connect-src ${list(...connect)}`,
    `frame-src ${list(...frame)}`,
    `base-uri ${list(...baseUri)}`,
    // A worker created from the app's own text has the same policy.
    'worker-src blob:',
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ');
}

/**
 * True when the HTML of an app may contain documents for frames (`srcdoc`). Such a document could reach the network by
 * WebRTC, which no policy covers. The guard of an app (`webview/app/guard.ts`) covers only documents that scripts
 * create. Names of HTML elements and attributes cannot contain character references, so a text without `<iframe`
 * followed by `srcdoc` contains no such document. Returns true as well if these words occur only in a script or in
 * text.
 */
export function holdsFrameDocuments(html: string): boolean {
  const frame = html.search(/<iframe/i);
  return frame !== -1 && /srcdoc(?:[\s=/>]|$)/i.test(html.slice(frame));
}
