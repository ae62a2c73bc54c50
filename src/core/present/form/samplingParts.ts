/** The parts of sampling requests and answers. Texts of servers and models are escaped and bounded. */
import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import { jsonText } from '../../base/jsonText.js';
import type { CreateMessageRequest, CreateMessageResult, SamplingContent } from '../../protocol/mcp.js';
import type { SamplingPart } from '../../../shared/panel/samplingPage.js';
import { hiddenIn, hiddenWords } from '../text/hiddenText.js';

type Part = Omit<SamplingPart, 'index'>;

/** Maximum length of a text that can be edited, in UTF-16 code units. Longer texts are cut and cannot be edited. */
const maxEditableLength = 200_000;

/** Maximum total length of the parts that cannot be edited, such as tools, in UTF-16 code units. */
const maxFixedLength = 1_000_000;
/** Minimum number of characters that are shown of each part that cannot be edited. */
const minFixedLength = 500;

/** Maximum depth of JSON that is shown indented. JSON that is nested deeper is shown on one line. */
const maxIndentedDepth = 64;

/** The system prompt, each block of each message, each tool, then the other fields that have a value. */
export function requestParts(request: CreateMessageRequest): Part[] {
  const { systemPrompt, messages } = request;
  return [
    ...(systemPrompt === undefined ? [] : [textPart('system', t('System prompt'), undefined, systemPrompt)]),
    ...messages.flatMap(({ role, content }, index) =>
      blocksOf(content).map((block) => blockPart(role, t('message {0}', index + 1), block)),
    ),
    ...fixedParts(request),
  ];
}

/** The blocks of an answer. */
export function answerParts({ content }: CreateMessageResult): Part[] {
  return blocksOf(content).map((block) => blockPart('assistant', undefined, block));
}

/** The content as a list. The protocol allows one block, or a list of blocks. */
export function blocksOf(content: SamplingContent | SamplingContent[]): SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

/** The parts that the user cannot edit. They are sent unchanged or removed. */
function fixedParts({ tools = [], toolChoice, stopSequences, metadata }: CreateMessageRequest): Part[] {
  const values: [label: string, value: unknown][] = [
    ...tools.map(({ name, description, inputSchema }, index): [string, unknown] => [
      t('Tool {0}: {1}', index + 1, visibleLine(name, 80)),
      { name, description, inputSchema },
    ]),
    ...(toolChoice === undefined ? [] : [[t('Choice of tools'), toolChoice] as [string, unknown]]),
    ...(stopSequences === undefined ? [] : [[t('Stop sequences'), stopSequences] as [string, unknown]]),
    ...(metadata === undefined ? [] : [[t('Metadata'), metadata] as [string, unknown]]),
  ];
  let left = maxFixedLength;
  return values.map(([label, value]) => {
    const json = indentedJson(value);
    const length = Math.min(maxEditableLength, Math.max(left, minFixedLength));
    left -= Math.min(json.length, length);
    return {
      kind: 'fixed',
      label,
      ...(json.length > length ? { hint: t('shown in part') } : {}),
      ...warningOf(value),
      text: visibleText(json, length),
      isEditable: false,
    };
  });
}

const roleLabels = { user: () => t('User'), assistant: () => t('Assistant') };

function blockPart(role: 'user' | 'assistant', place: string | undefined, block: SamplingContent): Part {
  const label = roleLabels[role]();
  if (block.type === 'text' && typeof block['text'] === 'string') return textPart(role, label, place, block['text']);
  const type = visibleLine(block.type, 40);
  const part = { kind: role, label, isEditable: false } as const;
  const { data, ...others } = block;
  if ((block.type === 'image' || block.type === 'audio') && typeof data === 'string') {
    const mime = typeof block['mimeType'] === 'string' ? visibleLine(block['mimeType'], 60) : '';
    return {
      ...part,
      hint: hintOf(place, type),
      ...warningOf(others),
      text: [mime, t('{0} kB', Math.ceil((data.length * 3) / 4_000))].filter((words) => words !== '').join(', '),
    };
  }
  return {
    ...part,
    hint: hintOf(place, type),
    ...warningOf(block),
    text: visibleText(indentedJson(block), maxEditableLength),
  };
}

function textPart(kind: 'system' | 'user' | 'assistant', label: string, place: string | undefined, text: string): Part {
  const isEditable = text.length <= maxEditableLength;
  const hint = hintOf(place, isEditable ? undefined : t('too long to be edited'));
  return {
    kind,
    label,
    ...(hint === '' ? {} : { hint }),
    ...warningOf(text),
    text: visibleText(text, maxEditableLength).replace(/\r\n?/g, '\n'),
    isEditable,
  };
}

function hintOf(...words: (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join(' · ');
}

function warningOf(value: unknown): { warning?: string } {
  const hidden = hiddenIn(value);
  return hidden === 0 ? {} : { warning: hiddenWords(hidden) };
}

/** The value as JSON; indented, unless the nesting would make the text many times longer. */
function indentedJson(value: unknown): string {
  const json = jsonText(value);
  let depth = 0;
  for (const char of json) {
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > maxIndentedDepth) return json;
  }
  return jsonText(value, 2);
}
