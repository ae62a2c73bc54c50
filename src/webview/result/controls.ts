import { el, icon } from '../page/dom.js';

/** A quiet button with words. */
export function textButton(label: string, onClick: () => void, iconName?: string): HTMLButtonElement {
  return el(
    'button',
    { class: 'result-button', attributes: { type: 'button' }, on: { click: onClick } },
    iconName === undefined ? undefined : icon(iconName),
    label,
  );
}

/** A button that is an icon; its label is spoken and shown on hover. */
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

/** True for an address that may be offered at all: the web only. */
export function isWebAddress(href: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(href);
}

/** What works as a link but asks the host: a real `href` would be followed by the window around the page. */
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
