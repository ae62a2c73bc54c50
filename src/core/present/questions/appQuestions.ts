/**
 * The questions before an app has an effect outside its frame. They state who requests what, and show all data that
 * would be sent.
 */
import { t } from '@vscode/l10n';
import { shownText } from '../../base/hostileText.js';
import type { Tool } from '../../protocol/mcp.js';
import { dialogPart } from '../text/lines.js';
import { callArgumentsText, hiddenOfTool } from './callQuestion.js';
import { visibleName } from '../../base/visibleName.js';
import { hiddenIn, hiddenWords } from '../text/hiddenText.js';
import { toolClaims } from '../text/callText.js';

export interface AppQuestion {
  message: string;
  detail: string;
  /**
   * All the data that would be sent, if it is too long for a dialog. In this case, `detail` does not contain the data.
   */
  document?: string;
}

/** Maximum length, in characters, that a dialog can show without hiding its buttons. */
const maxDetailLength = 2_000;

/** The question before an app calls a tool (security requirement V8). */
export function appCallQuestion(
  { server, app, tool }: { server: string; /** The tool that the app belongs to. */ app: string; tool: Tool },
  values: Record<string, unknown>,
): AppQuestion {
  const claims = toolClaims(tool);
  const hidden = hiddenIn(values);
  const facts = [
    ...(hidden > 0 ? [t('The arguments contain {0}, shown as \\u{…}.', hiddenWords(hidden))] : []),
    ...hiddenOfTool(tool),
    t('The app of "{0}" requests this call.', visibleName(app)),
    ...(claims.length > 0 ? [t('The server makes this unverified claim about the tool: {0}.', claims.join(', '))] : []),
  ];
  return withText(
    t('Run the tool "{0}" of the server "{1}"?', visibleName(tool.name), visibleName(server, 80)),
    facts,
    t('Arguments:'),
    callArgumentsText(values),
  );
}

/** The question before the text of an app is put into the chat. */
export function appMessageQuestion({ server, app }: { server: string; app: string }, text: string): AppQuestion {
  return withText(
    t('Add a message from an app of the server "{0}" to the chat?', visibleName(server, 80)),
    [
      t(
        'The app of "{0}" requests this action. The message is only put into the chat input. You send it yourself.',
        visibleName(app),
      ),
    ],
    t('Message:'),
    shownText(text, 100_000),
  );
}

/** The question before an app may provide context for the chat's model. */
export function appContextQuestion({ server, app }: { server: string; app: string }, text: string): AppQuestion {
  return withText(
    t('Allow an app of the server "{0}" to tell the language model what the app shows?', visibleName(server, 80)),
    [
      t(
        'The app of "{0}" requests this permission. Until the app is closed, MCP Deck adds the latest context of the app to each of your questions to @deck. The model is told that the context is data, not instructions.',
        visibleName(app),
      ),
    ],
    t('The context begins with:'),
    shownText(text, 100_000),
  );
}

function withText(message: string, facts: readonly string[], label: string, text: string): AppQuestion {
  if (dialogPart(text, maxDetailLength) === text)
    return { message, detail: [...facts, `${label}\n${text}`].join('\n\n') };
  return {
    message,
    detail: [...facts, t('The text is {0} characters long and is shown in the editor.', text.length)].join('\n\n'),
    document: text,
  };
}
