/**
 * Verifies that the content of a file matches the server's list (extension Skills, section "Integrity and
 * Verification"). A matching digest proves that the file belongs to the list. It does not prove who wrote the file.
 */
import { sizeText } from '../../shared/amountText.js';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { HostErrorData } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ReadResourceResult } from '../protocol/mcp.js';
import type { SkillEntry } from './skillEntry.js';
import { maxBytes } from './skillEntry.js';

/**
 * Maximum length of front matter that is parsed, in UTF-16 code units. It is four times the maximum of an entry's front
 * matter as JSON, because YAML can contain comments and indentation.
 */
const maxYamlLength = 256 * 1024;

/**
 * The bytes in the result of `resources/read` for one file. Throws HostError `verification-failed` if the result is not
 * exactly one file, or if the file is too large.
 */
export function bytesOf(uri: string, { contents }: ReadResourceResult): Buffer {
  const [content] = contents;
  if (!content) throw refusal(uri, 'the server sent nothing', { why: 'nothing' });
  if (contents.length > 1)
    throw refusal(uri, `the server sent ${contents.length} contents for one file`, {
      why: 'several',
      count: contents.length,
    });
  const bytes =
    content.blob === undefined ? Buffer.from(content.text ?? '', 'utf8') : Buffer.from(content.blob, 'base64');
  if (bytes.length > maxBytes)
    throw refusal(uri, `it is larger than ${sizeText(maxBytes)}`, { why: 'too-large', expected: maxBytes });
  return bytes;
}

/** The digest of a file in the form of an entry. */
export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/**
 * Verifies the content of a file. Rejects with HostError `verification-failed` unless the bytes match the entry and,
 * for `SKILL.md`, the front matter matches, too.
 * @param digest the digest of the bytes, which the caller computes once for all skills that list the file.
 */
export async function verifyFile(entry: SkillEntry, uri: string, bytes: Buffer, digest: string): Promise<void> {
  if (entry.files !== 'dynamic') {
    const expected = entry.files.find((file) => file.uri === uri);
    if (!expected) throw refusal(uri, 'the skill does not list it', { why: 'not-listed' });
    if (bytes.length !== expected.size)
      throw refusal(uri, `it has ${bytes.length} bytes instead of ${expected.size}`, {
        why: 'size',
        count: bytes.length,
        expected: expected.size,
      });
    if (digest !== expected.digest)
      throw refusal(uri, 'its digest differs from what the server listed', { why: 'digest' });
  }
  if (uri === entry.uri) await verifyFrontmatter(entry, bytes.toString('utf8'));
}

async function verifyFrontmatter({ uri, frontmatter }: SkillEntry, text: string): Promise<void> {
  const source = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text)?.[1] ?? '';
  if (source.length > maxYamlLength)
    throw refusal(uri, `its front matter is longer than ${sizeText(maxYamlLength)}`, {
      why: 'front-matter-length',
      expected: maxYamlLength,
    });
  const { parseFrontMatter } = await import('./frontMatter.js');
  let found: unknown;
  try {
    found = parseFrontMatter(source);
  } catch (error) {
    throw refusal(uri, 'its front matter cannot be read', { why: 'front-matter-unreadable' }, error);
  }
  if (!isDeepStrictEqual(found ?? {}, frontmatter))
    throw refusal(uri, 'its front matter differs from what the server listed', { why: 'front-matter' });
}

/** The error for a file that fails the verification and is not used. */
export function refusal(
  uri: string,
  reason: string,
  data: Omit<HostErrorData['verification-failed'], 'uri'>,
  cause?: unknown,
): HostError {
  return new HostError('verification-failed', `The skill file ${visibleLine(uri, 120)} was refused: ${reason}.`, {
    cause,
    data: { uri, ...data },
    hint: 'The file changed after it was listed, or the server cannot be trusted.',
  });
}
