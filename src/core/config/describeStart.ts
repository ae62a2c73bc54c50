import { countHidden, visibleText } from '../base/hostileText.js';
import type { ConfigSource, ServerDefinition } from './serverDefinition.js';

/** Everything that a start would do, for the question before it: untruncated, hidden characters made visible, no values of secrets. */
export interface StartDescription {
  /** Local servers. */
  command?: string;
  args?: string[];
  cwd?: string;
  envFile?: string;
  /** Names only. */
  envNames: string[];
  /** Remote servers. */
  url?: string;
  /** Names only. */
  headerNames: string[];
  /** `.vscode/mcp.json`, with the folder's name where there are several. */
  source: string;
  /** Sentences about what deserves a second look. */
  warnings: string[];
}

/** Never cut: what is cut off is what an attacker would put there. */
const untruncated = Number.MAX_SAFE_INTEGER;

const dangerous: readonly [RegExp, string][] = [
  [/(?:^|[\s/\\])sudo(?:\s|$)/, 'It asks for administrator rights (sudo).'],
  [/\brm\s+-\w*[rf]/, 'It deletes files (rm).'],
  [/\b(?:curl|wget|iwr|invoke-webrequest)\b[^]*\|\s*(?:\w*sh|python\d?|node|iex)\b/i, 'It downloads something and runs it at once.'],
  [/\b(?:chmod|chown)\s/, 'It changes permissions of files.'],
];

const shells = /(?:^|[\\/])(?:ba|z|da|k|fi)?sh(?:\.exe)?$|(?:^|[\\/])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;

/** Describes what starting this definition does. */
export function describeStart({ definition, source }: { definition: ServerDefinition; source: ConfigSource }): StartDescription {
  const show = (text: string) => visibleText(text, untruncated);
  const common = { source: source.folderName === undefined ? source.label : `${source.folderName}: ${source.label}`, envNames: [], headerNames: [] };
  if (definition.type === 'builtin') return { ...common, warnings: [] };
  if (definition.type !== 'stdio') {
    return {
      ...common,
      url: show(definition.url),
      headerNames: Object.keys(definition.headers).map(show),
      warnings: [...hiddenWarning([definition.url]), ...plainHttpWarning(definition.url)],
    };
  }
  const { command, args, cwd, envFile, env } = definition;
  const line = [command, ...args].join(' ');
  return {
    ...common,
    command: show(command),
    args: args.map(show),
    ...(cwd === undefined ? {} : { cwd: show(cwd) }),
    ...(envFile === undefined ? {} : { envFile: show(envFile) }),
    envNames: Object.keys(env).map(show),
    warnings: [
      ...hiddenWarning([command, ...args, cwd ?? '', envFile ?? '', ...Object.keys(env)]),
      ...dangerous.filter(([pattern]) => pattern.test(line)).map(([, warning]) => warning),
      ...(shells.test(command) && args.some((arg) => /^[-/]\w*c/i.test(arg)) ? ['It runs a shell script given on the command line.'] : []),
      ...loaderWarning(Object.keys(env)),
    ],
  };
}

function hiddenWarning(texts: readonly string[]): string[] {
  const hidden = texts.reduce((sum, text) => sum + countHidden(text), 0);
  return hidden === 0 ? [] : [`It holds ${hidden} hidden characters, written as \\u{…} here.`];
}

function plainHttpWarning(url: string): string[] {
  const match = /^(?:http|ws):\/\/([^/:?#]+|\[[^\]]*\])/i.exec(url);
  if (!match?.[1] || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(match[1])) return [];
  return ['The connection is not encrypted.'];
}

/** Variables that make a harmless program load something else. */
function loaderWarning(names: readonly string[]): string[] {
  const loaders = names.filter((name) => /^(?:LD_PRELOAD|LD_LIBRARY_PATH|DYLD_\w+|NODE_OPTIONS|PYTHONSTARTUP|PYTHONPATH|PERL5OPT|RUBYOPT|PATH)$/i.test(name));
  return loaders.length === 0 ? [] : [`It changes what programs load (${loaders.join(', ')}).`];
}
