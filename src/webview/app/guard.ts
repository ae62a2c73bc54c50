/**
 * Closes what a content security policy does not govern, for the document of an app and for every document it makes.
 *
 * - WebRTC: no directive that browsers implement restricts it, so its constructors are removed from the document. A frame
 *   that an app makes inherits the sandbox and has an origin of its own, so the app cannot reach the constructors in there;
 *   only a script that runs inside of such a frame can. The policy refuses every address for frames, which leaves `srcdoc`
 *   and `javascript:`. Both are sinks of Trusted Types, which `guardPolicy` demands: each text passes the default policy
 *   below, which puts the guard at the beginning of every `srcdoc`, and a frame without a policy runs no `javascript:`.
 * - Name look-ups: `<link rel="dns-prefetch">` and `rel="preconnect"` are no fetches, so the policy does not see them. An app
 *   that may reach nothing has no use for `<link>`: every one becomes a `<meta>`.
 *
 * Names of elements and attributes are never written with character references in HTML, so looking for the literal names
 * finds them all. The first text of an app is parsed before any sink; `appDocument` changes its links, and the extension
 * looks for frame documents in it (`holdsFrameDocuments`).
 */

/**
 * Directives that stand beside the policy of an app that may reach nothing. Only the policy of the guard can be made.
 */
export const guardPolicy = "require-trusted-types-for 'script'; trusted-types default";

interface PolicyFactory {
  createPolicy(
    name: string,
    rules: Record<string, (text: string, type: string, sink: string) => string | null>,
  ): unknown;
}

/**
 * Runs in the app's document, as text (`guardScript`): it can use nothing of this module. It runs before any text of the
 * server. An app can replace every method of the built-in prototypes later, so what runs later uses operators, own
 * properties and functions that were kept.
 */
function guardApp(): void {
  const { apply } = Reflect;
  type Method = (...values: unknown[]) => unknown;
  const slice = Reflect.get(String.prototype, 'slice') as Method;
  const part = (text: string, from: number, to?: number): string => apply(slice, text, [from, to]) as string;

  const global = window as unknown as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(window)) if (/^(?:webkit)?RTC/.test(name)) delete global[name];
  // They make elements out of what is no markup yet, or out of pieces of markup.
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
      const wanted = word[i] ?? '';
      if (char === undefined || (char !== wanted && char !== capitals[wanted])) return false;
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
   * Markup whose links are no links and which names no document for a frame; null for XML that could spell either in
   * pieces.
   */
  const cleaned = (text: string, isXml: boolean): string | null => {
    let out = '';
    let done = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (char === '<' || (isXml && char === ':')) {
        if (isXml && isAt(text, at + 1, '!entity')) return null;
        if (!isAt(text, at + 1, 'link') || !isNameEnd(text[at + 5])) continue;
        out += part(text, done, at + 1) + 'meta';
        done = at + 5;
      } else if ((char === 's' || char === 'S') && isAt(text, at, 'srcdoc') && isNameEnd(text[at + 6])) {
        out += part(text, done, at + 6) + '_';
        done = at + 6;
      }
    }
    return done === 0 ? text : out + part(text, done);
  };

  // `currentScript` is null in a module; this is none.
  const begin = `<!DOCTYPE html><script>${document.currentScript?.textContent ?? ''}</${'script'}>`;
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
      // What is written ends every tag that it began: two writes, or a write and what follows it, could make one name
      // together.
      if (sink === 'Document write' || sink === 'Document writeln') return `${cleaned(text, false) ?? ''}<!--"'-->`;
      return begin + (cleaned(text, false) ?? '');
    },
    // The value of a `javascript:` address would become a document without a guard.
    createScript: (text, _type, sink) => (scriptSinks[sink] === true ? text : `${text}\n;void 0`),
    createScriptURL: (text) => text,
  });
  // Libraries that would make policies of their own use plain texts instead, which pass the default one.
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
