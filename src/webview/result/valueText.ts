import { isWebAddress, quietLink } from './controls.js';
import type { DrawContext } from './resultContext.js';

/** Text that is a web address becomes a link. */
export function valueText(text: string, { id, send }: Pick<DrawContext, 'id' | 'send'>): Node | string {
  return isWebAddress(text) || /^file:\/\/\/\S/.test(text)
    ? quietLink(text, text, () => send({ type: 'openLink', id, href: text }))
    : text;
}
