import { visibleText } from '../base/hostileText.js';
import type { Localize } from './localize.js';

/**
 * A text of a server as it may stand in the input of the chat. There a text that begins with `/` or `@` is a command, which
 * would be the user's own when it is sent: a line of ours before it takes that away. Hidden characters are written out.
 * @param from whose text it is, in our words.
 */
export function chatInput(text: string, from: string, t: Localize): string {
  const shown = visibleText(text, text.length);
  return /^[^\p{L}\p{N}]*[/@#]/u.test(shown) ? `${t('From {0}:', from)}\n${shown}` : shown;
}
