import type { ResourceContents } from '../../protocol/mcp.js';

const languages: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/javascript': 'javascript',
  'application/typescript': 'typescript',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'application/sql': 'sql',
  'application/x-sh': 'shellscript',
  'image/svg+xml': 'xml',
  'text/css': 'css',
  'text/html': 'html',
  'text/javascript': 'javascript',
  'text/typescript': 'typescript',
  'text/markdown': 'markdown',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'text/x-python': 'python',
  'text/x-typescript': 'typescript',
  'text/x-java': 'java',
  'text/x-go': 'go',
  'text/x-rust': 'rust',
  'text/x-c': 'c',
  'text/x-csharp': 'csharp',
  'text/x-diff': 'diff',
};

const extensions: Readonly<Record<string, string>> = {
  json: 'json',
  jsonc: 'jsonc',
  md: 'markdown',
  markdown: 'markdown',
  ts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
  html: 'html',
  htm: 'html',
  css: 'css',
  xml: 'xml',
  svg: 'xml',
  yml: 'yaml',
  yaml: 'yaml',
  sh: 'shellscript',
  sql: 'sql',
  go: 'go',
  rs: 'rust',
  java: 'java',
  cs: 'csharp',
  c: 'c',
  h: 'c',
  cpp: 'cpp',
  diff: 'diff',
  patch: 'diff',
  toml: 'toml',
  txt: 'plaintext',
  log: 'log',
};

/**
 * The language according to the MIME type or the extension of the URI. Undefined if it must be detected from the text.
 */
export function languageOf({ mimeType, uri }: ResourceContents): string | undefined {
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (Object.hasOwn(languages, type)) return languages[type];
  if (/[/+]json$/.test(type)) return 'json';
  const extension = /\.([a-z0-9]{1,10})$/i.exec(uri.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
}
