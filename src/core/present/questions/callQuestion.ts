import { t } from '@vscode/l10n';
import { visibleText } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import type { Tool } from '../../protocol/mcp.js';
import type { CallQuestion } from '../../consent/callConsent.js';
import { answerScope, callerText, toolClaims } from '../text/callText.js';
import { hiddenIn, hiddenInTool, hiddenWords } from '../text/hiddenText.js';
import { codeBlock, escapeParagraphs } from '../text/markdown.js';
import { jsonPieces } from '../text/jsonPieces.js';
import { dialogPart, firstSentence } from '../text/lines.js';

/** The question before a tool is called. */
export interface CallQuestionText {
  message: string;
  detail: string;
  /** Whether the dialog does not show all arguments. If so, `callDocument` shows them. */
  isCut: boolean;
}

/** Maximum length, in characters, that a dialog can show without a scrollbar. */
const maxDetailLength = 1_500;

/**
 * The question as a confirmation of VS Code. `title` and `progress`, the text during the call, are plain texts that are
 * safe as Markdown; `message` is Markdown and contains all arguments.
 */
export function callConfirmation(question: Pick<CallQuestion, 'server' | 'tool' | 'arguments'>): {
  title: string;
  message: string;
  progress: string;
} {
  const { server, tool, arguments: values } = question;
  const hidden = hiddenIn(values);
  const claims = toolClaims(tool);
  const says = firstSentence(tool.description, 300);
  const parts = [
    ...(hidden > 0 ? [t('The arguments contain {0}, shown as \\u{…}.', hiddenWords(hidden))] : []),
    ...hiddenOfTool(tool),
    claimsText(claims),
    ...(says === undefined ? [] : [t("The server's description of the tool: “{0}”", says)]),
    t(
      'If you choose to always allow this in VS Code, all tools of your servers can run without asking you, unless a rule of MCP Deck requires a question or denies the call.',
    ),
  ];
  return {
    title: t('Call the tool "{0}" of the server "{1}"?', plainName(tool.name), plainName(server)),
    progress: t('Calling a tool of the server "{0}"', plainName(server)),
    message: `${codeBlock(callArgumentsText(values), 'json')}\n\n${parts.map((part) => escapeParagraphs(part)).join('\n\n')}`,
  };
}

/** A name without characters that Markdown could read as links, emphasis or code. VS Code also links plain URLs. */
function plainName(name: string): string {
  return visibleName(name, 80)
    .replace(/[`*[\]()<>#!|~\\&@]|:?\/\/|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '?')
    .replace(/(?<=\bwww)\./gi, '?');
}

/**
 * The question (security requirement C7). It contains the configured name of the server, the tool, the caller unless a
 * command or a chat message made the call, and the arguments, or their beginning if `isCut` is true.
 */
export function callQuestion({
  server,
  tool,
  arguments: values,
  caller,
  client,
  asksAtOnce,
  rule,
  isAfterLoss,
}: CallQuestion): CallQuestionText {
  const text = callArgumentsText(values);
  const shown = dialogPart(text, maxDetailLength);
  const isCut = shown.length < text.length;
  const claims = toolClaims(tool);
  const says = firstSentence(tool.description, 300);
  const hidden = hiddenIn(values);
  // The facts of this call come first, then the reason why the question is shown, then the effect of the answers.
  const parts = [
    ...(hidden > 0 ? [t('The arguments contain {0}, shown as \\u{…}.', hiddenWords(hidden))] : []),
    ...hiddenOfTool(tool),
    ...(asksAtOnce ? [] : [callerText(caller, client)]),
    claimsText(claims),
    isCut
      ? `${t('Arguments, the first {0} of {1} characters:', shown.length, text.length)}\n${shown}…`
      : text === '{}'
        ? t('No arguments.')
        : `${t('Arguments:')}\n${text}`,
    ...(says === undefined ? [] : [t("The server's description of the tool: “{0}”", says)]),
    ...(rule === undefined ? [] : [t('Rule: {0}', rule)]),
    // A rule explains the question, so the other reason is left out.
    ...(asksAtOnce && rule === undefined
      ? [
          asksAtOnce === 'chat'
            ? t('MCP Deck asks because another extension can send a message to the chat in your name.')
            : t('MCP Deck asks because not only you, but also a task or another extension can run this command.'),
        ]
      : []),
    ...(isAfterLoss ? [t('Your earlier approvals were lost, so MCP Deck asks again.')] : []),
    t(
      '"Allow for Session" and "Always…": {0}.',
      asksAtOnce === 'chat' ? t('Only for "/run" in the chat and calls by commands') : answerScope(caller, client),
    ),
  ];
  return {
    message: t('Call the tool "{0}" of the server "{1}"?', visibleName(tool.name), visibleName(server, 80)),
    detail: parts.join('\n\n'),
    isCut,
  };
}

function claimsText(claims: readonly string[]): string {
  return claims.length > 0
    ? t("The server's annotations of the tool, which are not verified: {0}.", claims.join(', '))
    : t('The server does not specify what the tool can change.');
}

/**
 * The warning about hidden characters in a tool's definition, which is shown before all other text; empty if there are
 * none.
 */
export function hiddenOfTool(tool: Tool): string[] {
  const count = hiddenInTool(tool);
  return count === 0
    ? []
    : [
        t(
          "The server's description of the tool contains {0}. A language model might read hidden characters as instructions.",
          hiddenWords(count),
        ),
      ];
}

/** The question with its caller and all arguments. Only the size of the request itself limits its length. */
export function callDocument(question: CallQuestion): string {
  const { message } = callQuestion(question);
  return `${message}\n${callerText(question.caller, question.client)}\n\n${callArgumentsText(question.arguments)}\n`;
}

/**
 * The exact JSON, except that runs of spaces inside strings are shown as dots, and long runs as their length.
 * Otherwise, many spaces could move the following arguments out of view.
 */
export function callArgumentsText(values: unknown): string {
  const exact = [...jsonPieces(values)].join('');
  const text = visibleText(exact, exact.length);
  return text.replace(/(?<=\S)[^\S\n]{3,}/gu, (run) =>
    run.length <= 8 ? '·'.repeat(run.length) : t('⟨{0} spaces⟩', run.length),
  );
}
