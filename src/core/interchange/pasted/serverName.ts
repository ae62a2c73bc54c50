import { parsedUrl } from '../../base/parsedUrl.js';

/** Suggests names for servers, from their packages, files and URLs. */

/** Programs that run a package or a script, so their own names do not identify the server. */
const runners: ReadonlySet<string> = new Set([
  ...['npx', 'bunx', 'pnpx', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'node', 'nodejs', 'tsx', 'ts-node', 'nodemon'],
  ...['uvx', 'uv', 'pipx', 'pip', 'poetry', 'pdm', 'hatch', 'conda', 'python', 'python3', 'python2', 'py'],
  ...['docker', 'podman', 'nerdctl', 'java', 'dotnet', 'dnx', 'cargo', 'go', 'ruby', 'bundle', 'php', 'perl'],
  ...['sh', 'bash', 'zsh', 'cmd', 'powershell', 'pwsh', 'env', 'cross-env', 'sudo', 'wsl', 'nix', 'mise', 'direnv'],
  ...['run', 'exec', 'dlx', 'tool', 'x', 'start', 'container', 'compose'],
  ...['mcp-remote', 'supergateway', 'mcp-proxy', '@smithery/cli', 'dotenv', 'fastmcp'],
]);
/** Names of folders and files that do not identify a server. */
const general =
  /^(?:index|main|server|cli|app|mod|__main__|__init__|start|run|stdio|bin|dist|build|src|lib|out|target|release|debug|node_modules|packages|js|py|mcp|mcp-server|server-mcp|latest|stable|api|sse|v\d+(?:\.\d+)*|\.|\.\.|)$/i;
/** Maximum length of a word that a name is derived from, in UTF-16 code units. Longer words are ignored. */
const maxWord = 500;
/** Options whose value names a package or a folder of the server. */
const namingOptions = /^(?:--package|-p|--from|--directory|--project|-m|-jar|--module|--manifest-path)$/;
/** Options of launchers whose value does not identify the server. */
const withValue =
  /^(?:-e|--env|--env-file|-v|--volume|--mount|--name|--network|-w|--workdir|-u|--user|--with|--python|--platform|--entrypoint|--add-host|--label|-l|--pull|--cpus|--memory|-t|--transport|--registry|--index-url)$/;

/** An option of `cmd`, such as `/c`. A longer word is a path. */
const windowsSwitch = /^\/[a-z]$/i;

/** A name for a local or remote server: `everything` for `@modelcontextprotocol/server-everything`. */
export function nameFor(fields: Readonly<Record<string, unknown>>): string {
  const { url, command, args } = fields;
  if (typeof url === 'string') return nameOfUrl(url);
  if (typeof command !== 'string') return 'server';
  const words = Array.isArray(args) ? args.filter((word): word is string => typeof word === 'string') : [];
  return nameOfCommand([command, ...words].filter(({ length }) => length <= maxWord));
}

function nameOfCommand(words: readonly string[]): string {
  const candidates: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (namingOptions.test(word)) {
      const value = words[++index];
      // The value of `-p 8080:80` is a published port and not a name.
      if (value !== undefined && !/^\d/.test(value)) candidates.push(value);
    } else if (withValue.test(word)) index++;
    else if (!word.startsWith('-') && !windowsSwitch.test(word) && !isRunner(word)) candidates.push(word);
  }
  for (const candidate of candidates.slice(0, 4)) {
    const name = /^(?:https?|wss?):\/\//i.test(candidate) ? nameOfUrl(candidate) : nameOfPackage(candidate);
    if (name !== undefined && name !== 'server') return name;
  }
  return 'server';
}

function isRunner(word: string): boolean {
  const file = word.split(/[\\/]/).at(-1) ?? '';
  const plain = (word.startsWith('@') ? word : file).toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '');
  return runners.has(plain.replace(/(.)@[^/]*$/, '$1').replace(/(?<=python|pip|py)[\d.]+$/, ''));
}

/** The name of a package, an image, or a file: the last part that identifies it. */
function nameOfPackage(word: string): string | undefined {
  const clean = word
    .replace(/^git\+/, '')
    .replace(/\$\{[^}]*\}/g, '')
    .replace(/(.)[@:][^@:/\\]*$/, '$1')
    .replace(/\.git$/, '')
    .replace(/\[[^\]]*\]$/, '');
  const parts = clean.split(/[\\/]/).filter((part) => part !== '');
  for (const part of parts.reverse().slice(0, 6)) {
    const name = plainName(part);
    if (!general.test(name.replace(/\..*$/, ''))) return name;
  }
  return undefined;
}

function nameOfUrl(url: string): string {
  if (/^(?:unix|pipe):/i.test(url)) {
    const file =
      url
        .replace(/[?#].*$/, '')
        .split('/')
        .at(-1) ?? '';
    return plainName(file.replace(/\.sock(?:et)?$/i, '')) || 'server';
  }
  const parsed = parsedUrl(url);
  if (!parsed) return 'server';
  const { hostname, pathname } = parsed;
  if (/^[\d.]+$|^\[|^localhost$|\.local$/.test(hostname)) {
    const part = pathname.split('/').find((one) => !general.test(plainName(one)));
    return part === undefined ? 'local' : plainName(part);
  }
  const labels = hostname.split('.');
  const found = labels
    .slice(0, Math.max(1, labels.length - 1))
    .find((label) => !/^(?:www|mcp|api|app|sse|gateway)$/.test(label));
  return plainName(found ?? labels.at(-2) ?? '') || 'server';
}

function plainName(text: string): string {
  const name = text
    .replace(/\.(?:exe|cmd|bat|sh|py|jar|dll|rb|php|go|[cm]?[jt]s)$/i, '')
    .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
    .slice(0, 60);
  const short = name
    .replace(/^(?:mcp[-_]server[-_]|server[-_]mcp[-_]|server[-_]|mcp[-_])/i, '')
    .replace(/(?:[-_]mcp[-_]server|[-_]server[-_]mcp|[-_]mcp|[-_]server)$/i, '');
  return (short === '' ? name : short).replace(/^[-_.]+|[-_.]+$/g, '');
}
