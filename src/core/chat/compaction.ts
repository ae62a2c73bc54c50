/**
 * Fits a conversation into the limit of a model. The oldest parts are shortened first: the results of earlier messages,
 * then those of earlier rounds. After that, earlier messages are left out, then earlier rounds. The request itself and
 * the calls of the last round are always kept, but the results of the last round are cut if necessary.
 */
import { isObject } from '../base/guards.js';
import type { ModelImage, ModelText } from './chatModel.js';
import type { Conversation, PastTurn, Round, RoundCall } from './conversation.js';
import { omittedInput, shortenedNote, partsText } from './conversation.js';

/** Length of a shortened result, in characters. */
const shortLength = 400;

/** Maximum length of arguments that are not shortened, in characters of JSON. */
const shortInputLength = 1_000;

/** Estimated size of an image, and of the fields that surround the text of each message or call, in tokens. */
const imageTokens = 1_600;
const frameTokens = 8;

/** Size of the note about omitted messages, in tokens. */
const noteTokens = 40;

export const leftOutNote = 'Earlier messages of this conversation were left out, because they do not fit.';

export interface TokenCount {
  /** Size of a text in tokens. */
  countTokens(text: string): Promise<number>;
}

/**
 * The conversation, shortened if it is larger than the budget. If the request alone is larger than the budget, the
 * conversation is returned without earlier messages.
 * @param budget maximum size in tokens.
 * @param known the sizes of texts that were counted before; new ones are added.
 */
export async function compacted(
  conversation: Conversation,
  budget: number,
  model: TokenCount,
  known = new Map<string, number>(),
): Promise<Conversation> {
  // No tokenizer makes more tokens than bytes, so most conversations need no count.
  const texts = textsOf(conversation);
  const images = conversation.rounds.flatMap(({ calls }) => calls).flatMap(({ result }) => result.filter(isImage));
  const frames =
    frameTokens * (texts.length + 2) + imageTokens * (images.length + conversation.request.filter(isImage).length);
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), frames) <= budget) return conversation;
  await Promise.all(
    texts.map(async (text) => {
      if (!known.has(text)) known.set(text, await model.countTokens(text).catch(() => Buffer.byteLength(text) / 3));
    }),
  );
  return new Compaction(known).fit(conversation, budget);
}

class Compaction {
  private over = 0;

  constructor(private readonly tokens: Map<string, number>) {}

  fit({ instructions, past, request, rounds }: Conversation, budget: number): Conversation {
    this.over =
      this.sizeOf(instructions) +
      this.sizeOfParts(request) +
      sum(past, (turn) => this.sizeOfTurn(turn)) +
      sum(rounds, (round) => this.sizeOfRound(round)) -
      budget;
    if (this.over <= 0) return { instructions, past, request, rounds };
    const earlier = past.map((turn) => ({ ...turn, rounds: turn.rounds.map((round) => this.shortened(round)) }));
    const current = [...rounds.slice(0, -1).map((round) => this.shortened(round)), ...rounds.slice(-1)];
    const isLeftOut = this.over > 0 && past.length > 0;
    if (isLeftOut) this.over += noteTokens;
    while (this.over > 0 && earlier[0]) this.over -= this.sizeOfTurn(earlier.shift() as PastTurn);
    while (this.over > 0 && current.length > 1) this.over -= this.sizeOfRound(current.shift() as Round);
    const [last] = current.slice(-1);
    if (last) current.splice(-1, 1, this.cut(last));
    return {
      instructions: isLeftOut ? `${instructions}\n${leftOutNote}` : instructions,
      past: earlier,
      request,
      rounds: current,
    };
  }

  /** The round with short results and arguments, as long as the conversation is too large. */
  private shortened({ text, calls }: Round): Round {
    return { text, calls: calls.map((call) => (this.over > 0 ? this.shorter(call, shortLength) : call)) };
  }

  /** The last round. If the conversation is still too large, all results of the round are cut by the same share. */
  private cut({ text, calls }: Round): Round {
    if (this.over <= 0) return { text, calls };
    const size = sum(calls, ({ result }) => this.sizeOfParts(result));
    const share = Math.max(0, 1 - (this.over + frameTokens * calls.length) / Math.max(1, size));
    return {
      text,
      calls: calls.map((call) =>
        this.shorter(call, Math.max(shortLength, Math.floor(share * partsText(call.result).length))),
      ),
    };
  }

  private shorter(call: RoundCall, length: number): RoundCall {
    const before = this.sizeOfCall(call);
    const text = partsText(call.result);
    const input = (JSON.stringify(call.input) ?? '').length > shortInputLength ? omittedInput : call.input;
    const isCut = text.length > length + shortenedNote.length;
    const short = isCut ? `${text.slice(0, length)}${shortenedNote}` : text;
    if (isCut) this.tokens.set(short, Math.ceil((this.sizeOfParts(call.result) * length) / text.length) + 25);
    const shorter: RoundCall = { ...call, input, result: [{ kind: 'text', text: short }] };
    this.over -= before - this.sizeOfCall(shorter);
    return shorter;
  }

  private sizeOf(text: string): number {
    return frameTokens + (this.tokens.get(text) ?? Math.ceil(Buffer.byteLength(text) / 3));
  }

  private sizeOfParts(parts: readonly (ModelText | ModelImage)[]): number {
    return sum(parts, (part) => (part.kind === 'image' ? imageTokens : this.sizeOf(part.text)));
  }

  private sizeOfCall({ input, result }: RoundCall): number {
    return this.sizeOf(inputText(input)) + this.sizeOfParts(result);
  }

  private sizeOfRound({ text, calls }: Round): number {
    return this.sizeOf(text) + sum(calls, (call) => this.sizeOfCall(call));
  }

  private sizeOfTurn({ request, rounds }: PastTurn): number {
    return this.sizeOf(request) + sum(rounds, (round) => this.sizeOfRound(round));
  }
}

function textsOf({ instructions, past, request, rounds }: Conversation): string[] {
  const ofParts = (parts: readonly (ModelText | ModelImage)[]) =>
    parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const ofRounds = (list: readonly Round[]) =>
    list.flatMap(({ text, calls }) => [
      text,
      ...calls.flatMap(({ input, result }) => [inputText(input), ...ofParts(result)]),
    ]);
  return [
    instructions,
    ...past.flatMap((turn) => [turn.request, ...ofRounds(turn.rounds)]),
    ...ofParts(request),
    ...ofRounds(rounds),
  ];
}

function inputText(input: unknown): string {
  return isObject(input) ? JSON.stringify(input) : String(input);
}

function isImage(part: ModelText | ModelImage): boolean {
  return part.kind === 'image';
}

function sum<T>(list: readonly T[], sizeOf: (item: T) => number): number {
  return list.reduce((total, item) => total + sizeOf(item), 0);
}
