/** The tools for files: `find_files` and `read_file`. */
import { pathToFileURL } from 'node:url';
import { abortSignalOf } from '../base/lightAbort.js';
import type { ToolProvider } from '../serving/servedFeatures.js';
import { optionalInteger, textArgument } from './toolArguments.js';
import { isTruncated, limit, listing, maxPathLength, maxResults, object, path, result, tool } from './toolShape.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** Maximum length of the text that one `read_file` call returns, in characters. */
export const maxReadLength = 256 * 1024;

const maxPatternLength = 500;
const maxLine = 10_000_000;

/** Finds files by a glob pattern. */
export function findFiles(files: WorkspaceFiles): ToolProvider {
  const standard = 200;
  return {
    tool: tool(
      'find_files',
      'Find Files',
      'Finds files of the workspace by a glob pattern. Files hidden by the setting files.exclude and everything in .git are left out.',
      object(
        {
          pattern: {
            type: 'string',
            title: 'Pattern',
            description:
              'Glob pattern, relative to the workspace folder: "*" within a name, "**" across folders, "{a,b}" for alternatives.',
            minLength: 1,
            maxLength: maxPatternLength,
            examples: ['**/*.md', 'src/**/*.{ts,tsx}'],
          },
          limit: limit(standard),
        },
        ['pattern'],
      ),
      object(
        {
          files: {
            type: 'array',
            title: 'Files',
            items: object(
              { path, uri: { type: 'string', title: 'URI', description: 'URI of the file on this machine.' } },
              ['path', 'uri'],
            ),
          },
          isTruncated,
        },
        ['files', 'isTruncated'],
      ),
    ),
    async call(args, { signal }) {
      const pattern = textArgument(args, 'pattern', maxPatternLength);
      const found = await files.find(
        pattern,
        optionalInteger(args, 'limit', 1, maxResults) ?? standard,
        abortSignalOf(signal),
      );
      const lines = found.files.map((file) => file.path);
      return result(listing(lines, found.isTruncated, `No file matches ${pattern}.`), {
        files: found.files.map((file) => ({ path: file.path, uri: pathToFileURL(file.absolute).href })),
        isTruncated: found.isTruncated,
      });
    },
  };
}

/** Reads a text file, or some of its lines. */
export function readFile(files: WorkspaceFiles): ToolProvider {
  return {
    tool: tool(
      'read_file',
      'Read File',
      'Reads a text file of the workspace, with unsaved changes if it is open in an editor. Long files come in parts: ask for the next lines.',
      object(
        {
          path,
          startLine: {
            type: 'integer',
            title: 'First line',
            description: 'First line to return, starting at 1.',
            minimum: 1,
            maximum: maxLine,
            default: 1,
            examples: [1],
          },
          endLine: {
            type: 'integer',
            title: 'Last line',
            description: 'Last line to return (inclusive). Without it, the file is read to its end.',
            minimum: 1,
            maximum: maxLine,
            examples: [100],
          },
        },
        ['path'],
      ),
      object(
        {
          path,
          text: { type: 'string', title: 'Text' },
          startLine: { type: 'integer', title: 'First line', minimum: 1 },
          endLine: {
            type: 'integer',
            title: 'Last line',
            description: 'Last line that was returned, or one less than startLine if no whole line was returned.',
            minimum: 0,
          },
          totalLines: { type: 'integer', title: 'Lines of the file', minimum: 0 },
          isTruncated,
          isUnsaved: {
            type: 'boolean',
            title: 'Unsaved',
            description: 'The text has changes that are not on the disk.',
          },
        },
        ['path', 'text', 'startLine', 'endLine', 'totalLines', 'isTruncated', 'isUnsaved'],
      ),
    ),
    async call(args, { signal }) {
      const file = await files.locate(textArgument(args, 'path', maxPathLength));
      const startLine = optionalInteger(args, 'startLine', 1, maxLine) ?? 1;
      const endLine = optionalInteger(args, 'endLine', 1, maxLine) ?? maxLine;
      const { text, isUnsaved } = await files.readText(file);
      signal.throwIfAborted();
      const part = linesOf(text, startLine, endLine);
      return result(
        part.text,
        { path: files.paths.label(file), ...part, isUnsaved },
        part.isTruncated ? [partNote(part)] : [],
      );
    },
  };
}

function partNote({ startLine, endLine, totalLines }: TextPart): string {
  if (endLine < startLine)
    return `(Line ${startLine} of ${totalLines} is longer than ${maxReadLength} characters and was cut.)`;
  return `(Lines ${startLine} to ${endLine} of ${totalLines}; continue with startLine ${endLine + 1}.)`;
}

interface TextPart {
  text: string;
  startLine: number;
  endLine: number;
  totalLines: number;
  isTruncated: boolean;
}

/** The lines of a text by number, with their line endings. Returns as many complete lines as the limit allows. */
function linesOf(text: string, startLine: number, endLine: number): TextPart {
  // A line ending at the end of the text does not start another line.
  const lines = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const totalLines = lines.length;
  let length = 0;
  let next = Math.min(startLine - 1, totalLines);
  const first = next;
  const last = Math.min(endLine, totalLines);
  while (next < last) {
    length += (lines[next]?.length ?? 0) + 1;
    if (length > maxReadLength) break;
    next++;
  }
  const isTruncated = next < last;
  if (isTruncated && next === first) {
    // Even the first line exceeds the limit, as in minified code, so only its beginning is returned.
    return { text: lines[first]?.slice(0, maxReadLength) ?? '', startLine, endLine: first, totalLines, isTruncated };
  }
  const whole = lines.slice(first, next).join('\n');
  const endsWithBreak = next === totalLines && text.endsWith('\n') && next > first;
  return {
    text: endsWithBreak ? `${whole}\n` : whole,
    startLine,
    endLine: Math.max(next, startLine - 1),
    totalLines,
    isTruncated,
  };
}
