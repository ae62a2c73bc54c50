/**
 * Validates only those parts of server results that the host relies on, and does not copy them. An invalid tool,
 * resource, prompt or content block is left out with a reason, and the valid ones are kept (security requirement R14).
 * A result without the list that it must contain is an error.
 */
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Describe } from './itemWarnings.js';
import { ItemWarnings } from './itemWarnings.js';
import type {
  CallToolResult,
  Completion,
  ContentBlock,
  GetPromptResult,
  Prompt,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from './mcp.js';

type Result = Record<string, unknown>;

/** Receives lines about items that were left out; see `ItemWarnings`. */
export type Warn = (line: string) => void;

/** Why an item is left out; a function if the text is built from the item. */
type Problem = string | Describe;

const maxNameLength = 1_000;

function invalid(method: string, problem: string): HostError {
  return new HostError('invalid-message', `The server's answer to ${method} is not valid MCP: ${problem}.`, {
    data: { problem: 'result', method, detail: problem },
    hint: 'This is a fault of the server: its log may say more.',
  });
}

/** Keeps the valid items; returns the same array when all are valid. */
function keepValid<T>(
  items: unknown,
  method: string,
  field: string,
  problemOf: (item: unknown) => Problem | undefined,
  warn: Warn,
): T[] {
  if (!Array.isArray(items)) throw invalid(method, `"${field}" is not a list`);
  const leftOut = new ItemWarnings(warn);
  let kept: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const problem = problemOf(items[i]);
    if (problem !== undefined) {
      kept ??= items.slice(0, i);
      leftOut.add(() => `Left out item ${i + 1} of ${method}: ${typeof problem === 'string' ? problem : problem()}.`);
    } else kept?.push(items[i]);
  }
  leftOut.end(`items of ${method}`);
  return (kept ?? items) as T[];
}

function nameProblem(item: Record<string, unknown>, field: string): Problem | undefined {
  const name = item[field];
  if (typeof name !== 'string') return `its ${field} is missing or not a string`;
  if (name === '') return `its ${field} is empty`;
  if (name.length > maxNameLength)
    return () => `its ${field} has ${name.length} characters, and the limit is ${maxNameLength}`;
  return undefined;
}

function toolProblem(tool: unknown): Problem | undefined {
  if (!isObject(tool)) return 'it is not an object';
  const problem = nameProblem(tool, 'name');
  if (problem !== undefined) return problem;
  if (!isObject(tool['inputSchema'])) {
    if (tool['inputSchema'] !== undefined && tool['inputSchema'] !== null)
      return () => `the input schema of "${visibleLine(tool['name'] as string)}" is not an object`;
    tool['inputSchema'] = { type: 'object' };
  }
  // Display fields of a wrong type are removed, so that all other code can rely on their types.
  dropUnless(tool, 'title', 'string');
  dropUnless(tool, 'description', 'string');
  if (tool['outputSchema'] !== undefined && !isObject(tool['outputSchema'])) delete tool['outputSchema'];
  if (tool['annotations'] !== undefined && !isObject(tool['annotations'])) delete tool['annotations'];
  return undefined;
}

function dropUnless(item: Record<string, unknown>, field: string, type: 'string' | 'number'): void {
  if (item[field] !== undefined && typeof item[field] !== type) delete item[field];
}

function resourceProblem(item: unknown): string | undefined {
  if (!isObject(item)) return 'it is not an object';
  if (typeof item['uri'] !== 'string' || item['uri'] === '') return 'its uri is missing, empty or not a string';
  if (typeof item['name'] !== 'string') item['name'] = item['uri'];
  dropUnless(item, 'title', 'string');
  dropUnless(item, 'description', 'string');
  dropUnless(item, 'mimeType', 'string');
  dropUnless(item, 'size', 'number');
  return undefined;
}

function templateProblem(item: unknown): string | undefined {
  if (!isObject(item)) return 'it is not an object';
  if (typeof item['uriTemplate'] !== 'string' || item['uriTemplate'] === '')
    return 'its uriTemplate is missing, empty or not a string';
  if (typeof item['name'] !== 'string') item['name'] = item['uriTemplate'];
  dropUnless(item, 'title', 'string');
  dropUnless(item, 'description', 'string');
  dropUnless(item, 'mimeType', 'string');
  return undefined;
}

function promptProblem(item: unknown): Problem | undefined {
  if (!isObject(item)) return 'it is not an object';
  const problem = nameProblem(item, 'name');
  if (problem !== undefined) return problem;
  dropUnless(item, 'title', 'string');
  dropUnless(item, 'description', 'string');
  if (item['arguments'] !== undefined) {
    item['arguments'] = Array.isArray(item['arguments'])
      ? item['arguments'].filter((argument) => isObject(argument) && nameProblem(argument, 'name') === undefined)
      : [];
  }
  return undefined;
}

/** One page of a `tools/list` result. */
export function toolsOf(result: Result, warn: Warn): Tool[] {
  return keepValid<Tool>(result['tools'], 'tools/list', 'tools', toolProblem, warn);
}

/** One page of a `resources/list` result. */
export function resourcesOf(result: Result, warn: Warn): Resource[] {
  return keepValid<Resource>(result['resources'], 'resources/list', 'resources', resourceProblem, warn);
}

/** One page of a `resources/templates/list` result. */
export function resourceTemplatesOf(result: Result, warn: Warn): ResourceTemplate[] {
  return keepValid<ResourceTemplate>(
    result['resourceTemplates'],
    'resources/templates/list',
    'resourceTemplates',
    templateProblem,
    warn,
  );
}

/** One page of a `prompts/list` result. */
export function promptsOf(result: Result, warn: Warn): Prompt[] {
  return keepValid<Prompt>(result['prompts'], 'prompts/list', 'prompts', promptProblem, warn);
}

function contentProblem(block: unknown): Problem | undefined {
  if (!isObject(block)) return 'it is not an object';
  const { type } = block;
  switch (type) {
    case 'text':
      return typeof block['text'] === 'string' ? undefined : 'it is a text block without text';
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string'
        ? undefined
        : `it is a block of the type "${type}" without data or without mimeType`;
    case 'resource_link':
      return resourceProblem(block);
    case 'resource':
      return contentsProblem(block['resource']);
    default:
      return typeof type === 'string'
        ? () => `it is a block of the unknown type "${visibleLine(type, 40)}"`
        : 'it is a block without a type';
  }
}

function contentsProblem(contents: unknown): string | undefined {
  if (!isObject(contents)) return 'it is not an object';
  if (typeof contents['uri'] !== 'string') return 'it has no uri';
  if (typeof contents['text'] !== 'string' && typeof contents['blob'] !== 'string')
    return 'it has neither text nor blob';
  dropUnless(contents, 'mimeType', 'string');
  return undefined;
}

/**
 * The result of `tools/call`. `content` may be absent if there is structured content or `isError`; it is then an empty
 * list. The 2024-10 field `toolResult` is supported in its place. A result without any of these is invalid.
 */
export function callToolResultOf(result: Result, warn: Warn): CallToolResult {
  if (result['content'] === undefined) {
    const legacy = result['toolResult'];
    if (result['structuredContent'] === undefined && legacy === undefined && result['isError'] === undefined) {
      throw invalid('tools/call', 'it has no content');
    }
    result['content'] =
      legacy === undefined
        ? []
        : [{ type: 'text', text: typeof legacy === 'string' ? legacy : JSON.stringify(legacy) }];
  } else {
    result['content'] = keepValid<ContentBlock>(result['content'], 'tools/call', 'content', contentProblem, warn);
  }
  if (result['isError'] !== undefined && typeof result['isError'] !== 'boolean') delete result['isError'];
  return result as unknown as CallToolResult;
}

/** The result of `resources/read`. */
export function readResourceResultOf(result: Result, warn: Warn): ReadResourceResult {
  result['contents'] = keepValid<ResourceContents>(
    result['contents'],
    'resources/read',
    'contents',
    contentsProblem,
    warn,
  );
  return result as unknown as ReadResourceResult;
}

/** The result of `prompts/get`. */
export function promptResultOf(result: Result, warn: Warn): GetPromptResult {
  result['messages'] = keepValid<PromptMessage>(
    result['messages'],
    'prompts/get',
    'messages',
    (message) => {
      if (!isObject(message)) return 'it is not an object';
      if (message['role'] !== 'user' && message['role'] !== 'assistant')
        return 'its role is neither user nor assistant';
      return contentProblem(message['content']);
    },
    warn,
  );
  dropUnless(result, 'description', 'string');
  return result as unknown as GetPromptResult;
}

/** The result of `completion/complete`; at most 100 values are kept. */
export function completionOf(result: Result): Completion {
  const completion = result['completion'];
  if (!isObject(completion) || !Array.isArray(completion['values']))
    throw invalid('completion/complete', '"completion.values" is not a list');
  const values = completion['values'].filter((value): value is string => typeof value === 'string').slice(0, 100);
  const total = completion['total'];
  return {
    values,
    ...(typeof total === 'number' ? { total } : {}),
    ...(completion['hasMore'] === true ? { hasMore: true } : {}),
  };
}
