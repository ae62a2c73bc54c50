import MarkdownIt from 'markdown-it';
import { t } from '@vscode/l10n';
import { el, icon } from '../page/dom.js';
import { isWebAddress, quietLink } from './controls.js';
import type { DrawContext } from './resultContext.js';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

/**
 * Draws Markdown of a server from its tokens. A known token becomes an element from a fixed list, and any other token
 * becomes text. No HTML string is created, images are never loaded, and the extension asks the user before it opens an
 * address (security requirements V2, V3, V4).
 */
const parser = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 50 });
// The parser accepts every link. The code below decides which addresses become links, because it keeps the text of a
// rejected link visible.
parser.validateLink = () => true;

const elements = new Map<string, keyof HTMLElementTagNameMap>(
  (
    ['p', 'ul', 'ol', 'li', 'blockquote', 'em', 'strong', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td'] as const
  ).map((tag) => [tag, tag]),
);

/** Draws Markdown of a server. HTML in it is shown as text. */
export function drawMarkdown(text: string, context: DrawContext): HTMLElement {
  const root = el('div', { class: 'result-markdown' });
  new Drawing(context).append(root, parser.parse(text, {}));
  return root;
}

class Drawing {
  /** The level of the last heading. The drawn headings never skip a level, even if those of the Markdown do. */
  private level = 2;

  constructor(private readonly context: DrawContext) {}

  append(root: HTMLElement, tokens: readonly Token[]): void {
    const stack: HTMLElement[] = [root];
    for (const token of tokens) {
      const top = stack.at(-1) ?? root;
      if (token.nesting < 0) {
        if (stack.length > 1) stack.pop();
        continue;
      }
      const node = this.nodeFor(token);
      if (node !== undefined) top.append(node);
      // An element is pushed for every opening token, even for an unknown one, so that each closing token removes the
      // matching element.
      if (token.nesting > 0) stack.push(node instanceof HTMLElement ? (innermost(node) ?? node) : top);
    }
  }

  private nodeFor(token: Token): Node | undefined {
    switch (token.type) {
      case 'inline': {
        const fragment = el('span');
        this.append(fragment, token.children ?? []);
        const inline = document.createDocumentFragment();
        inline.append(...fragment.childNodes);
        return inline;
      }
      case 'text':
        return document.createTextNode(token.content);
      case 'softbreak':
        return document.createTextNode('\n');
      case 'hardbreak':
        return el('br');
      case 'hr':
        return el('hr');
      case 'code_inline':
        return el('code', {}, token.content);
      case 'fence':
      case 'code_block':
        return el(
          'pre',
          { class: 'result-code', attributes: { tabindex: 0 } },
          el('code', {}, token.content.replace(/\n$/, '')),
        );
      case 'heading_open':
        return this.heading(Number(token.tag.slice(1)));
      case 'paragraph_open':
        return token.hidden ? el('span') : el('p');
      case 'ordered_list_open':
        return el('ol', { attributes: { start: attribute(token, 'start') } });
      case 'th_open':
      case 'td_open':
        return el(token.type === 'th_open' ? 'th' : 'td', { class: alignment(token) });
      case 'table_open':
        return el('div', { class: 'result-scroll', attributes: { tabindex: 0 } }, el('table'));
      case 'link_open':
        return this.link(attribute(token, 'href') ?? '');
      case 'image':
        return this.image(token);
      default: {
        const tag = token.nesting > 0 ? elements.get(token.tag) : undefined;
        return tag === undefined ? document.createTextNode(token.content) : el(tag);
      }
    }
  }

  private heading(level: number): HTMLElement {
    this.level = Math.min(level + 2, this.level + 1, 6);
    return el('div', {
      class: `result-heading result-heading-${level}`,
      attributes: { role: 'heading', 'aria-level': this.level },
    });
  }

  private link(href: string): HTMLElement {
    const { id, send } = this.context;
    if (isWebAddress(href)) return quietLink('', href, () => send({ type: 'openLink', id, href }));
    return el('span', { class: 'result-dead-link', title: t('This link cannot be opened: {0}', href) });
  }

  /**
   * Shows the image as text and does not load it, because loading a remote image would tell its server who reads the
   * text and when.
   */
  private image(token: Token): HTMLElement {
    const { id, send } = this.context;
    const href = attribute(token, 'src') ?? '';
    const label = token.content === '' ? t('image') : t('image: {0}', token.content);
    const drawn = isWebAddress(href)
      ? quietLink(label, href, () => send({ type: 'openLink', id, href }))
      : el(
          'span',
          { class: 'result-dead-link', title: t('This image cannot be opened: {0}', href.slice(0, 200)) },
          label,
        );
    return el('span', { class: 'result-remote-image' }, icon('file-media'), drawn);
  }
}

/** The element that receives the children. A table is nested in a scrollable element. */
function innermost(element: HTMLElement): HTMLElement | undefined {
  return element.querySelector('table') ?? undefined;
}

function attribute(token: Token, name: string): string | undefined {
  const value = token.attrGet(name);
  return value === null ? undefined : String(value);
}

function alignment(token: Token): string {
  const side = /text-align:\s*(left|center|right)/.exec(attribute(token, 'style') ?? '')?.[1];
  return side === undefined ? '' : `result-align-${side}`;
}
