/**
 * Converts the result of a call to the model that a page draws. The size of the model is limited, so that a result of
 * sixteen megabytes opens as fast as one line. The host keeps the whole result, so that the user can save the result or
 * open it in an editor (`toolResult.ts`).
 */
import { isObject } from '../../base/guards.js';
import { t } from '@vscode/l10n';
import { shownText, visibleLine } from '../../base/hostileText.js';
import type {
  Annotations,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
} from '../../protocol/mcp.js';
import type {
  CutText,
  DoneResult,
  FailedResult,
  JsonDocument,
  PartBody,
  RawExchange,
  ResourceLink,
  ResultPart,
  RunningResult,
  LogLine,
} from '../../../shared/result/resultModel.js';
import { tablesIn } from '../../../shared/result/jsonTable.js';
import { BodyBudget, bodyOfBlock, bodyOfContents, linkOf } from './contentBodies.js';
import { jsonNodesOf } from './jsonNodes.js';
import { isJsonOfValue } from './jsonNodes.js';
import { beginningOf, jsonPieces } from '../text/jsonPieces.js';
import { approximateLength, countedLength, lengthOf } from './resultLength.js';

/** The facts about a call that its result does not contain. */
export interface ResultDetails {
  /** The ID of the run, which is unique in the window. */
  id: string;
  /** The sent request, as `{ method, params }`. */
  request: unknown;
  durationMs?: number;
  /** The problems of parts that do not match the output schema, one sentence each. */
  problems?: readonly string[];
  /** Whether the tool has an app. */
  hasApp?: boolean;
  log?: CallLog;
  previous?: DoneResult['previous'];
}

const maxParts = 500;
const maxRawLength = 100_000;
const maxProblems = 50;

/** The model of a tool's result. */
export function toolResultModel(result: CallToolResult, facts: ResultDetails): DoneResult {
  const budget = new BodyBudget();
  const { structuredContent: structured, content } = result;
  const json = structured === undefined ? undefined : documentOfValue(structured, budget);
  const isSaidTwice =
    json !== undefined &&
    content.length === 1 &&
    content[0]?.type === 'text' &&
    isJsonOfValue(content[0].text, structured);
  const parts = partsOf(isSaidTwice ? [] : content, budget);
  return {
    ...done(facts, parts, budget, result, content),
    isError: result.isError === true,
    ...(facts.hasApp === true ? { hasApp: true } : {}),
    ...(json
      ? {
          structured: {
            json,
            problems: (facts.problems ?? []).slice(0, maxProblems).map((problem) => visibleLine(problem, 500)),
          },
        }
      : {}),
    ...(!json && facts.problems && facts.problems.length > 0
      ? {
          notes: [
            t(
              'The result does not match the output schema of the tool: {0}',
              visibleLine(facts.problems.join('; '), 500),
            ),
            ...budget.notes(),
          ],
        }
      : {}),
  };
}

/** Whether a drawn result is easier to read than its text: it has a table, links, or media among several parts. */
export function readsBetterDrawn({ isError, parts, structured }: DoneResult): boolean {
  if (isError) return false;
  const documents = [
    ...(structured ? [structured.json] : []),
    ...parts.flatMap(({ body }) => (body.kind === 'json' ? [body.json] : [])),
  ];
  return (
    documents.some(({ root }) => tablesIn(root).length > 0) ||
    parts.some(({ body }) => body.kind === 'links' || (parts.length > 1 && isMedia(body)))
  );
}

function isMedia({ kind }: PartBody): boolean {
  return kind === 'image' || kind === 'svg' || kind === 'audio' || kind === 'video';
}

/** The model of the result of reading a resource. */
export function resourceModel(result: ReadResourceResult, facts: ResultDetails): DoneResult {
  const budget = new BodyBudget();
  const parts = result.contents.slice(0, maxParts).map((contents, index): ResultPart => ({
    index,
    body:
      result.contents.length === 1
        ? bodyOfContents(contents, budget)
        : bodyOfBlock({ type: 'resource', resource: contents }, budget),
  }));
  const blocks = result.contents.map((resource): ContentBlock => ({ type: 'resource', resource }));
  return done(facts, parts, budget, result, blocks);
}

/** The model of the messages of a prompt, each with its role. */
export function promptModel(result: GetPromptResult, facts: ResultDetails): DoneResult {
  const budget = new BodyBudget();
  const blocks = result.messages.map(({ content }) => content);
  const parts = result.messages.slice(0, maxParts).map(({ role, content }, index): ResultPart => ({
    index,
    role,
    ...audienceOf(content),
    body:
      content.type === 'resource_link'
        ? { kind: 'links', links: [linkOf(content, index)] }
        : bodyOfBlock(content, budget),
  }));
  const model: DoneResult = { ...done(facts, parts, budget, result, blocks), isPrompt: true };
  const description = shownText(result.description ?? '', 2_000);
  return description === '' ? model : { ...model, description };
}

/** The model of a call in progress. `progress` is the latest progress report of the server. */
export function runningModel(
  id: string,
  startedAt: number,
  progress: { progress: number; total?: number; message?: string } | undefined,
  log?: CallLog,
  waiting?: RunningResult['waiting'],
): RunningResult {
  const fraction =
    progress?.total !== undefined && progress.total > 0
      ? Math.min(1, Math.max(0, progress.progress / progress.total))
      : undefined;
  const words =
    progress === undefined
      ? undefined
      : progress.message !== undefined
        ? visibleLine(progress.message, 200)
        : progress.total === undefined
          ? String(progress.progress)
          : `${progress.progress} / ${progress.total}`;
  return {
    kind: 'running',
    id,
    startedAt,
    ...(waiting ? { waiting } : {}),
    ...(words === undefined ? {} : { progress: { text: words, ...(fraction === undefined ? {} : { fraction }) } }),
    ...logPart(log),
  };
}

/** The model of a call without a result. `message` is cut if it is long; its hidden characters are made visible. */
export function failedModel(
  facts: ResultDetails,
  {
    message,
    isCancelled,
    isUnsent,
    showsLog,
    response,
  }: { message: string; isCancelled: boolean; isUnsent?: true; showsLog?: boolean; response?: unknown },
): FailedResult {
  return {
    kind: 'failed',
    id: facts.id,
    isCancelled,
    ...(isUnsent ? { isUnsent } : {}),
    ...(showsLog === true ? { showsLog } : {}),
    message: shownText(message, 4_000),
    durationMs: facts.durationMs ?? 0,
    ...logPart(facts.log),
    raw: rawOf(facts.request, response),
  };
}

function done(
  facts: ResultDetails,
  parts: readonly ResultPart[],
  budget: BodyBudget,
  response: unknown,
  content: readonly ContentBlock[],
): DoneResult {
  const bytes = bytesOf(content, response);
  const left = content.length - Math.min(content.length, maxParts);
  const notes = [
    ...budget.notes(),
    ...(left > 0 ? [t('{0} more parts are not shown here. The editor shows all of them.', left)] : []),
  ];
  return {
    kind: 'done',
    id: facts.id,
    isError: false,
    ...(facts.durationMs === undefined ? {} : { durationMs: facts.durationMs }),
    bytes,
    ...(content.length === 0 && bytes > countedLength ? { isMore: true } : {}),
    notes,
    parts,
    ...logPart(facts.log),
    raw: rawOf(facts.request, response),
    ...(facts.previous ? { previous: facts.previous } : {}),
  };
}

/** The parts of a result. Consecutive resource links become one list. */
function partsOf(content: readonly ContentBlock[], budget: BodyBudget): ResultPart[] {
  const parts: ResultPart[] = [];
  for (const [index, block] of content.slice(0, maxParts).entries()) {
    if (block.type !== 'resource_link') {
      parts.push({ index, ...audienceOf(block), body: bodyOfBlock(block, budget) });
      continue;
    }
    const audience = audienceOf(block);
    const last = parts.at(-1);
    const links: ResourceLink[] = [linkOf(block, index)];
    if (last?.body.kind === 'links' && last.audience === audience.audience)
      parts[parts.length - 1] = { ...last, body: { kind: 'links', links: [...last.body.links, ...links] } };
    else parts.push({ index, ...audience, body: { kind: 'links', links } });
  }
  return parts;
}

/** The audience of a block, if the server specifies exactly one. */
function audienceOf({ annotations }: { annotations?: Annotations }): Pick<ResultPart, 'audience'> {
  const [only, ...others] = new Set(annotations?.audience ?? []);
  return only !== undefined && others.length === 0 ? { audience: only } : {};
}

function documentOfValue(value: unknown, budget: BodyBudget): JsonDocument {
  const { text, isWhole } = beginningOf(jsonPieces(value), maxJsonLength);
  // If the text was cut, `maxLength` is one character less, so that the reader treats the text as incomplete.
  const read = jsonNodesOf(text, { maxLength: isWhole ? text.length : text.length - 1 });
  budget.hidden += read?.hidden ?? 0;
  return { root: read?.root ?? { kind: 'cut', text: '' }, isWhole: isWhole && read?.isWhole === true };
}

const maxJsonLength = 200_000;

function logPart(log: CallLog | undefined): Pick<RunningResult, 'log' | 'logDropped'> {
  return log?.model ?? { log: [], logDropped: 0 };
}

function rawOf(request: unknown, response: unknown): RawExchange {
  return { request: cutJson(request), ...(response === undefined ? {} : { response: cutJson(response) }) };
}

function cutJson(value: unknown): CutText {
  const { text, isWhole } = beginningOf(jsonPieces(value), maxRawLength);
  return { text, isCut: !isWhole };
}

function bytesOf(content: readonly ContentBlock[], response: unknown): number {
  let bytes = 0;
  for (const block of content) bytes += blockBytes(block);
  if (content.length === 0) return approximateLength({ content: [], structuredContent: response });
  // Most servers send structured content as text, too. If the text is only a summary, the larger size is used.
  const structured = isObject(response) ? response['structuredContent'] : undefined;
  return structured === undefined ? bytes : Math.max(bytes, lengthOf(structured));
}

function blockBytes(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return Buffer.byteLength(block.text);
    case 'image':
    case 'audio':
      return Math.floor(block.data.length * 0.75);
    case 'resource':
      return block.resource.text === undefined
        ? Math.floor((block.resource.blob?.length ?? 0) * 0.75)
        : Buffer.byteLength(block.resource.text);
    case 'resource_link':
      return Buffer.byteLength(block.uri);
  }
}

/** Maximum number of lines that are kept per call; the oldest are dropped first. */
const maxLines = 1_000;
const maxLineLength = 2_000;

/**
 * The server's messages during one call, for a page. Their number is limited, and hidden characters are made visible.
 */
export class CallLog {
  private readonly kept: LogLine[] = [];
  private added = 0;

  add({ text, level }: LogLine): void {
    this.added++;
    this.kept.push({ text: shownText(text, maxLineLength), ...(level === undefined ? {} : { level }) });
    if (this.kept.length > maxLines) this.kept.shift();
  }

  /** A snapshot; later lines do not change it. */
  get model(): { log: LogLine[]; logDropped: number } {
    return { log: [...this.kept], logDropped: this.added - this.kept.length };
  }
}
