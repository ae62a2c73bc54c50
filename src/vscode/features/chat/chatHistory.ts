import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import type { PastTurn, Round } from '../../../core/chat/conversation.js';
import { readRounds, storedRounds } from '../../../core/chat/conversation.js';

/**
 * Limits of the history that a model receives: the number of earlier messages with their answers, and the number of
 * characters of a message, or of an answer without stored rounds.
 */
const maxTurns = 50;
const maxTurnLength = 8_000;

/** The data that VS Code stores with an answer of the participant. */
interface Stored {
  offersTools: true;
  rounds: Round[];
  /** The text that the model received instead of the user's message. */
  request?: string;
}

/**
 * The data of an answer that VS Code stores with the chat. It contains the calls, which VS Code's chat history lacks.
 */
export function storedAnswer(rounds: readonly Round[], request?: string): Stored {
  return {
    offersTools: true,
    rounds: storedRounds(rounds),
    ...(request === undefined ? {} : { request: request.slice(0, maxTurnLength) }),
  };
}

/** The earlier messages to the participant and its answers, with the calls of its models. */
export function pastTurns({ history }: vscode.ChatContext): PastTurn[] {
  const turns: PastTurn[] = [];
  let request = '';
  for (const turn of history) {
    if (turn instanceof vscode.ChatRequestTurn) {
      const command = turn.command === undefined ? '' : `/${turn.command} `;
      request = `${command}${turn.prompt}`.slice(0, maxTurnLength);
    } else if (turn instanceof vscode.ChatResponseTurn) {
      const metadata: unknown = turn.result.metadata;
      const stored = isObject(metadata) ? metadata : {};
      const sent = stored['request'];
      turns.push({
        request: typeof sent === 'string' ? sent : request,
        rounds: readRounds(stored['rounds']) ?? [{ text: shownText(turn), calls: [] }],
      });
    }
  }
  return turns.slice(-maxTurns);
}

function shownText({ response }: vscode.ChatResponseTurn): string {
  return response
    .flatMap((part) => (part instanceof vscode.ChatResponseMarkdownPart ? [part.value.value] : []))
    .join('')
    .slice(0, maxTurnLength);
}
