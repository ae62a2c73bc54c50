import { isWebAddress, quietLink } from './controls.js';
import type { DrawContext } from './resultContext.js';

/** Returns a link if the text is a web address or a `file:` address, otherwise the text itself. */
export function valueText(text: string, { id, send }: Pick<DrawContext, 'id' | 'send'>): Node | string {
  return isWebAddress(text) || /^file:\/\/\/\S/.test(text)
    ? quietLink(text, text, () => send({ type: 'openLink', id, href: text }))
    : text;
}
