import { visibleLine, visibleText } from '../base/hostileText.js';
import type { CallQuestion } from '../consent/toolConsent.js';
import type { Caller } from '../consent/rule.js';
import { hiddenIn, hiddenInTool, hiddenWords } from './hiddenText.js';
import { toolClaims } from './itemTooltips.js';
import { jsonPieces } from './jsonText.js';
import type { Localize } from './localize.js';

/** The question before a tool is called. */
export interface CallQuestionText {
  message: string;
  detail: string;
  /** The dialog has not all of the arguments; `callDocument` has. */
  isCut: boolean;
}

/** What a dialog can show without a scrollbar. */
const maxDetailLength = 1_500;

/** Our name for the server, the tool, who wants it, and the arguments in full (security requirement C7). */
export function callQuestion({ server, tool, arguments: values, caller, rule, isAfterLoss }: CallQuestion, t: Localize): CallQuestionText {
  const exact = [...jsonPieces(values)].join('');
  const text = visibleText(exact, exact.length);
  const isCut = text.length > maxDetailLength;
  const claims = toolClaims(tool, t);
  const hidden = hiddenIn(values);
  const ofTool = hiddenInTool(tool);
  const parts = [
    ...(hidden > 0 ? [hiddenText(hidden, t('Its arguments hold'), t)] : []),
    ...(ofTool > 0 ? [hiddenText(ofTool, t('What the server says of the tool holds'), t)] : []),
    callerText(caller, t),
    ...(isAfterLoss ? [t('What you approved before could not be read any more, so you are asked again.')] : []),
    ...(rule === undefined ? [] : [t('This rule asks: {0}', rule)]),
    claims.length > 0 ? t('The server says that it: {0}. Nobody has checked that.', claims.join(', ')) : t('The server does not say what it may change.'),
    isCut ? `${t('Arguments, the first {0} of {1} characters:', maxDetailLength, text.length)}\n${text.slice(0, maxDetailLength)}…` : `${t('Arguments:')}\n${text}`,
  ];
  return { message: t('Call the tool "{0}" of the server "{1}"?', visibleLine(tool.name, 120), visibleLine(server, 80)), detail: parts.join('\n\n'), isCut };
}

/** Everything that the question is about, without any limit but that of the message itself. */
export function callDocument(question: CallQuestion, t: Localize): string {
  const exact = [...jsonPieces(question.arguments)].join('');
  const { message } = callQuestion(question, t);
  return `${message}\n${callerText(question.caller, t)}\n\n${visibleText(exact, exact.length)}\n`;
}

export function callerText(caller: Caller, t: Localize): string {
  switch (caller) {
    case 'user':
      return t('You run it yourself.');
    case 'model':
      return t('The language model wants to run it.');
    case 'app':
      return t('A page of the server wants to run it.');
    case 'task':
      return t('A task wants to run it.');
    case 'script':
      return t('A keybinding or another extension wants to run it.');
  }
}

function hiddenText(count: number, where: string, t: Localize): string {
  return t('{0} {1}, written as \\u{…} here.', where, hiddenWords(count, t));
}
