import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';

/**
 * Prepares server text for the input of the chat. In the chat, `/`, `@` or `#` at the start of a text has a special
 * meaning, so such a text is preceded by a line that states its origin. Hidden characters are made visible.
 * @param from the origin of the text, as MCP Deck describes it.
 */
export function chatInput(text: string, from: string): string {
  const shown = visibleText(text, text.length);
  return /^[^\p{L}\p{N}]*[/@#]/u.test(shown) ? `${t('From {0}:', from)}\n${shown}` : shown;
}

/**
 * Prepares a skill for the input of the chat. Puts a line with the configured name of the server above the skill, so
 * that neither the user nor the model mistakes the skill for text of the user or for a local skill. Hidden characters
 * are made visible.
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
