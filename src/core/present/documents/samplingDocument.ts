/**
 * Converts a sampling request to a text that the user can read, edit and approve, and back (specification:
 * client/sampling, "User Interaction Model"). Each part has a marker line that no server can forge, because it contains
 * a random mark created for this request. A part that the user removed is not sent; an unchanged part is sent exactly
 * as received.
 */
import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import { jsonText } from '../../base/jsonText.js';
import type { CreateMessageRequest, CreateMessageResult, SamplingContent } from '../../protocol/mcp.js';
import { hiddenIn, hiddenWords } from '../text/hiddenText.js';
import { hiddenInSampling } from '../tree/requestNodes.js';

/** Longer texts are cut and cannot be edited. UTF-16 code units. */
const maxEditableLength = 200_000;

/** Tools and other parts that cannot be edited are shown up to this length together. UTF-16 units. */
const maxFixedLength = 1_000_000;
/** What a part that cannot be edited shows at least, when the others used up that length. */
const minFixedLength = 500;

/** JSON that is nested deeper is shown on one line. */
const maxIndentedDepth = 64;

/** One editable part. `index` is its position in the document, starting at 1. */
interface Part {
  label: string;
  text: string;
  isEditable: boolean;
}

/** The request as a document. `mark`: a few letters and digits that the server cannot know. */
export function writeRequest(request: CreateMessageRequest, serverName: string, mark: string): string {
  const facts = [
    t('at most {0} tokens', request.maxTokens),
    ...(request.temperature === undefined ? [] : [t('temperature {0}', request.temperature)]),
    ...(request.tools && request.tools.length > 0
      ? [t('can call {0}', request.tools.map(({ name }) => visibleLine(name, 60)).join(', '))]
      : []),
    ...(request.includeContext === undefined || request.includeContext === 'none'
      ? []
      : [t('the context of other servers is never sent')]),
  ];
  const hidden = hiddenInSampling(request);
  const head = [
    comment(t('"{0}" requests a model response (sampling): {1}.', visibleLine(serverName, 80), facts.join(', '))),
    ...(hidden === 0
      ? []
      : [
          comment(
            t(
              'Check carefully: the request contains {0}, shown as \\u{…}. A part that you do not change is sent with these characters.',
              hiddenWords(hidden),
            ),
          ),
        ]),
    comment(
      t(
        'Review and edit the messages. Keep the marker lines, such as the next line. Then select "Ask a Language Model", "Answer Yourself", or "Decline Request" in the title bar of the editor.',
      ),
    ),
  ];
  return `${head.join('\n')}\n\n${write(requestParts(request), mark)}`;
}

/** The edited request. A problem names what can no longer be parsed. */
export function readRequest(
  text: string,
  request: CreateMessageRequest,
  mark: string,
): CreateMessageRequest | { problem: string } {
  const parts = requestParts(request);
  const edited = read(text, parts, mark);
  if (hasTextAbove(text, mark)) return { problem: textAbove() };
  if (edited.size === 0)
    return { problem: t('There is nothing to send: the marker lines between the messages are missing.') };
  const hasSystem = request.systemPrompt !== undefined;
  let index = hasSystem ? 1 : 0;
  const messages: CreateMessageRequest['messages'] = [];
  for (const message of request.messages) {
    const kept: SamplingContent[] = [];
    for (const block of blocksOf(message.content)) {
      const words = edited.get(index++);
      if (words !== undefined) kept.push(words === unchanged ? block : { ...block, text: words });
    }
    const [only] = kept;
    if (only) messages.push({ ...message, content: Array.isArray(message.content) ? kept : only });
  }
  if (messages.length === 0) return { problem: t('No message is left to send.') };
  const { systemPrompt, tools, toolChoice, stopSequences, metadata, ...rest } = request;
  const system = hasSystem ? edited.get(0) : undefined;
  const keeps = () => edited.has(index++);
  const keptTools = tools?.filter(keeps);
  const keptFields = Object.fromEntries(
    Object.entries({ toolChoice, stopSequences, metadata }).filter(([, value]) => value !== undefined && keeps()),
  );
  return {
    ...rest,
    ...(keptTools && (keptTools.length > 0 || tools?.length === 0) ? { tools: keptTools } : {}),
    ...keptFields,
    ...(system === undefined ? {} : { systemPrompt: system === unchanged ? (systemPrompt ?? '') : system }),
    messages,
  };
}

/** A model's answer as a document, or an empty one for the user's own. */
export function writeAnswer(result: CreateMessageResult, serverName: string, mark: string): string {
  const name = visibleLine(serverName, 80);
  const head = comment(
    result.model === ownAnswer
      ? t(
          'Write your answer to "{0}" below the next line. Then select "Send Answer" or "Decline Request" in the title bar of the editor.',
          name,
        )
      : t(
          'This is the answer to "{0}" by {1}. Edit the answer if necessary. Then select "Send Answer" or "Decline Request" in the title bar of the editor.',
          name,
          visibleLine(result.model, 80),
        ),
  );
  const hidden = hiddenIn(blocksOf(result.content).map((block) => ({ ...block, data: undefined })));
  const note =
    hidden === 0
      ? ''
      : `\n${comment(t('Check carefully: the answer contains {0}, shown as \\u{…}.', hiddenWords(hidden)))}`;
  return `${head}${note}\n\n${write(answerParts(result), mark)}`;
}

/** The edited answer. */
export function readAnswer(
  text: string,
  result: CreateMessageResult,
  mark: string,
): CreateMessageResult | { problem: string } {
  if (hasTextAbove(text, mark)) return { problem: textAbove() };
  const edited = read(text, answerParts(result), mark);
  const content = blocksOf(result.content).flatMap((block, index) => {
    const words = edited.get(index);
    if (words === undefined) return [];
    // The editor's document adds blank lines around the user's text.
    return [words === unchanged ? block : { ...block, text: result.model === ownAnswer ? words.trim() : words }];
  });
  const [only] = content;
  if (!only) return { problem: t('There is no answer to send: the marker line above the answer is missing.') };
  if (result.model === ownAnswer && content.every(isBlank))
    return { problem: t('The answer is empty. Write an answer below the marker line, or decline the request.') };
  return { ...result, content: Array.isArray(result.content) ? content : only };
}

/** The name of the model in an answer that the user writes. */
export const ownAnswer = 'human';

function isBlank(block: SamplingContent): boolean {
  return block.type === 'text' && typeof block['text'] === 'string' && block['text'].trim() === '';
}

/** Whether there is text other than our own comments above the first marker line; it would not be sent. */
function hasTextAbove(text: string, mark: string): boolean {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const first = lines.findIndex((line) => markerLine(mark).test(line));
  return lines.slice(0, Math.max(0, first)).some((line) => line.trim() !== '' && !/^<!-- .* -->$/.test(line));
}

function textAbove(): string {
  return t(
    'Some text is above the first marker line, so it would not be sent. Move it below a marker line, or delete it.',
  );
}

/** Matches a line that starts a part; captures the number of the part. */
function markerLine(mark: string): RegExp {
  return new RegExp(`^<!-- (\\d+) · .* · ${mark} -->$`);
}

/** Marks a part that the user did not change. */
const unchanged = Symbol('unchanged');

function requestParts(request: CreateMessageRequest): Part[] {
  const { systemPrompt, messages } = request;
  return [
    ...(systemPrompt === undefined ? [] : [textPart(t('system prompt'), systemPrompt)]),
    ...messages.flatMap((message, index) =>
      blocksOf(message.content).map((block) => blockPart(`${t('message {0}', index + 1)} · ${message.role}`, block)),
    ),
    ...fixedParts(request),
  ];
}

/**
 * The parts of the request that the user cannot edit: each tool, then the other fields that have a value, in this order. They are sent unchanged or removed.
 */
function fixedParts({ tools = [], toolChoice, stopSequences, metadata }: CreateMessageRequest): Part[] {
  const values: [label: string, value: unknown][] = [
    ...tools.map(({ name, description, inputSchema }, index): [string, unknown] => [
      `${t('tool {0}', index + 1)} · ${visibleLine(name, 80)}`,
      { name, description, inputSchema },
    ]),
    ...(toolChoice === undefined ? [] : [[t('choice of tools'), toolChoice] as [string, unknown]]),
    ...(stopSequences === undefined ? [] : [[t('stop sequences'), stopSequences] as [string, unknown]]),
    ...(metadata === undefined ? [] : [[t('metadata'), metadata] as [string, unknown]]),
  ];
  let left = maxFixedLength;
  return values.map(([label, value]) => {
    const json = indentedJson(value);
    const length = Math.min(maxEditableLength, Math.max(left, minFixedLength));
    left -= Math.min(json.length, length);
    const note = json.length > length ? t('cannot be edited, partly shown') : t('cannot be edited');
    return { label: `${label} · ${note}`, text: visibleText(json, length), isEditable: false };
  });
}

function answerParts({ content }: CreateMessageResult): Part[] {
  return blocksOf(content).map((block) => blockPart(t('answer'), block));
}

function blocksOf(content: SamplingContent | SamplingContent[]): SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

function blockPart(label: string, block: SamplingContent): Part {
  if (block.type === 'text' && typeof block['text'] === 'string') return textPart(label, block['text']);
  const type = visibleLine(block.type, 40);
  if ((block.type === 'image' || block.type === 'audio') && typeof block['data'] === 'string') {
    const what = typeof block['mimeType'] === 'string' ? `${type}, ${visibleLine(block['mimeType'], 60)}` : type;
    return {
      label: `${label} · ${what}`,
      text: t(
        '({0} kB, sent unchanged unless you delete the line above)',
        Math.ceil((block['data'].length * 3) / 4_000),
      ),
      isEditable: false,
    };
  }
  return {
    label: `${label} · ${type}`,
    text: visibleText(indentedJson(block), maxEditableLength),
    isEditable: false,
  };
}

/** Indented, unless the nesting would make the text many times longer. */
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

function textPart(label: string, text: string): Part {
  if (text.length <= maxEditableLength)
    return { label, text: visibleText(text, maxEditableLength).replace(/\r\n?/g, '\n'), isEditable: true };
  return {
    label: `${label} · ${t('too long to edit')}`,
    text: visibleText(text, maxEditableLength),
    isEditable: false,
  };
}

function write(parts: readonly Part[], mark: string): string {
  return parts.map(({ label, text }, index) => `${markLine(index, label, mark)}\n${text}\n`).join('\n');
}

/** The text of each part that still exists. */
function read(text: string, parts: readonly Part[], mark: string): Map<number, string | typeof unchanged> {
  const found = new Map<number, string | typeof unchanged>();
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const line = markerLine(mark);
  let current: { index: number; lines: string[] } | undefined;
  const finish = () => {
    const part = current && parts[current.index];
    if (!current || !part || found.has(current.index)) return;
    const words = current.lines.join('\n');
    // Editors add and trim line breaks at the end, so they do not count as a change.
    const isSame = words.replace(/\n+$/, '') === part.text.replace(/\n+$/, '');
    found.set(current.index, isSame || !part.isEditable ? unchanged : words.replace(/\n$/, ''));
  };
  for (const words of lines) {
    const index = line.exec(words)?.[1];
    if (index === undefined) {
      current?.lines.push(words);
      continue;
    }
    finish();
    current = { index: Number(index) - 1, lines: [] };
  }
  finish();
  return found;
}

function markLine(index: number, label: string, mark: string): string {
  return comment(`${index + 1} · ${label} · ${mark}`);
}

function comment(text: string): string {
  return `<!-- ${text.replaceAll('--', '- -')} -->`;
}
