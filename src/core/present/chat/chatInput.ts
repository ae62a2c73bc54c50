import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';

/**
 * Prepares server text for the input of the chat. There, a text that starts with `/` or `@` is a command, which would
 * count as the user's own when it is sent, so a line of our own is put before it. Hidden characters are made visible.
 * @param from the origin of the text, in our words.
 */
export function chatInput(text: string, from: string): string {
  const shown = visibleText(text, text.length);
  return /^[^\p{L}\p{N}]*[/@#]/u.test(shown) ? `${t('From {0}:', from)}\n${shown}` : shown;
}

/**
 * Prepares a skill for the input of the chat: below a line with our name for its server, so that neither the user nor
 * the model takes it for the user's own text or for a local skill. Hidden characters are made visible.
 */
export function skillChatText(
  { server, uri, name }: { server: string; uri: string; name: string },
  text: string,
): string {
  const from = t(
    'The skill "{0}" of the MCP server "{1}" ({2}):',
    visibleLine(name, 80),
    visibleLine(server, 80),
    visibleLine(uri, 200),
  );
  return `${from}\n\n${visibleText(text, text.length)}`;
}
