import { el, icon } from '../page/dom.js';
import type { DrawContext } from './resultContext.js';

/** A secondary button with a label. */
export function textButton(label: string, onClick: () => void, iconName?: string): HTMLButtonElement {
  return el(
    'button',
    { class: 'result-button', attributes: { type: 'button' }, on: { click: onClick } },
    iconName === undefined ? undefined : icon(iconName),
    label,
  );
}

/** An icon button. Its label is the accessible name and the tooltip. */
export function iconButton(name: string, label: string, onClick: () => void): HTMLButtonElement {
  return el(
    'button',
    {
      class: 'result-icon-button',
      title: label,
      attributes: { type: 'button', 'aria-label': label },
      on: { click: onClick },
    },
    icon(name),
  );
}

/** Whether a text begins like an HTTP or HTTPS address. */
export function isWebAddress(href: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(href);
}

/**
 * A link that asks the extension to open its address. It has no `href`, because VS Code would open the address
 * directly.
 */
export function quietLink(label: string, address: string, onOpen: () => void): HTMLAnchorElement {
  const link = el(
    'a',
    { class: 'result-link', title: address, attributes: { role: 'link', tabindex: 0 }, on: { click: onOpen } },
    label,
  );
  link.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onOpen();
  });
  return link;
}

/** Returns a link if the text is a web address or a `file:` address, otherwise the text itself. */
export function valueText(text: string, { id, send }: Pick<DrawContext, 'id' | 'send'>): Node | string {
  return isWebAddress(text) || /^file:\/\/\/\S/.test(text)
    ? quietLink(text, text, () => send({ type: 'openLink', id, href: text }))
    : text;
}
