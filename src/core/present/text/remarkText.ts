import { t } from '@vscode/l10n';
import type { Remark } from '../../base/remark.js';

/** A remark about a server, for the user. */
export interface RemarkText {
  /** The observation in one or two sentences, with the server's own text. */
  what: string;
  /** States what to do, in one or two sentences. */
  next: string;
  /** A short form, for the server's line in the tree. */
  short: string;
}

/** The sentences about a remark: the finding, the next step, and a short form for the tree. */
export function remarkText({ kind, quote }: Remark): RemarkText {
  const words = quote ?? '';
  switch (kind) {
    case 'stderr':
      return {
        what: t('The last line of the error output is: "{0}".', words),
        next: t(
          'For details, see the log of the server. If the server only needs more time, increase its timeout in the configuration.',
        ),
        short: words,
      };
    case 'stray-output':
      return {
        what: t('The server writes text that is not MCP to its standard output. The first line is: "{0}".', words),
        next: t('Check that the command starts an MCP server over stdio. Other text belongs on standard error.'),
        short: t('writes text that is not MCP: {0}', words),
      };
    case 'login':
      return {
        what: t('The server seems to wait for a sign-in or credentials: "{0}".', words),
        next: t(
          'Run the program of the server in a terminal to sign in, or provide the credentials that its output mentions. Then restart the server.',
        ),
        short: words,
      };
    case 'prompt':
      return {
        what: t('The server asks a question that cannot be answered here: "{0}".', words),
        next: t(
          'Answer the question once in a terminal, or add the argument that answers it, such as "-y" for npx. Then restart the server.',
        ),
        short: t('asks: {0}', words),
      };
    case 'not-json':
      return {
        what: t('The server sends text that is not JSON: "{0}".', words),
        next: faultOf(),
        short: t('sends text that is not JSON'),
      };
    case 'mixed-line':
      return {
        what: t('The server writes other text on the line of a message, so the message cannot be read: "{0}".', words),
        next: faultOf(),
        short: t('writes other text on the line of a message'),
      };
    case 'split-json':
      return {
        what: t('The server writes its JSON over several lines, but MCP requires one line for each message.'),
        next: faultOf(),
        short: t('writes its JSON over several lines'),
      };
    case 'encoding':
      return {
        what: t('The server writes text that is not UTF-8, which MCP requires.'),
        next: t('Set the output of the server to UTF-8. The log shows the output.'),
        short: t('writes text that is not UTF-8'),
      };
    case 'not-json-rpc':
      return {
        what: t('The server sends JSON that is not a JSON-RPC 2.0 message: {0}.', words),
        next: faultOf(),
        short: t('sends JSON that is not JSON-RPC 2.0'),
      };
    case 'answer-id':
      return {
        what: t('The server answers with an ID that matches no open request, or that has another type: {0}.', words),
        next: faultOf(),
        short: t('answers with an unexpected ID'),
      };
    case 'no-endpoint':
      return {
        what:
          quote === undefined
            ? t('The server opened an event stream but sent no "endpoint" event.')
            : t(
                'The server opened an event stream, but its "endpoint" event is missing or cannot be used: {0}.',
                quote,
              ),
        next: t('Check that this is the URL of an HTTP+SSE server. For Streamable HTTP, use the type "http".'),
        short: t('sent no usable "endpoint" event'),
      };
    case 'accepted':
      return {
        what: t('The server accepted the request with HTTP status 202 but did not respond to it.'),
        next: t('This is a fault in the server. MCP requires the result in the response to the request.'),
        short: t('accepted the request but did not respond'),
      };
  }
}

function faultOf(): string {
  return t(
    'This is a fault in the server. Update the server, or report the fault to its author. The log shows what the server sent.',
  );
}
