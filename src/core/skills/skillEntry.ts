/**
 * A skill as the server describes it: an entry of `skills/list`, or the result of `skills/get` (extension
 * `io.modelcontextprotocol/skills`, section "Skill Entries"). An entry that violates the rules about its folder or its
 * limits is refused with a reason. Rules about the format of names are not enforced, because a name is only a label.
 */
import { sizeText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';

export const skillsExtension = 'io.modelcontextprotocol/skills';

/** The limits of the extension for one skill. Every host accepts skills within these limits. */
const maxFiles = 512;
export const maxBytes = 16 * 1024 * 1024;

/** MCP Deck's own limits for the length of a URI and of the front matter as JSON, in UTF-16 code units. */
const maxUriLength = 2_000;
const maxFrontmatterLength = 64 * 1024;
/** Maximum memory of the front matter, bytes: a short text can have many values. */
const maxFrontmatterBytes = 128 * 1024;

export interface SkillFile {
  uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
  /** Size in bytes. */
  size: number;
}

export interface SkillEntry {
  /** The URI of the skill's `SKILL.md`. Together with the server, it identifies the skill. */
  uri: string;
  /** The front matter as the server describes it. It is compared with the file and shown, but has no other effect. */
  frontmatter: Record<string, unknown>;
  /** A label that need not be unique, even on one server. */
  name: string;
  description: string;
  /**
   * The files of the skill. `dynamic` means that the server generates the files on request, so they cannot be verified.
   */
  files: readonly SkillFile[] | 'dynamic';
}

/**
 * Reads one entry. If it is invalid, returns the problem as part of a sentence, such as `it lists 600 files, more than
 * 512`.
 */
export function readSkillEntry(value: unknown): { entry: SkillEntry } | { problem: string } {
  if (!isObject(value)) return { problem: 'it is not an object' };
  const { uri, frontmatter, resources } = value;
  if (typeof uri !== 'string') return { problem: 'it has no URI' };
  if (uri.length > maxUriLength) return { problem: `its URI has ${uri.length} characters, more than ${maxUriLength}` };
  if (!uri.endsWith('/SKILL.md')) return { problem: 'its URI does not end with /SKILL.md' };
  if (!isObject(frontmatter)) return { problem: 'it has no front matter' };
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || name.trim() === '') return { problem: 'its front matter has no name' };
  if (typeof description !== 'string') return { problem: 'its front matter has no description' };
  if (JSON.stringify(frontmatter).length > maxFrontmatterLength)
    return { problem: `its front matter is longer than ${sizeText(maxFrontmatterLength)}` };
  if (valueCost(frontmatter, maxFrontmatterBytes) > maxFrontmatterBytes)
    return { problem: `its front matter needs more than ${sizeText(maxFrontmatterBytes)} of memory` };
  const entry = { uri, frontmatter, name, description };
  if (resources === 'dynamic') return { entry: { ...entry, files: resources } };
  if (!Array.isArray(resources)) return { problem: 'it does not list its files' };
  const problem = filesProblem(uri, resources);
  if (problem !== undefined) return { problem };
  // Only the known members are kept, because a server decides the size of the others.
  const files = (resources as SkillFile[]).map(({ uri: file, digest, size }) => ({ uri: file, digest, size }));
  return { entry: { ...entry, files } };
}

/** The folder of a skill, with a trailing slash. */
export function folderOf(skillUri: string): string {
  return skillUri.slice(0, -'SKILL.md'.length);
}

/** A file's path within its skill, as written in the URI. */
export function pathInSkill(skillUri: string, fileUri: string): string {
  return fileUri.slice(folderOf(skillUri).length);
}

function filesProblem(skillUri: string, files: readonly unknown[]): string | undefined {
  if (files.length > maxFiles) return `it lists ${files.length} files, more than ${maxFiles}`;
  const seen = new Set<string>();
  let total = 0;
  for (const file of files) {
    if (!isFile(file)) return 'a file has no valid URI, digest or size';
    const shown = visibleLine(file.uri, 80);
    if (!isInside(folderOf(skillUri), file.uri)) return `the file ${shown} is not in its folder`;
    if (seen.has(file.uri)) return `the file ${shown} is listed twice`;
    seen.add(file.uri);
    total += file.size;
  }
  if (!seen.has(skillUri)) return 'its SKILL.md is not among its files';
  return total > maxBytes
    ? `the total size of its files is ${sizeText(total)}, more than ${sizeText(maxBytes)}`
    : undefined;
}

function isFile(value: unknown): value is SkillFile {
  if (!isObject(value)) return false;
  const { uri, digest, size } = value;
  return (
    typeof uri === 'string' &&
    uri.length <= maxUriLength &&
    typeof digest === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(digest) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0
  );
}

/**
 * Whether a file is inside a folder. Compares the paths after decoding escapes, as a browser or a file system might.
 */
function isInside(folder: string, uri: string): boolean {
  if (!uri.startsWith(folder)) return false;
  const path = uri
    .slice(folder.length)
    .replace(/%2e/gi, '.')
    .replace(/%2f|%5c|\\/gi, '/');
  return (
    !/[?#]/.test(path) && path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}
