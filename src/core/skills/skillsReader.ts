/**
 * The client side of the extension `io.modelcontextprotocol/skills` (SEP-2640): servers offer folders of instructions.
 * Nothing is fetched before somebody loads the skill, and nothing that was fetched is used before its size, digest and
 * front matter agree with the entry that the user saw.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { McpSession } from '../session/mcpSession.js';

export const skillsExtension = 'io.modelcontextprotocol/skills';

/** Limits of the extension for one skill. */
const maxFiles = 512;
const maxBytes = 16 * 1024 * 1024;

export interface SkillFile {
  uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
  /** Bytes. */
  size: number;
}

export interface SkillEntry {
  /** The skill's `SKILL.md`. */
  uri: string;
  frontmatter: Record<string, unknown>;
  /** `dynamic`: the server makes them as they are asked for, so there is nothing to verify against. */
  files: SkillFile[] | 'dynamic';
}

export class SkillsReader {
  /** @param parseYaml the parser for front matter; given, so that it is loaded only where skills are used. */
  constructor(
    private readonly session: McpSession,
    private readonly parseYaml: (text: string) => unknown,
  ) {}

  /** True when the server declares the extension. */
  get isOffered(): boolean {
    return isObject(this.session.identity.capabilities.extensions?.[skillsExtension]);
  }

  /** The skills there are; reads no file. Entries that break the limits or the shape are left out. */
  async list(signal?: AbortSignal): Promise<SkillEntry[]> {
    const { skills } = await this.session.request('skills/list', undefined, { signal });
    if (!Array.isArray(skills)) throw new HostError('invalid-message', `The server's answer to skills/list has no "skills" list.`);
    return skills.map(readEntry).filter((entry) => entry !== undefined);
  }

  /** Reads and verifies the skill's `SKILL.md`; rejects with HostError `verification-failed` before anything of it is used. */
  async load(entry: SkillEntry, signal?: AbortSignal): Promise<string> {
    const text = (await this.readFile(entry, entry.uri, signal)).toString('utf8');
    const match = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text);
    let found: unknown;
    try {
      found = this.parseYaml(match?.[1] ?? '');
    } catch (error) {
      throw refusal(entry.uri, 'its front matter cannot be read', error);
    }
    if (!isDeepStrictEqual(found ?? {}, entry.frontmatter)) throw refusal(entry.uri, 'its front matter differs from what the server listed');
    return text;
  }

  /** Reads and verifies one file of the skill. */
  async readFile(entry: SkillEntry, uri: string, signal?: AbortSignal): Promise<Buffer> {
    const expected = entry.files === 'dynamic' ? undefined : entry.files.find((file) => file.uri === uri);
    if (entry.files !== 'dynamic' && !expected) throw refusal(uri, 'the skill does not list it');
    const { contents } = await this.session.readResource(uri, { signal });
    const [content] = contents;
    if (!content) throw refusal(uri, 'the server sent nothing');
    const bytes = content.blob === undefined ? Buffer.from(content.text ?? '', 'utf8') : Buffer.from(content.blob, 'base64');
    if (bytes.length > maxBytes) throw refusal(uri, `it is larger than ${maxBytes / 1048576} MiB`);
    if (expected) {
      if (bytes.length !== expected.size) throw refusal(uri, `it has ${bytes.length} bytes instead of ${expected.size}`);
      if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== expected.digest) throw refusal(uri, 'its digest differs from what the server listed');
    }
    return bytes;
  }
}

function refusal(uri: string, why: string, cause?: unknown): HostError {
  return new HostError('verification-failed', `The skill file ${visibleLine(uri, 120)} was refused: ${why}.`, {
    cause,
    data: { uri },
    hint: 'The file changed after it was listed, or the server is not to be trusted.',
  });
}

function readEntry(value: unknown): SkillEntry | undefined {
  if (!isObject(value) || typeof value['uri'] !== 'string' || !isObject(value['frontmatter'])) return undefined;
  const { uri, frontmatter, resources } = value;
  if (resources === 'dynamic') return { uri, frontmatter, files: resources };
  if (!Array.isArray(resources) || resources.length > maxFiles) return undefined;
  const files = resources.filter(isFile);
  if (files.length !== resources.length || files.reduce((sum, { size }) => sum + size, 0) > maxBytes) return undefined;
  return { uri, frontmatter, files };
}

function isFile(value: unknown): value is SkillFile {
  return (
    isObject(value) &&
    typeof value['uri'] === 'string' &&
    typeof value['digest'] === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(value['digest']) &&
    typeof value['size'] === 'number' &&
    value['size'] >= 0
  );
}
