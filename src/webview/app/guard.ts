/**
 * Closes channels that a content security policy does not restrict, for the document of an app and for every document
 * that it creates.
 *
 * - WebRTC: no directive that browsers implement restricts it, so its constructors are removed from the document. A
 *   frame that an app creates inherits the sandbox and has its own origin, so the app cannot reach the constructors in
 *   it; only a script inside such a frame can. The policy forbids all addresses for frames, which leaves `srcdoc` and
 *   `javascript:`. Both are sinks of Trusted Types, which `guardPolicy` requires: each text passes the default policy
 *   below, which puts the guard at the beginning of every `srcdoc`. A frame without a policy does not run
 *   `javascript:`.
 * - DNS lookups: `<link rel="dns-prefetch">` and `rel="preconnect"` are not fetches, so the policy does not restrict
 *   them. An app that is not allowed to reach any origin does not need `<link>` elements, so each one becomes a
 *   `<meta>` element. Lookups for the addresses of `<a>` are turned off at the start of each document, which a later
 *   `<meta>` cannot undo.
 *
 * HTML does not allow character references in names of elements and attributes, so a search for the literal names finds
 * all of them. The first text of an app is parsed before any sink runs; `appDocument` replaces its `<link>` elements,
 * and the extension searches it for `srcdoc` (`holdsFrameDocuments`).
 */

/**
 * Directives that are added to the policy of an app that is not allowed to reach any origin. They allow only one
 * Trusted Types policy, that of the guard.
 */
export const guardPolicy = "require-trusted-types-for 'script'; trusted-types default";

interface PolicyFactory {
  createPolicy(
    name: string,
    rules: Record<string, (text: string, type: string, sink: string) => string | null>,
  ): unknown;
}

/**
 * This function runs in the document of the app as text (`guardScript`), so it cannot use anything else from this
 * module. It runs before any server content. The app can later replace all methods of built-in prototypes, so code that
 * runs later uses only operators, own properties, and functions that were saved here.
 */
function guardApp(): void {
  const { apply } = Reflect;
  type Method = (...values: unknown[]) => unknown;
  const slice = Reflect.get(String.prototype, 'slice') as Method;
  const part = (text: string, from: number, to?: number): string => apply(slice, text, [from, to]) as string;

  const global = window as unknown as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(window)) if (/^(?:webkit)?RTC/.test(name)) delete global[name];
  // These APIs create elements from text that is not markup yet, or from fragments of markup.
  delete global['XSLTProcessor'];
  delete global['Sanitizer'];
  for (const maker of [Element, Document, ShadowRoot, DocumentFragment, Range]) {
    for (const holder of [maker, maker.prototype] as unknown as Record<string, unknown>[]) {
      for (const name of Object.getOwnPropertyNames(holder))
        if (/^stream|^(?:set|parse)HTML$/.test(name)) delete holder[name];
    }
  }

  const capitals: Record<string, string | undefined> = Object.assign(Object.create(null), {
    c: 'C',
    d: 'D',
    e: 'E',
    i: 'I',
    k: 'K',
    l: 'L',
    n: 'N',
    o: 'O',
    r: 'R',
    s: 'S',
    t: 'T',
    y: 'Y',
  }) as Record<string, string>;
  const isAt = (text: string, at: number, word: string): boolean => {
    for (let i = 0; i < word.length; i++) {
      const char = text[at + i];
      const expected = word[i] ?? '';
      if (char === undefined || (char !== expected && char !== capitals[expected])) return false;
    }
    return true;
  };
  const isNameEnd = (char: string | undefined): boolean =>
    char === undefined ||
    char === ' ' ||
    char === '\t' ||
    char === '\n' ||
    char === '\f' ||
    char === '\r' ||
    char === '/' ||
    char === '>' ||
    char === '=';

  /**
   * Where the local name in a tag begins: after the prefix, if there is one. An element of an XML document parses its
   * markup as XML, and a prefix can be declared outside of the markup.
   */
  const localNameAt = (text: string, at: number): number => {
    let end = at;
    while (text[end] !== ':' && text[end] !== '<' && !isNameEnd(text[end])) end++;
    return text[end] === ':' ? end + 1 : at;
  };

  /**
   * Returns the markup with each `<link>` element renamed to `<meta>` and each `srcdoc` attribute renamed to `srcdoc_`.
   * Returns null for XML with an entity declaration, because entities could assemble these names from parts.
   */
  const cleaned = (text: string, isXml: boolean): string | null => {
    let out = '';
    let done = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (char === '<') {
        if (isXml && isAt(text, at + 1, '!entity')) return null;
        const name = localNameAt(text, at + 1);
        if (!isAt(text, name, 'link') || !isNameEnd(text[name + 4])) continue;
        out += part(text, done, name) + 'meta';
        done = name + 4;
      } else if ((char === 's' || char === 'S') && isAt(text, at, 'srcdoc') && isNameEnd(text[at + 6])) {
        out += part(text, done, at + 6) + '_';
        done = at + 6;
      }
    }
    return done === 0 ? text : out + part(text, done);
  };

  // A frame inherits the disabled DNS lookups, but a `<meta>` with `content="on"` in the frame would enable them again.
  // This first `off` cannot be undone. `currentScript` is null only in a module, and this script is not a module.
  const begin = `<!DOCTYPE html><meta http-equiv="x-dns-prefetch-control" content="off"><script>${document.currentScript?.textContent ?? ''}</${'script'}>`;
  const markupSinks = Object.create(null) as Record<string, true | undefined>;
  for (const holder of ['Element', 'ShadowRoot'])
    for (const name of ['innerHTML', 'outerHTML', 'setHTMLUnsafe', 'insertAdjacentHTML'])
      markupSinks[`${holder} ${name}`] = true;
  for (const sink of ['Range createContextualFragment', 'Document parseHTMLUnsafe', 'Document execCommand'])
    markupSinks[sink] = true;
  const scriptSinks = Object.create(null) as Record<string, true | undefined>;
  for (const element of ['HTMLScriptElement', 'SVGScriptElement'])
    for (const name of ['text', 'textContent', 'innerText']) scriptSinks[`${element} ${name}`] = true;

  const { trustedTypes } = window as unknown as { trustedTypes?: PolicyFactory };
  trustedTypes?.createPolicy('default', {
    createHTML: (text, _type, sink) => {
      if (markupSinks[sink] === true) return cleaned(text, false);
      if (sink === 'DOMParser parseFromString') return cleaned(text, true);
      // Every open tag is closed, because two consecutive writes, or a write and the text after it, could otherwise
      // form one name together.
      if (sink === 'Document write' || sink === 'Document writeln') return `${cleaned(text, false) ?? ''}<!--"'-->`;
      return begin + (cleaned(text, false) ?? '');
    },
    // The value of a `javascript:` address would become a document without the guard.
    createScript: (text, _type, sink) => (scriptSinks[sink] === true ? text : `${text}\n;void 0`),
    createScriptURL: (text) => text,
  });
  // `trustedTypes` is hidden, so that libraries do not try to create policies of their own. They then use plain text,
  // which passes the default policy.
  delete global['trustedTypes'];

  const replace = (holder: object, name: string, make: (original: Method) => Method): void => {
    const methods = holder as Record<string, Method>;
    const original = methods[name];
    if (original) methods[name] = make(original);
  };
  const unlinked = (name: unknown): unknown => {
    if (name === null || name === undefined) return name;
    const text = `${name as string}`;
    const at = text.length - 4;
    return at >= 0 && isAt(text, at, 'link') && (at === 0 || text[at - 1] === ':') ? 'meta' : text;
  };
  replace(
    Document.prototype,
    'createElement',
    (original) =>
      function (this: unknown, name, options) {
        return apply(original, this, [unlinked(name), options]);
      },
  );
  replace(
    Document.prototype,
    'createElementNS',
    (original) =>
      function (this: unknown, space, name, options) {
        return apply(original, this, [space, unlinked(name), options]);
      },
  );
  replace(
    DOMImplementation.prototype,
    'createDocument',
    (original) =>
      function (this: unknown, space, name, type) {
        return apply(original, this, [space, unlinked(name), type ?? null]);
      },
  );
  replace(
    CustomElementRegistry.prototype,
    'define',
    (original) =>
      function (this: unknown, name, maker, options) {
        const extended = (options as { extends?: unknown } | null | undefined)?.extends;
        return apply(original, this, [
          name,
          maker,
          extended === undefined ? undefined : { extends: unlinked(extended) },
        ]);
      },
  );
}

/** The guard as the first script of a document. */
export const guardScript = `<script>(${guardApp.toString()})()</script>`;
