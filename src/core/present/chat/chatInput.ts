import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';

/**
 * A text of a server as it may stand in the input of the chat. There a text that begins with `/` or `@` is a command, which
 * would be the user's own when it is sent: a line of ours before it takes that away. Hidden characters are written out.
 * @param from whose text it is, in our words.
 */
export function chatInput(text: string, from: string): string {
  const shown = visibleText(text, text.length);
  return /^[^\p{L}\p{N}]*[/@#]/u.test(shown) ? `${t('From {0}:', from)}\n${shown}` : shown;
}

/**
 * A skill as it may stand in the input of the chat: under a line that says which server it is from, by our name for it, so
 * that neither reader takes it for the user's own words or for a skill of this machine. Hidden characters are written out.
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
