/**
 * Verifies that the content of a file matches the server's list (extension Skills, section "Integrity and
 * Verification"). A matching digest proves that list and file belong together, not who wrote them.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ReadResourceResult } from '../protocol/mcp.js';
import type { SkillEntry } from './skillEntry.js';
import { maxBytes } from './skillEntry.js';

/** Longer front matter is not parsed; an accepted entry always has shorter front matter. UTF-16 code units. */
const maxYamlLength = 256 * 1024;

/**
 * The bytes in the result of `resources/read` for one file. Throws HostError `verification-failed` when the result is
 * not one file.
 */
export function bytesOf(uri: string, { contents }: ReadResourceResult): Buffer {
  const [content] = contents;
  if (!content) throw refusal(uri, 'the server sent nothing');
  if (contents.length > 1) throw refusal(uri, `the server sent ${contents.length} contents for one file`);
  const bytes =
    content.blob === undefined ? Buffer.from(content.text ?? '', 'utf8') : Buffer.from(content.blob, 'base64');
  if (bytes.length > maxBytes) throw refusal(uri, `it is larger than ${maxBytes / 1048576} MiB`);
  return bytes;
}

/**
 * Rejects with HostError `verification-failed` unless the bytes match the entry and, for `SKILL.md`, the front matter
 * matches, too.
 */
export async function verifyFile(entry: SkillEntry, uri: string, bytes: Buffer): Promise<void> {
  if (entry.files !== 'dynamic') {
    const expected = entry.files.find((file) => file.uri === uri);
    if (!expected) throw refusal(uri, 'the skill does not list it');
    if (bytes.length !== expected.size) throw refusal(uri, `it has ${bytes.length} bytes instead of ${expected.size}`);
    if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== expected.digest)
      throw refusal(uri, 'its digest differs from what the server listed');
  }
  if (uri === entry.uri) await verifyFrontmatter(entry, bytes.toString('utf8'));
}

async function verifyFrontmatter({ uri, frontmatter }: SkillEntry, text: string): Promise<void> {
  const source = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text)?.[1] ?? '';
  if (source.length > maxYamlLength) throw refusal(uri, `its front matter is longer than ${maxYamlLength / 1024} KiB`);
  const { parseFrontMatter } = await import('./frontMatter.js');
  let found: unknown;
  try {
    found = parseFrontMatter(source);
  } catch (error) {
    throw refusal(uri, 'its front matter cannot be read', error);
  }
  if (!isDeepStrictEqual(found ?? {}, frontmatter))
    throw refusal(uri, 'its front matter differs from what the server listed');
}

/** The error for a file that is not used. */
export function refusal(uri: string, why: string, cause?: unknown): HostError {
  return new HostError('verification-failed', `The skill file ${visibleLine(uri, 120)} was refused: ${why}.`, {
    cause,
    data: { uri },
    hint: 'The file changed after it was listed, or the server cannot be trusted.',
  });
}
