/** Reads the parameters of an app's requests. Every function throws ProtocolError `invalidParams`. */
import { isObject } from '../base/guards.js';
import type { Params } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ResourceContents } from '../protocol/mcp.js';

/** Context that an app provides for a language model. */
export interface AppModelContext {
  text: string;
  structured?: Record<string, unknown>;
}

/** A file that an app offers: its content, or the URI of a resource of its server. */
export type OfferedFile = { resource: ResourceContents } | { uri: string };

const maxTextLength = 64 * 1024;
/** Maximum length of a URL or URI, in characters. */
export const maxUrlLength = 8_192;
const maxFiles = 10;

/** A required parameter that must be a string and must not be empty. */
export function textParameter(params: Params, key: string, maxLength: number): string {
  const value = params[key];
  if (typeof value !== 'string' || value === '') throw invalid(`"${key}" must be a string that is not empty`);
  if (value.length > maxLength) throw invalid(`"${key}" is longer than ${maxLength} characters`);
  return value;
}

/**
 * The text of a message. In the specification, the content is one block; in the extension's SDK, it is a list of
 * blocks.
 */
export function messageText({ role, content }: Params): string {
  if (role !== 'user') throw invalid('"role" is not "user"');
  const text = textOfBlocks(Array.isArray(content) ? content : [content]);
  if (text === '') throw invalid('"content" has no text');
  return text;
}

/** The context that an app provides for a language model. */
export function modelContext({ content, structuredContent }: Params): AppModelContext {
  if (content !== undefined && !Array.isArray(content)) throw invalid('"content" is not a list');
  if (structuredContent !== undefined && !isObject(structuredContent))
    throw invalid('"structuredContent" is not an object');
  if (structuredContent && JSON.stringify(structuredContent).length > maxTextLength)
    throw invalid(`"structuredContent" is longer than ${maxTextLength} characters`);
  return {
    text: textOfBlocks((content as unknown[] | undefined) ?? []),
    ...(structuredContent ? { structured: structuredContent } : {}),
  };
}

/**
 * Reads a list of files in the format that the extension's SDK uses for this revision. The specification of 2026-01-26
 * does not define this format.
 */
export function readOfferedFiles(contents: unknown): OfferedFile[] {
  if (!Array.isArray(contents) || contents.length === 0 || contents.length > maxFiles)
    throw invalid(`"contents" is not a list of one to ${maxFiles} files`);
  return contents.map((content: unknown) => {
    if (!isObject(content)) throw invalid('a file is not an object');
    if (content['type'] === 'resource_link') return { uri: textParameter(content, 'uri', maxUrlLength) };
    const { resource } = content;
    if (content['type'] !== 'resource' || !isObject(resource))
      throw invalid('a file is neither a resource nor a link to one');
    const { mimeType, text, blob } = resource;
    const uri = textParameter(resource, 'uri', maxUrlLength);
    const type = typeof mimeType === 'string' ? { mimeType } : {};
    if (typeof text === 'string') return { resource: { uri, text, ...type } };
    if (typeof blob === 'string') return { resource: { uri, blob, ...type } };
    throw invalid('a file has neither text nor a blob');
  });
}

function textOfBlocks(blocks: readonly unknown[]): string {
  const text = blocks
    .map((block) => {
      if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string')
        throw invalid('only text is supported');
      return block['text'];
    })
    .join('\n\n');
  if (text.length > maxTextLength) throw invalid(`the text is longer than ${maxTextLength} characters`);
  return text;
}

/** The error response to a request with invalid parameters. */
export function invalid(problem: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, `The request is not valid: ${problem}.`);
}
