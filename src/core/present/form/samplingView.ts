/**
 * Converts a sampling request to parts that the user can read, edit and remove, and converts the edited parts back to a
 * request (specification: client/sampling, "User Interaction Model"). The parts show everything that a model would
 * receive. A removed part is not sent; an unchanged part is sent exactly as received.
 */
import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { copyWith } from '../../base/objectCopy.js';
import type { CreateMessageRequest, CreateMessageResult, SamplingContent } from '../../protocol/mcp.js';
import type { PartEdit, SamplingPart } from '../../../shared/panel/samplingPage.js';
import { hiddenInSampling, hiddenWords } from '../text/hiddenText.js';
import { answerParts, blocksOf, requestParts } from './samplingParts.js';

/** The name of the model in an answer that the user writes. */
const ownModel = 'human';

/** The limits of the answer, and other facts about the request that are not parts. */
export function samplingFacts(request: CreateMessageRequest): string[] {
  const { maxTokens, temperature, includeContext, modelPreferences } = request;
  const hints = isObject(modelPreferences) && Array.isArray(modelPreferences['hints']) ? modelPreferences['hints'] : [];
  const names = hints
    .flatMap((hint) => (isObject(hint) && typeof hint['name'] === 'string' ? [visibleLine(hint['name'], 60)] : []))
    .slice(0, 5);
  return [
    t('At most {0} tokens', maxTokens),
    ...(temperature === undefined ? [] : [t('Temperature {0}', temperature)]),
    ...(names.length === 0 ? [] : [t('Preferred models: {0}', names.join(', '))]),
    ...(includeContext === undefined || includeContext === 'none' ? [] : [t('Context of other servers is never sent')]),
  ];
}

/** The calls during which the request arrived, as a sentence. Undefined if there were none. */
export function samplingCause(openCalls: readonly string[]): string | undefined {
  const names = [...new Set(openCalls)].map((name) => `"${visibleLine(name, 60)}"`);
  const [only] = names;
  if (only === undefined) return undefined;
  return names.length === 1
    ? t('Requested while {0} runs', only)
    : t('Requested while these tools run: {0}', names.slice(0, 5).join(', '));
}

/** Warnings that concern the whole request. */
export function samplingWarnings(request: CreateMessageRequest): string[] {
  const hidden = hiddenInSampling(request);
  if (hidden === 0) return [];
  return [
    t(
      'Check carefully: the request contains {0}, shown as \\u{…}. They are sent in each part that you do not change.',
      hiddenWords(hidden),
    ),
  ];
}

/** The parts of a request, in the order in which `editedRequest` numbers them. */
export function samplingParts(request: CreateMessageRequest): SamplingPart[] {
  return requestParts(request).map((part, index) => ({ index, ...part }));
}

/** The parts of an answer of a model. */
export function samplingAnswerParts(result: CreateMessageResult): SamplingPart[] {
  return answerParts(result).map((part, index) => ({ index, ...part }));
}

/** The request with the user's changes; the same object if nothing was changed. `problem` states what is missing. */
export function editedRequest(
  request: CreateMessageRequest,
  edits: readonly PartEdit[],
): CreateMessageRequest | { problem: string } {
  const changes = readEdits(samplingParts(request), edits);
  if (changes.size === 0) return request;
  const { systemPrompt, tools, toolChoice, stopSequences, metadata, messages: all, ...rest } = request;
  let index = 0;
  const next = () => changes.get(index++);
  const system = systemPrompt === undefined ? undefined : changed(systemPrompt, next(), (text) => text);
  const messages = all.flatMap((message) => {
    const content = edited(message.content, next);
    return content === undefined ? [] : [copyWith(message, { content })];
  });
  if (messages.length === 0)
    return { problem: t('All messages were removed. Restore at least one to send the request.') };
  const isKept = () => next() === undefined;
  const keptTools = tools?.filter(isKept);
  const fields = Object.entries({ toolChoice, stopSequences, metadata });
  return {
    ...rest,
    ...(keptTools && (keptTools.length > 0 || tools?.length === 0) ? { tools: keptTools } : {}),
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined && isKept())),
    ...(system === undefined ? {} : { systemPrompt: system }),
    messages,
  };
}

/** The answer of a model with the user's changes. `problem` states what is missing. */
export function editedAnswer(
  result: CreateMessageResult,
  edits: readonly PartEdit[],
): CreateMessageResult | { problem: string } {
  const changes = readEdits(samplingAnswerParts(result), edits);
  let index = 0;
  const content = edited(result.content, () => changes.get(index++));
  if (content === undefined || blocksOf(content).every(isBlank))
    return { problem: t('The answer is empty. Write an answer, or decline the request.') };
  return changes.size === 0 ? result : { ...result, content };
}

/** The user's own answer. */
export function ownAnswer(text: string): CreateMessageResult | { problem: string } {
  const empty = {
    role: 'assistant',
    content: { type: 'text', text: '' },
    model: ownModel,
    stopReason: 'endTurn',
  } as const;
  return editedAnswer(empty, [{ index: 0, text }]);
}

/** A new text, or `removed`. */
type Change = { text: string } | 'removed';

/** The changes by part. Texts that equal the shown text, and texts of parts that cannot be edited, are ignored. */
function readEdits(parts: readonly SamplingPart[], edits: readonly PartEdit[]): Map<number, Change> {
  const changes = new Map<number, Change>();
  for (const { index, text, isRemoved } of edits) {
    const part = parts[index];
    if (!part) continue;
    changes.delete(index);
    if (isRemoved) changes.set(index, 'removed');
    else if (text !== undefined && part.isEditable && text !== part.text) changes.set(index, { text });
  }
  return changes;
}

function changed<T>(original: T, change: Change | undefined, withText: (text: string) => T): T | undefined {
  if (change === undefined) return original;
  return change === 'removed' ? undefined : withText(change.text);
}

/** The content with the changes of its blocks; undefined when no block is left. */
function edited(
  content: SamplingContent | SamplingContent[],
  next: () => Change | undefined,
): SamplingContent | SamplingContent[] | undefined {
  const kept = blocksOf(content).flatMap((block) => changed(block, next(), (text) => copyWith(block, { text })) ?? []);
  // A list that was already empty remains an empty list, so that an unchanged message is sent as received.
  if (kept.length === 0 && !(Array.isArray(content) && content.length === 0)) return undefined;
  return Array.isArray(content) ? kept : kept[0];
}

function isBlank(block: SamplingContent): boolean {
  return block.type === 'text' && (typeof block['text'] !== 'string' || block['text'].trim() === '');
}
