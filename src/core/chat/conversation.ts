/**
 * A conversation with a model as data: earlier messages, the request, and the rounds of calls of the current answer.
 */
import { isObject } from '../base/guards.js';
import type { ModelImage, ModelMessage, ModelText } from './chatModel.js';

/** A call with the answer that the model received. */
export interface RoundCall {
  id: string;
  name: string;
  input: unknown;
  result: readonly (ModelText | ModelImage)[];
}

/** One answer of a model: its text, and the calls that ran before the next answer. */
export interface Round {
  text: string;
  calls: readonly RoundCall[];
}

/** An earlier message to the participant, with its answer. */
export interface PastTurn {
  request: string;
  rounds: readonly Round[];
}

export interface Conversation {
  instructions: string;
  /** The earlier messages, oldest first. */
  past: readonly PastTurn[];
  /** The message of the user, with what they attached. */
  request: readonly (ModelText | ModelImage)[];
  /** The rounds of the current answer. */
  rounds: readonly Round[];
}

/** Maximum length of one stored text or result, in characters. */
const maxStoredText = 6_000;
/** Maximum length of all stored texts and results of an answer together, in characters. */
const maxStored = 60_000;
/** Maximum length of the stored arguments of one call, in characters of JSON. */
const maxStoredInput = 4_000;

/** Replaces arguments that are too long to be stored or sent again. */
export const omittedInput = { note: 'These arguments were left out, because they are long.' };

/** Follows the beginning of a result that was cut. */
export const shortenedNote = '\n[Shortened to fit the limit of the model. Call the tool again if you need the rest.]';

/** The messages of the next request to the model, in order. */
export function messagesOf({ instructions, past, request, rounds }: Conversation): ModelMessage[] {
  const textMessage = (role: ModelMessage['role'], text: string): ModelMessage => ({
    role,
    parts: [{ kind: 'text', text }],
  });
  return [
    textMessage('user', instructions),
    ...past.flatMap((turn) => [textMessage('user', turn.request), ...turn.rounds.flatMap(messagesOfRound)]),
    { role: 'user', parts: request },
    ...rounds.flatMap(messagesOfRound),
  ];
}

function messagesOfRound({ text, calls }: Round): ModelMessage[] {
  const said: ModelMessage = {
    role: 'assistant',
    parts: [
      ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
      ...calls.map(({ id, name, input }) => ({ kind: 'call' as const, id, name, input })),
    ],
  };
  if (said.parts.length === 0) return [];
  if (calls.length === 0) return [said];
  return [said, { role: 'user', parts: calls.map(({ id, result }) => ({ kind: 'result', id, parts: result })) }];
}

/** The rounds of an answer as JSON that VS Code stores with the chat, bounded and without images. */
export function storedRounds(rounds: readonly Round[]): Round[] {
  let left = maxStored;
  const cut = (text: string): string => {
    const end = Math.min(maxStoredText, left);
    left -= Math.min(end, text.length);
    return text.length <= end ? text : text.slice(0, end) + shortenedNote;
  };
  // The latest round is the answer, so it is stored first.
  return [...rounds]
    .reverse()
    .map(({ text, calls }) => ({
      text: cut(text),
      calls: calls.map(({ id, name, input, result }) => ({
        id,
        name,
        input: JSON.stringify(input)?.length > maxStoredInput ? omittedInput : input,
        result: [{ kind: 'text' as const, text: cut(partsText(result)) }],
      })),
    }))
    .reverse();
}

/** The text of a result, with a note for each image. */
export function partsText(result: RoundCall['result']): string {
  return result.map((part) => (part.kind === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** Reads rounds that were stored. VS Code and other programs can change the file, so each part is checked. */
export function readRounds(stored: unknown): Round[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const rounds = stored.map((round: unknown): Round | undefined => {
    if (!isObject(round) || typeof round['text'] !== 'string' || !Array.isArray(round['calls'])) return undefined;
    const calls = round['calls'].map(readCall);
    return calls.every((call) => call !== undefined) ? { text: round['text'], calls } : undefined;
  });
  return rounds.every((round) => round !== undefined) ? rounds : undefined;
}

function readCall(call: unknown): RoundCall | undefined {
  if (!isObject(call)) return undefined;
  const { id, name, input, result } = call;
  if (typeof id !== 'string' || typeof name !== 'string' || !Array.isArray(result)) return undefined;
  const texts = result.flatMap((part: unknown) =>
    isObject(part) && typeof part['text'] === 'string' ? [{ kind: 'text' as const, text: part['text'] }] : [],
  );
  return { id, name, input: isObject(input) ? input : {}, result: texts };
}
