/**
 * The tools of the "workspace" server. None of them changes anything. Each result has text for users and models, and
 * structured content for programs. Lines and columns start at 1.
 */
import { abortSignalOf } from '../base/lightAbort.js';
import { pathToFileURL } from 'node:url';
import type { CallToolResult, JsonSchema, Tool, ToolAnnotations } from '../protocol/mcp.js';
import type { ToolProvider } from '../serving/servedFeatures.js';
import { optionalChoice, optionalInteger, optionalText, textArgument } from './toolArguments.js';
import type { FileDiagnostic, TextRange } from './workspaceAccess.js';
import { severities } from './workspaceAccess.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Maximum length of the text that one `read_file` call returns, in characters. */
export const maxReadLength = 256 * 1024;

const maxPathLength = 4_096;
const maxPatternLength = 500;
const maxQueryLength = 200;
const maxResults = 1_000;
const maxLine = 10_000_000;

/** Maximum length of the message of a diagnostic and of the name of a symbol, in characters. */
const maxTextLength = 2_000;

const path: JsonSchema = {
  type: 'string',
  title: 'Path',
  description:
    'Path of a file relative to the workspace folder, with "/". With several folders it begins with the name of the folder.',
  minLength: 1,
  maxLength: maxPathLength,
  examples: ['README.md', 'src/extension.ts'],
};

const range: JsonSchema = {
  type: 'object',
  title: 'Range',
  description: 'From the first character to the position after the last one; lines and columns start at 1.',
  properties: {
    startLine: { type: 'integer', minimum: 1 },
    startColumn: { type: 'integer', minimum: 1 },
    endLine: { type: 'integer', minimum: 1 },
    endColumn: { type: 'integer', minimum: 1 },
  },
  required: ['startLine', 'startColumn', 'endLine', 'endColumn'],
};

const isTruncated: JsonSchema = {
  type: 'boolean',
  title: 'Truncated',
  description: 'There is more than was returned.',
};

function limit(standard: number): JsonSchema {
  return {
    type: 'integer',
    title: 'Limit',
    description: 'How many results to return at most.',
    minimum: 1,
    maximum: maxResults,
    default: standard,
    examples: [20],
  };
}

function object(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function tool(
  name: string,
  title: string,
  description: string,
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
): Tool {
  return { name, title, description, inputSchema, outputSchema, annotations: { title, ...readOnly } };
}

/** The five tools that use the files of a workspace. */
export function workspaceTools(files: WorkspaceFiles): ToolProvider[] {
  return [findFiles(files), readFile(files), diagnostics(files), documentSymbols(files), workspaceSymbols(files)];
}

function findFiles(files: WorkspaceFiles): ToolProvider {
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
              { path, uri: { type: 'string', title: 'URI', description: 'Address of the file on this machine.' } },
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

function readFile(files: WorkspaceFiles): ToolProvider {
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
            description: 'Last line that was returned; one less than the first when there was none.',
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

function diagnostics(files: WorkspaceFiles): ToolProvider {
  const standard = 200;
  return {
    tool: tool(
      'diagnostics',
      'Diagnostics',
      'Lists errors, warnings and hints that language tools report for a file or for the whole workspace, as in the Problems view.',
      object(
        {
          path: { ...path, description: `${String(path['description'])} Without it, all files are included.` },
          severity: {
            type: 'string',
            title: 'Severity',
            description: 'Report this severity and worse.',
            enum: severities,
            default: 'warning',
            examples: ['error'],
          },
          limit: limit(standard),
        },
        [],
      ),
      object(
        {
          diagnostics: {
            type: 'array',
            title: 'Diagnostics',
            items: object(
              {
                path,
                severity: { type: 'string', enum: severities },
                message: { type: 'string' },
                range,
                source: { type: 'string', description: 'The tool that reports it.' },
                code: { type: 'string' },
              },
              ['path', 'severity', 'message', 'range'],
            ),
          },
          isTruncated,
        },
        ['diagnostics', 'isTruncated'],
      ),
    ),
    async call(args, { signal }) {
      const name = optionalText(args, 'path', maxPathLength);
      const worst = severities.indexOf(optionalChoice(args, 'severity', severities) ?? 'warning');
      const max = optionalInteger(args, 'limit', 1, maxResults) ?? standard;
      const file = name === undefined ? undefined : await files.locate(name);
      const found: ({ path: string } & FileDiagnostic)[] = [];
      for (const entry of files.access.diagnostics(file?.absolute)) {
        const wanted = entry.diagnostics.filter((diagnostic) => severities.indexOf(diagnostic.severity) <= worst);
        if (wanted.length === 0 || !(await files.isServed(entry.path))) continue;
        signal.throwIfAborted();
        const shown = files.paths.display(entry.path) ?? entry.path;
        found.push(...wanted.map((diagnostic) => ({ path: shown, ...diagnostic, message: clip(diagnostic.message) })));
        if (found.length > max) break;
      }
      const shownOnes = found.slice(0, max);
      const lines = shownOnes.map(
        (one) =>
          `${one.path}:${position(one.range)} ${one.severity}: ${one.message}${one.source === undefined ? '' : ` (${one.source})`}`,
      );
      const truncated = found.length > max;
      return result(listing(lines, truncated, 'No problems.'), { diagnostics: shownOnes, isTruncated: truncated });
    },
  };
}

const symbolProperties: JsonSchema = {
  name: { type: 'string', title: 'Name' },
  kind: { type: 'string', title: 'Kind', examples: ['class', 'function'] },
  container: { type: 'string', title: 'Container', description: 'What the symbol is part of.' },
  range,
};

function documentSymbols(files: WorkspaceFiles): ToolProvider {
  const standard = 500;
  return {
    tool: tool(
      'document_symbols',
      'Document Symbols',
      'Lists the symbols of a file (classes, functions, headings, …) in the order of its outline.',
      object({ path, limit: limit(standard) }, ['path']),
      object(
        {
          path,
          symbols: {
            type: 'array',
            title: 'Symbols',
            items: object(
              { ...symbolProperties, depth: { type: 'integer', minimum: 0, description: 'Depth in the outline.' } },
              ['name', 'kind', 'range', 'depth'],
            ),
          },
          isTruncated,
        },
        ['path', 'symbols', 'isTruncated'],
      ),
    ),
    async call(args, { signal }) {
      const file = await files.locate(textArgument(args, 'path', maxPathLength));
      const max = optionalInteger(args, 'limit', 1, maxResults) ?? standard;
      const all = await files.access.documentSymbols(file.absolute, abortSignalOf(signal));
      signal.throwIfAborted();
      const symbols = all.slice(0, max).map((symbol) => ({ ...symbol, name: clip(symbol.name) }));
      const truncated = all.length > max;
      const lines = symbols.map(
        (symbol) => `${'  '.repeat(symbol.depth)}${symbol.kind} ${symbol.name} (line ${symbol.range.startLine})`,
      );
      const none = 'No symbols. The language of the file may have no extension that finds them.';
      return result(listing(lines, truncated, none), {
        path: files.paths.label(file),
        symbols,
        isTruncated: truncated,
      });
    },
  };
}

function workspaceSymbols(files: WorkspaceFiles): ToolProvider {
  const standard = 100;
  return {
    tool: tool(
      'workspace_symbols',
      'Workspace Symbols',
      'Searches symbols (classes, functions, …) of the whole workspace by name. What is found depends on the language extensions that run.',
      object(
        {
          query: {
            type: 'string',
            title: 'Query',
            description: 'A name or a part of it.',
            minLength: 1,
            maxLength: maxQueryLength,
            examples: ['McpServer'],
          },
          limit: limit(standard),
        },
        ['query'],
      ),
      object(
        {
          symbols: {
            type: 'array',
            title: 'Symbols',
            items: object({ ...symbolProperties, path }, ['name', 'kind', 'path', 'range']),
          },
          isTruncated,
        },
        ['symbols', 'isTruncated'],
      ),
    ),
    async call(args, { signal }) {
      const query = textArgument(args, 'query', maxQueryLength);
      const max = optionalInteger(args, 'limit', 1, maxResults) ?? standard;
      const symbols = [];
      let truncated = false;
      for (const symbol of await files.access.workspaceSymbols(query, abortSignalOf(signal))) {
        signal.throwIfAborted();
        // Language servers also report symbols of libraries outside the workspace.
        if (!(await files.isServed(symbol.path))) continue;
        if (symbols.length === max) {
          truncated = true;
          break;
        }
        symbols.push({ ...symbol, name: clip(symbol.name), path: files.paths.display(symbol.path) ?? symbol.path });
      }
      const lines = symbols.map((symbol) => `${symbol.kind} ${symbol.name} ${symbol.path}:${position(symbol.range)}`);
      return result(listing(lines, truncated, `No symbol matches "${query}".`), { symbols, isTruncated: truncated });
    },
  };
}

function result(
  text: string,
  structuredContent: Record<string, unknown>,
  notes: readonly string[] = [],
): CallToolResult {
  return { content: [text, ...notes].map((part) => ({ type: 'text', text: part })), structuredContent };
}

function listing(lines: readonly string[], truncated: boolean, none: string): string {
  if (lines.length === 0) return none;
  return truncated ? `${lines.join('\n')}\n(There are more; raise the limit or narrow the search.)` : lines.join('\n');
}

function position({ startLine, startColumn }: TextRange): string {
  return `${startLine}:${startColumn}`;
}

function clip(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}
