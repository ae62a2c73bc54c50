/**
 * Converts a call to code that makes the same call: with an official SDK, with curl, or with `mcp-deck`. Values that
 * may be secret become environment variables, which comments list at the beginning.
 */
import { isObject, isStringArray } from '../base/guards.js';
import { maskText } from '../base/masking.js';
import { curlText } from '../present/text/curlText.js';
import type { SpokenRevision } from '../present/text/curlText.js';
import type { TextPart } from '../present/text/placeholders.js';
import { Placeholders, shellQuoted, shellWord } from '../present/text/placeholders.js';
import type { LinkedCall } from '../present/text/runLinks.js';
import type { Copied } from './copiedServer.js';
import { withoutSecrets } from './copiedServer.js';

export const copyFormats = ['typescript', 'python', 'curl', 'cli'] as const;
export type CopyFormat = (typeof copyFormats)[number];

export interface CopiedCall {
  call: LinkedCall;
  entry: Copied;
  spoken: SpokenRevision;
  /** The schema of the arguments, if the server is running. */
  inputSchema?: unknown;
  /** Values that must not be copied. */
  secrets: readonly string[];
}

/** A server in copied code: how to start it, or where it is. */
interface Target {
  command?: string;
  args: readonly string[];
  cwd?: string;
  url?: string;
  isSse: boolean;
  /** Environment variables, or headers. */
  values: Readonly<Record<string, string>>;
}

/** The code; undefined if the format does not support the server. */
export function copiedCall(copied: CopiedCall, format: CopyFormat): string | undefined {
  const text = codeOf(copied, format);
  return text === undefined ? undefined : maskText(text, copied.secrets);
}

function codeOf(copied: CopiedCall, format: CopyFormat): string | undefined {
  const { call, entry, spoken, inputSchema } = copied;
  const target = targetOf(entry);
  if (!target) return undefined;
  if (format === 'curl')
    return target.url === undefined || target.isSse
      ? undefined
      : curlText(call, { url: target.url, headers: target.values }, spoken, inputSchema);
  if (format === 'cli') return cliText(call, target, spoken);
  return format === 'typescript' ? typeScriptText(call, target, spoken) : pythonText(call, target);
}

function targetOf(entry: Copied): Target | undefined {
  const { type } = entry.definition;
  if (type !== 'stdio' && type !== 'http' && type !== 'sse' && type !== 'auto') return undefined;
  const { command, args, cwd, url, env, headers } = withoutSecrets(entry).fields;
  // A definition can also contain fields of the other kind, which are not used.
  const isLocal = type === 'stdio';
  const given = isLocal ? env : headers;
  const values = Object.entries(isObject(given) ? given : {});
  return {
    ...(typeof command === 'string' ? { command } : {}),
    args: isStringArray(args) ? args : [],
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(!isLocal && typeof url === 'string' ? { url } : {}),
    isSse: type === 'sse',
    values: Object.fromEntries(values.filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
  };
}

/** How a language writes texts with environment variables, and other values. */
interface Language {
  comment: string;
  text: (parts: readonly TextPart[]) => string;
  literal: (value: unknown) => string;
}

const typeScript: Language = {
  comment: '//',
  text: (parts) =>
    joined(
      parts,
      ({ variable }) => `(process.env[${JSON.stringify(variable)}] ?? '')`,
      (text) => JSON.stringify(text),
    ),
  // As a name in an object literal, `__proto__` would set the prototype.
  literal: (value) => written(value, (name) => (name === '"__proto__"' ? `[${name}]` : name), JSON.stringify),
};

const python: Language = {
  comment: '#',
  text: (parts) =>
    joined(
      parts,
      ({ variable }) => `os.environ[${JSON.stringify(variable)}]`,
      (text) => JSON.stringify(text),
    ),
  literal: (value) =>
    written(
      value,
      (name) => name,
      (one) => (one === true ? 'True' : one === false ? 'False' : one === null ? 'None' : JSON.stringify(one)),
    ),
};

function joined(
  parts: readonly TextPart[],
  variable: (part: { variable: string }) => string,
  literal: (text: string) => string,
): string {
  if (parts.length === 0) return '""';
  return parts.map((part) => ('variable' in part ? variable(part) : literal(part.text))).join(' + ');
}

/** A JSON value as a literal on one line. */
function written(value: unknown, name: (quoted: string) => string, plain: (value: unknown) => string): string {
  if (Array.isArray(value)) return `[${value.map((item) => written(item, name, plain)).join(', ')}]`;
  if (!isObject(value)) return plain(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${name(JSON.stringify(key))}: ${written(member, name, plain)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function typeScriptText(call: LinkedCall, target: Target, { era }: SpokenRevision): string {
  const { text, literal } = typeScript;
  const placeholders = new Placeholders();
  const of = (value: string) => text(placeholders.parts(value));
  const values = Object.entries(target.values).map(([name, value]) => `${JSON.stringify(name)}: ${of(value)}`);
  // The client of 2.x supports both eras but not HTTP+SSE; 1.x supports HTTP+SSE, but only the legacy era.
  const isModern = era === 'modern';
  const transport = target.isSse ? 'SSEClientTransport' : 'StreamableHTTPClientTransport';
  const { url } = target;
  const stdioModule = isModern ? '@modelcontextprotocol/client/stdio' : '@modelcontextprotocol/sdk/client/stdio.js';
  const imports =
    url === undefined
      ? [`import { getDefaultEnvironment, StdioClientTransport } from '${stdioModule}';`]
      : isModern
        ? []
        : [
            `import { ${transport} } from '@modelcontextprotocol/sdk/client/${target.isSse ? 'sse' : 'streamableHttp'}.js';`,
          ];
  const connection =
    url === undefined
      ? [
          'new StdioClientTransport({',
          `    command: ${of(target.command ?? '')},`,
          `    args: [${target.args.map(of).join(', ')}],`,
          ...(target.cwd === undefined ? [] : [`    cwd: ${of(target.cwd)},`]),
          `    env: { ...getDefaultEnvironment()${values.map((value) => `, ${value}`).join('')} },`,
          '  })',
        ]
      : [
          `new ${transport}(new URL(${of(url)})${values.length === 0 ? '' : `, { requestInit: { headers: { ${values.join(', ')} } } }`})`,
        ];
  const client = isModern
    ? `import { Client${url === undefined ? '' : `, ${transport}`} } from '@modelcontextprotocol/client';`
    : `import { Client } from '@modelcontextprotocol/sdk/client/index.js';`;
  const options = isModern ? `, { versionNegotiation: { mode: 'auto' } }` : '';
  return lines([
    `// npm install ${isModern ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk'}`,
    ...placeholders.lines.map((line) => `// ${line}`),
    client,
    ...imports,
    '',
    `const client = new Client({ name: 'example', version: '1.0.0' }${options});`,
    'await client.connect(',
    `  ${connection.join('\n')},`,
    ');',
    `const result = await client.callTool({ name: ${JSON.stringify(call.tool)}, arguments: ${literal(call.arguments)} });`,
    'console.log(JSON.stringify(result, undefined, 2));',
    'await client.close();',
  ]);
}

function pythonText(call: LinkedCall, target: Target): string {
  const { text, literal } = python;
  const placeholders = new Placeholders();
  const of = (value: string) => text(placeholders.parts(value));
  const values = Object.entries(target.values).map(([name, value]) => `${JSON.stringify(name)}: ${of(value)}`);
  const { url } = target;
  const module = target.isSse
    ? ['mcp.client.sse', 'sse_client']
    : ['mcp.client.streamable_http', 'streamablehttp_client'];
  const [imports, connection, streams] =
    url === undefined
      ? [
          [
            'from mcp import ClientSession, StdioServerParameters',
            'from mcp.client.stdio import get_default_environment, stdio_client',
          ],
          [
            'stdio_client(StdioServerParameters(',
            `        command=${of(target.command ?? '')},`,
            `        args=[${target.args.map(of).join(', ')}],`,
            ...(target.cwd === undefined ? [] : [`        cwd=${of(target.cwd)},`]),
            `        env={**get_default_environment()${values.map((value) => `, ${value}`).join('')}},`,
            '    ))',
          ],
          '(read, write)',
        ]
      : [
          ['from mcp import ClientSession', `from ${module[0] ?? ''} import ${module[1] ?? ''}`],
          [`${module[1] ?? ''}(${of(url)}${values.length === 0 ? '' : `, headers={${values.join(', ')}}`})`],
          target.isSse ? '(read, write)' : '(read, write, _)',
        ];
  return lines([
    '# pip install mcp',
    ...placeholders.lines.map((line) => `# ${line}`),
    'import asyncio',
    ...(placeholders.lines.length > 0 ? ['import os'] : []),
    '',
    ...imports,
    '',
    '',
    'async def main():',
    `    async with ${connection.join('\n')} as ${streams}:`,
    '        async with ClientSession(read, write) as session:',
    '            await session.initialize()',
    `            result = await session.call_tool(${JSON.stringify(call.tool)}, ${literal(call.arguments)})`,
    '            print(result.model_dump_json(indent=2))',
    '',
    '',
    'asyncio.run(main())',
  ]);
}

function cliText(call: LinkedCall, target: Target, { era }: SpokenRevision): string {
  const placeholders = new Placeholders();
  const word = (text: string) => shellWord(placeholders.parts(text));
  // `--command` is itself a command line, in which each word has quotes of its own. `${…}` becomes a variable.
  const command = [target.command ?? '', ...target.args]
    .map((one) => `"${one.replace(/["\\`]|\$(?!\{)/g, '\\$&')}"`)
    .join(' ');
  const isLocal = target.url === undefined;
  const options = [
    isLocal ? `--command ${word(command)}` : `--url ${word(target.url ?? '')}`,
    ...Object.entries(target.values).map(([name, value]) =>
      isLocal ? `--env ${word(`${name}=${value}`)}` : `--header ${word(`${name}: ${value}`)}`,
    ),
    `--protocol ${era === 'modern' ? '2026-07-28' : 'legacy'}`,
  ];
  const run = `mcp-deck call ${options.join(' ')} -- ${shellQuoted(call.tool)} ${shellQuoted(JSON.stringify(call.arguments))}`;
  const start = target.cwd === undefined ? [] : [`cd ${word(target.cwd)}`];
  return lines([...placeholders.lines.map((line) => `# ${line}`), ...start, run]);
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
