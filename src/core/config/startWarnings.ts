import path from 'node:path';
import { countHidden, visibleLine, visibleText } from '../base/hostileText.js';
import { hasLookAlikes, visibleName } from '../base/visibleName.js';
import type { ConfigSource, InputDefinition, RemoteDefinition, StdioDefinition } from './serverDefinition.js';
import type { UsedVariable } from './usedVariables.js';

/** No limit. Text is never cut, because an attacker could hide something in the part that is cut off. */
const untruncated = Number.MAX_SAFE_INTEGER;

/** Maximum number of words in a warning about look-alike letters. */
const maxLookAlikes = 5;

const show = (text: string) => visibleText(text, untruncated);

export function hiddenWarning(texts: readonly string[]): string[] {
  const hidden = texts.reduce((sum, text) => sum + countHidden(text), 0);
  return hidden === 0
    ? []
    : [`It holds ${hidden} hidden ${hidden === 1 ? 'character' : 'characters'}, written as \\u{…} here.`];
}

/** Warns about shown values with look-alike letters; the letters are written as escapes. */
export function lookAlikeWarning(words: readonly string[]): string[] {
  const found = words.filter(hasLookAlikes).map((word) => visibleName(word));
  const shown = found.slice(0, maxLookAlikes).join(', ');
  const more = found.length > maxLookAlikes ? ` and ${found.length - maxLookAlikes} more` : '';
  return found.length === 0
    ? []
    : [`It has letters that can look like others, written as \\u{…} here: ${shown}${more}.`];
}

/**
 * Warnings about an address, because it can be written so that it seems to refer to another host. Uses the same parser
 * as the connection.
 */
export function addressWarnings({ url }: RemoteDefinition): string[] {
  if (!URL.canParse(url)) return /^(?:http|ws):/i.test(url) ? ['The connection is not encrypted.'] : [];
  const { protocol, hostname, username, password } = new URL(url);
  const isPlain = protocol === 'http:' || protocol === 'ws:';
  return [
    ...(isPlain && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
      ? ['The connection is not encrypted.']
      : []),
    ...(username === '' && password === ''
      ? []
      : [`The text before the @ is not part of the address: it leads to ${show(hostname)}.`]),
    ...(/(?:^|\.)xn--/.test(hostname)
      ? [`The name of the host has letters that can look like others; it is written ${show(hostname)}.`]
      : []),
  ];
}

/** Warnings about paths outside of the workspace, as far as they are visible before variables are filled in. */
export function outsideWarnings({ cwd, envFile }: StdioDefinition, { folderPath }: ConfigSource): string[] {
  if (folderPath === undefined) return [];
  return [
    ...(cwd !== undefined && isOutside(cwd, folderPath) ? ['It runs in a folder outside the workspace folder.'] : []),
    ...(envFile !== undefined && isOutside(envFile, folderPath)
      ? ['It reads variables from a file outside the workspace folder.']
      : []),
  ];
}

function isOutside(written: string, folderPath: string): boolean {
  const own = written.replace(/^\$\{workspaceFolder\}/, () => folderPath);
  if (/^(?:~(?:[\\/]|$)|\$\{userHome\})/.test(own)) return true;
  // A path that begins with another variable can lead anywhere, and the value is not known yet.
  if (own.startsWith('${')) return false;
  const relative = path.relative(folderPath, path.resolve(folderPath, own));
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** Warns about inputs that run a command in the editor instead of asking the user. */
export function inputWarnings(inputs: readonly InputDefinition[]): string[] {
  return inputs.flatMap(({ id, type, command, args }) =>
    type === 'command'
      ? [
          `It runs the VS Code command "${visibleLine(command ?? '', untruncated)}"${args === undefined ? '' : ` with ${visibleLine(JSON.stringify(args), untruncated)}`} to fill in \${input:${visibleLine(id, untruncated)}}.`,
        ]
      : [],
  );
}

/** Warns about a sign-in that reads files of this machine or may contact the private network. */
export function oauthWarnings({ oauth }: RemoteDefinition): string[] {
  if (!oauth) return [];
  const files = [oauth.privateKeyFile, oauth.idTokenFile, oauth.tokenFile].filter((file) => file !== undefined);
  return [
    ...files.map((file) => `Its sign-in reads ${show(file)} and sends a token that is derived from it.`),
    ...(oauth.trustedHosts ?? []).map((host) => `Its sign-in may lead to ${show(host)}, also in your own network.`),
    ...(oauth.provider ? [`Its sign-in asks ${show(oauth.provider.tokenEndpoint)} for a token in your name.`] : []),
  ];
}

/** Warns about values of this machine that would be sent to a remote server. */
export function variableWarnings({ url }: RemoteDefinition, variables: readonly UsedVariable[]): string[] {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const to = host === '' ? 'its address' : show(host);
  return [
    ...variables.flatMap((used) =>
      used.kind === 'env' ? [`It sends the environment variable ${used.name} of this machine to ${to}.`] : [],
    ),
    ...variables.flatMap((used) =>
      used.kind === 'config' && used.value === undefined ? [`It sends your setting ${used.name} to ${to}.`] : [],
    ),
  ];
}
