/**
 * Results of tools and contents of resources as parts for VS Code's agent. In text, secrets that the server received
 * are masked, and hidden characters are escaped, because the user does not see them (security requirement L2).
 */
import { escapeHiddenInJson, visibleText } from '../base/hostileText.js';
import { SecretFinder } from '../base/secretFinder.js';
import type { CallToolResult, ContentBlock, ResourceContents } from '../protocol/mcp.js';
import { detectMediaType } from '../present/text/mediaType.js';
import type { ModelText } from './chatModel.js';

/** Binary data for the agent. */
export interface AgentData {
  kind: 'data';
  bytes: Uint8Array;
  mimeType: string;
}

export type AgentPart = ModelText | AgentData;

/** Maximum length of all texts of one result, in characters. */
const maxTextLength = 200_000;
/** Maximum size of the data of one part, in bytes. */
const maxDataBytes = 10 * 1024 * 1024;

/** The result of a tool: texts, images, audio, and resources. Other content, such as links, is JSON. */
export function resultParts(result: CallToolResult, secrets: readonly string[]): AgentPart[] {
  const writer = new PartWriter(secrets);
  const { content, structuredContent, isError } = result;
  if (isError === true) writer.text('The tool reported an error:');
  for (const block of content) addBlock(block, writer);
  // Servers repeat structured content as text for clients that cannot read it.
  if (structuredContent !== undefined && !content.some(({ type }) => type === 'text')) writer.json(structuredContent);
  return writer.parts;
}

/** The contents of a resource. */
export function contentsParts(contents: readonly ResourceContents[], secrets: readonly string[]): AgentPart[] {
  const writer = new PartWriter(secrets);
  for (const one of contents) addContents(one, writer);
  return writer.parts;
}

/**
 * Binary data with the type that is detected from its first bytes. The type that the server states is ignored: VS
 * Code's agent gives some types a meaning of their own, such as `application/vnd.code.resource-link`, which makes it
 * read a file.
 * @returns undefined if the data is not an image or audio, or is larger than 10 MiB.
 */
function agentData(base64: string): AgentData | undefined {
  // Four characters are three bytes.
  if (base64.length > (maxDataBytes * 4) / 3) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const type = detectMediaType(bytes);
  return type?.kind === 'image' || type?.kind === 'audio'
    ? { kind: 'data', bytes, mimeType: type.mimeType }
    : undefined;
}

function addBlock(block: ContentBlock, writer: PartWriter): void {
  switch (block.type) {
    case 'text':
      writer.text(block.text);
      return;
    case 'image':
    case 'audio':
      writer.data(block.data, block.mimeType);
      return;
    case 'resource':
      addContents(block.resource, writer);
      return;
    default:
      writer.json(block);
  }
}

function addContents({ uri, mimeType, text, blob }: ResourceContents, writer: PartWriter): void {
  writer.json({ uri, ...(mimeType === undefined ? {} : { mimeType }) });
  if (blob === undefined) writer.text(text ?? '');
  else writer.data(blob, mimeType ?? 'application/octet-stream');
}

/** Collects the parts of one result, up to the limit of their texts. */
class PartWriter {
  readonly parts: AgentPart[] = [];
  private readonly finder: SecretFinder;
  private left = maxTextLength;

  constructor(secrets: readonly string[]) {
    this.finder = new SecretFinder(secrets);
  }

  text(value: string): void {
    this.add(value, (text) => visibleText(text, Infinity));
  }

  json(value: unknown): void {
    this.add(JSON.stringify(value), escapeHiddenInJson);
  }

  data(base64: string, mimeType: string): void {
    const data = agentData(base64);
    if (data) this.parts.push(data);
    else this.text(`[${mimeType}, not sent: MCP Deck sends only images and audio of up to 10 MiB.]`);
  }

  /** Cuts before the text is masked and escaped, so that the work for a large result is limited. */
  private add(value: string, escaped: (text: string) => string): void {
    if (this.left < 0) return;
    const isCut = value.length > this.left;
    const text = this.finder.maskFirst(value, this.left);
    this.left -= value.length;
    const notice = isCut
      ? `\n[Cut after ${maxTextLength} characters: the rest was not sent. Ask for less if you need it.]`
      : '';
    this.parts.push({ kind: 'text', text: escaped(text) + notice });
  }
}
