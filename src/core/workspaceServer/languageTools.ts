/** The tools for the results of language extensions: `diagnostics`, `document_symbols` and `workspace_symbols`. */
import { abortSignalOf } from '../base/lightAbort.js';
import type { JsonSchema } from '../protocol/mcp.js';
import type { ToolProvider } from '../serving/servedFeatures.js';
import { optionalChoice, optionalInteger, optionalText, textArgument } from './toolArguments.js';
import { isTruncated, limit, listing, maxPathLength, maxResults, object, path, result, tool } from './toolShape.js';
import type { FileDiagnostic, LineRange } from './workspaceAccess.js';
import { severities } from './workspaceAccess.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

const maxQueryLength = 200;
/** Maximum length of the message of a diagnostic and of the name of a symbol, in characters. */
const maxTextLength = 2_000;

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

/** Lists the problems of a file or of the workspace. */
export function diagnostics(files: WorkspaceFiles): ToolProvider {
  const standard = 200;
  return {
    tool: tool(
      'diagnostics',
      'Diagnostics',
      'Lists errors, warnings, and hints that language tools report for a file or for the whole workspace, as in the Problems view.',
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

/** Lists the symbols of a file. */
export function documentSymbols(files: WorkspaceFiles): ToolProvider {
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

/** Searches the symbols of the workspace. */
export function workspaceSymbols(files: WorkspaceFiles): ToolProvider {
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

function position({ startLine, startColumn }: LineRange): string {
  return `${startLine}:${startColumn}`;
}

function clip(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}
