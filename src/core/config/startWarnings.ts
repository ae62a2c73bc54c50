import path from 'node:path';
import { t } from '@vscode/l10n';
import { countHidden, visibleLine, visibleText } from '../base/hostileText.js';
import { hasLookAlikes, visibleName } from '../base/visibleName.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { OAuthDefinition } from './oauthDefinition.js';
import type { ConfigSource, InputDefinition, RemoteDefinition, StdioDefinition } from './serverDefinition.js';
import type { UsedVariable } from './usedVariables.js';

/** Maximum length of a text: unlimited, because an attacker could hide text in a part that is cut off. */
const untruncated = Number.MAX_SAFE_INTEGER;

/** Maximum number of values in a warning about look-alike characters. */
const maxLookAlikes = 5;

const show = (text: string) => visibleText(text, untruncated);

/** The warning about hidden characters in these texts, as a list of one sentence; empty without such characters. */
export function hiddenWarning(texts: readonly string[]): string[] {
  const hidden = texts.reduce((sum, text) => sum + countHidden(text), 0);
  return hidden === 0
    ? []
    : [
        hidden === 1
          ? t('It contains 1 hidden character, written as \\u{…} here.')
          : t('It contains {0} hidden characters, written as \\u{…} here.', hidden),
      ];
}

/** Warns about displayed values that contain look-alike characters, and shows these characters as escapes. */
export function lookAlikeWarning(values: readonly string[]): string[] {
  const found = values.filter(hasLookAlikes).map((value) => visibleName(value, untruncated));
  const shown = found.slice(0, maxLookAlikes).join(', ');
  return found.length === 0
    ? []
    : found.length > maxLookAlikes
      ? [
          t(
            'It contains characters that can look like other characters, written as \\u{…} here: {0} and {1} more.',
            shown,
            found.length - maxLookAlikes,
          ),
        ]
      : [t('It contains characters that can look like other characters, written as \\u{…} here: {0}.', shown)];
}

/**
 * Warnings about a URL: the connection is not encrypted, or the URL can be mistaken for one of another host. Uses the
 * same parser as the connection.
 */
export function addressWarnings({ url }: RemoteDefinition): string[] {
  const isPlain = /^\s*(?:http|ws):/i.test(url);
  const unencrypted = isPlain ? [t('The connection is not encrypted.')] : [];
  if (!isHostWritten(url))
    return [...unencrypted, t('The host of the URL depends on a value that is filled in at the start.')];
  const parsed = parsedUrl(url);
  if (!parsed) return unencrypted;
  const { hostname, username, password } = parsed;
  return [
    ...(/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) ? [] : unencrypted),
    ...(username === '' && password === ''
      ? []
      : [t('The text before the @ is not part of the host. The URL leads to {0}.', show(hostname))]),
    ...encodedHost(hostname),
  ];
}

function encodedHost(hostname: string): string[] {
  return /(?:^|\.)xn--/.test(hostname)
    ? [t('The host name contains letters that can look like other letters. Its encoded form is {0}.', show(hostname))]
    : [];
}

/** Warns about the hosts of URLs in these texts that have letters outside of ASCII. */
export function hostWarnings(texts: readonly string[]): string[] {
  const examined = new Set<string>();
  const warnings = new Set<string>();
  for (const text of texts)
    for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
      const host = hostAt(text, at + 3);
      if (examined.has(host) || !/[^\0-\x7f]|%|xn--/i.test(host)) continue;
      if (examined.size === maxExaminedHosts)
        return [...warnings, t('It contains too many host names with unusual letters to examine all of them.')];
      examined.add(host);
      const url = host.length > maxHostLength ? undefined : parsedUrl(`http://${host}`);
      if (warnings.size < maxLookAlikes)
        for (const warning of url ? encodedHost(url.hostname) : []) warnings.add(warning);
    }
  return [...warnings];
}

/** Maximum number of hosts with unusual letters, because encoding each of them can take a millisecond. */
const maxExaminedHosts = 200;
/** Maximum length of a host as written. An encoded name has at most 253 characters; percent signs make it longer. */
const maxHostLength = 800;

const hostOfUrl = /(?:[^\s\\/?#"'`<>]*@)?([^\s\\/?#"'`<>@]*)/y;

/** The host and port at a position of a text, without the user name. */
function hostAt(text: string, at: number): string {
  hostOfUrl.lastIndex = at;
  return hostOfUrl.exec(text)?.[1] ?? '';
}

/** Warnings about paths outside of the workspace, as far as they are visible before variables are filled in. */
export function outsideWarnings({ cwd, envFile }: StdioDefinition, { folderPath }: ConfigSource): string[] {
  if (folderPath === undefined) return [];
  return [
    ...(cwd !== undefined && isOutside(cwd, folderPath)
      ? [t('It runs in a folder outside the workspace folder.')]
      : []),
    ...(envFile !== undefined && isOutside(envFile, folderPath)
      ? [t('It reads variables from a file outside the workspace folder.')]
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
  const line = (text: string) => visibleLine(text, untruncated);
  return inputs.flatMap(({ id, type, command = '', args }) => {
    if (type !== 'command') return [];
    const input = `\${input:${line(id)}}`;
    return args === undefined
      ? [t('It runs the VS Code command "{0}" to fill in {1}.', line(command), input)]
      : [
          t(
            'It runs the VS Code command "{0}" with {1} to fill in {2}.',
            line(command),
            line(JSON.stringify(args)),
            input,
          ),
        ];
  });
}

/**
 * Warns about a sign-in that reads files of this machine, may contact private networks, or uses an identity provider.
 */
export function oauthWarnings({ oauth }: RemoteDefinition): string[] {
  if (!oauth) return [];
  const files = [oauth.privateKeyFile, oauth.idTokenFile, oauth.tokenFile].filter((file) => file !== undefined);
  return [
    ...files.map((file) =>
      t('Its sign-in reads {0}, and sends the content of this file or a token that is derived from it.', show(file)),
    ),
    ...(oauth.trustedHosts ?? []).map((host) =>
      t('Its sign-in is allowed to contact {0}, even if this host is in a private network.', show(host)),
    ),
    ...(oauth.provider
      ? [t('Its sign-in requests a token from {0} on your behalf.', show(oauth.provider.tokenEndpoint))]
      : []),
  ];
}

/** The fields of a sign-in whose values are not sent to any server. */
const notForIssuer: ReadonlySet<string> = new Set(['account', 'privateKeyFile', 'idTokenFile', 'tokenFile']);

/**
 * Warns about values of this machine that would be sent to a remote server, to its authorization server, or to the
 * identity provider of the company. Each warning names the receiver.
 * @param written the definition as written. `definition` also contains the values that the workspace provides, which
 * determine the receivers.
 * @param variablesOf the variables that a part of the written definition uses.
 */
export function variableWarnings(
  definition: RemoteDefinition,
  written: RemoteDefinition,
  variablesOf: (part: RemoteDefinition) => readonly UsedVariable[],
): string[] {
  const { type, url, headers, oauth } = written;
  const { provider, ...fields } = oauth || {};
  const forIssuer = Object.fromEntries(Object.entries(fields).filter(([name]) => !notForIssuer.has(name)));
  const of = (signIn: OAuthDefinition) => variablesOf({ type, url: '', headers: {}, oauth: signIn });
  const { issuer, provider: filled } = definition.oauth || {};
  return [
    ...sentTo(hostOf(definition.url) ?? t('its URL'), variablesOf({ type, url, headers })),
    ...sentTo(hostOf(issuer) ?? t('its authorization server'), of(forIssuer)),
    ...sentTo(hostOf(filled?.tokenEndpoint) ?? t('its identity provider'), of(provider ? { provider } : {})),
  ];
}

/** A URL whose host is written, and ends before the first variable. A URL of a socket file has no host. */
const urlWithHost = /^(?:(?:unix|pipe):|[a-z][a-z+.-]*:\/\/[^\\/?#${}\p{Cc} ]+[\\/?#])/iu;

/** Whether no value that is filled in can change the host of a URL. */
function isHostWritten(url: string): boolean {
  return !url.includes('${') || urlWithHost.test(url);
}

/** The host and port of a URL with its variables, as text for display. Undefined if a value can change the host. */
export function hostOf(url = ''): string | undefined {
  const host = isHostWritten(url) ? parsedUrl(url)?.host : undefined;
  return host === undefined || host === '' ? undefined : show(host);
}

/** Names the receiver once for all variables, because both can be long. */
function sentTo(receiver: string, variables: readonly UsedVariable[]): string[] {
  const ofMachine = variables.flatMap((used) => (used.kind === 'env' ? [used.name] : []));
  const settings = variables.flatMap((used) => (used.kind === 'config' && used.value === undefined ? [used.name] : []));
  return [
    ...(ofMachine.length === 0
      ? []
      : [
          ofMachine.length === 1
            ? t('It sends the environment variable {0} of this machine to {1}.', ofMachine.join(), receiver)
            : t('It sends these environment variables of this machine to {0}: {1}.', receiver, ofMachine.join(', ')),
        ]),
    ...(settings.length === 0
      ? []
      : [
          settings.length === 1
            ? t('It sends the setting {0} to {1}.', settings.join(), receiver)
            : t('It sends these settings to {0}: {1}.', receiver, settings.join(', ')),
        ]),
  ];
}
