import { t } from '@vscode/l10n';
import type { Remark } from '../../base/remark.js';

/** A remark about a server, for the user. */
export interface RemarkText {
  /** What was observed, including the server's own message: one sentence that starts with "It". */
  what: string;
  /** One sentence on what to do. */
  next: string;
  /** A short form, for the server's line in the tree. */
  short: string;
}

export function remarkText({ kind, quote }: Remark): RemarkText {
  const words = quote ?? '';
  switch (kind) {
    case 'stderr':
      return {
        what: t('The last line of its error output is: "{0}".', words),
        next: t(
          'See the log of the server for details. If it only needs longer, raise its timeout in the configuration.',
        ),
        short: words,
      };
    case 'stray-output':
      return {
        what: t('It writes text that is not MCP to its standard output. The first line is: "{0}".', words),
        next: t('Check that its command starts an MCP server over stdio; other text belongs on standard error.'),
        short: t('writes text that is not MCP: {0}', words),
      };
    case 'login':
      return {
        what: t('It seems to wait for a sign-in or credentials: "{0}".', words),
        next: t(
          'Sign in with its own program in a terminal, or give it the credentials that it names, then restart it.',
        ),
        short: words,
      };
    case 'prompt':
      return {
        what: t('It asks a question that cannot be answered here: "{0}".', words),
        next: t(
          'Answer it once in a terminal, or add the argument that answers it, such as "-y" for npx, then restart it.',
        ),
        short: t('asks: {0}', words),
      };
    case 'not-json':
      return {
        what: t('It sends text that is not JSON: "{0}".', words),
        next: faultOf(),
        short: t('sends text that is not JSON'),
      };
    case 'mixed-line':
      return {
        what: t('It writes other text on the line of a message, so the message cannot be read: "{0}".', words),
        next: faultOf(),
        short: t('writes other text on the line of a message'),
      };
    case 'split-json':
      return {
        what: t('It writes its JSON over several lines; MCP requires one line for each message.'),
        next: faultOf(),
        short: t('writes its JSON over several lines'),
      };
    case 'encoding':
      return {
        what: t('It writes text that is not UTF-8, which MCP requires.'),
        next: t('Set its output to UTF-8; the log shows what it wrote.'),
        short: t('writes text that is not UTF-8'),
      };
    case 'not-json-rpc':
      return {
        what: t('It sends JSON that is not a JSON-RPC 2.0 message: {0}.', words),
        next: faultOf(),
        short: t('sends JSON that is not JSON-RPC 2.0'),
      };
    case 'answer-id':
      return {
        what: t('It answers with an ID that matches no open request, or that has another type: {0}.', words),
        next: faultOf(),
        short: t('answers with another id'),
      };
    case 'no-endpoint':
      return {
        what:
          quote === undefined
            ? t('It opened an event stream, but sent no "endpoint" event.')
            : t('It opened an event stream, but its "endpoint" event is missing or cannot be used: {0}.', quote),
        next: t('Check that this is the address of an HTTP+SSE server; Streamable HTTP has the type "http".'),
        short: t('sent no usable "endpoint" event'),
      };
    case 'accepted':
      return {
        what: t('It accepted the request with HTTP status 202, but has not answered it.'),
        next: t('This is a fault of the server: MCP requires the answer in the response to the request.'),
        short: t('accepted the request without an answer'),
      };
  }
}

function faultOf(): string {
  return t('This is a fault of the server: update it, or report it to its author. Its log has what it sent.');
}
