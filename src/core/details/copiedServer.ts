/** Converts a server to text for the clipboard. Values that may be secret become inputs. */
import { t } from '@vscode/l10n';
import { freeName, slugOf } from '../base/freeName.js';
import { isStringArray } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { maskText } from '../base/masking.js';
import { objectOf } from '../base/objectCopy.js';
import { parsed } from '../trace/traceMessage.js';
import { dots } from '../base/secretFinder.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import { mapVariables } from '../config/variableSyntax.js';
import { portableDefinition } from '../interchange/portableDefinition.js';
import { argumentsText } from '../present/text/jsonPieces.js';
import { shellQuoted } from '../present/text/placeholders.js';
import { replaceSecretArguments, replaceSecrets } from '../config/argumentSecrets.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { isSecretName, isSecretQuery, isSecretSetting, isTokenText } from '../../shared/secretNames.js';

/** Maximum depth of a value; a deeper one is replaced. */
const maxDepth = 100;

export type Copied = Pick<ServerEntry, 'name' | 'definition' | 'source' | 'isEnabled' | 'inputs'>;

/**
 * The server as a configuration that `.vscode/mcp.json` and *Add Server…* accept.
 *
 * @param secrets values that must not be copied.
 */
export function copiedJson(entry: Copied, secrets: readonly string[]): string {
  const { fields, inputs } = withoutSecrets(entry);
  const text = argumentsText({
    servers: { [entry.name]: fields },
    ...(inputs.length > 0 ? { inputs } : {}),
  });
  return maskText(text, secrets);
}

/**
 * Text that PowerShell or cmd.exe fills in or runs, also within double quotes, or that ends the quotes. PowerShell
 * accepts typographic quotes as well.
 */
const windowsSyntax = /[$`"%!^\p{Cc}\u201c-\u201e]/u;

/**
 * The command line of a local server, or the URL of another one. Undefined for the built-in server. Throws a UserError
 * if no quotes keep a shell of Windows from changing the line.
 * @param platform decides for which shells words are quoted: those of Windows, or POSIX shells.
 */
export function copiedLine(entry: Copied, secrets: readonly string[], platform: NodeJS.Platform): string | undefined {
  const { command, args, url } = withoutSecrets(entry).fields;
  const words = typeof command === 'string' ? [command, ...(isStringArray(args) ? args : [])] : [];
  const changed = platform === 'win32' ? words.find((word) => windowsSyntax.test(word)) : undefined;
  if (changed !== undefined)
    throw new UserError(
      t(
        'The command line was not copied, because PowerShell or the Command Prompt could change or run this part: {0}. Run "Copy as JSON" instead.',
        visibleLine(maskText(changed, secrets)),
      ),
    );
  const line =
    words.length > 0
      ? words.map((word) => quoted(word, platform)).join(' ')
      : typeof url === 'string'
        ? url
        : undefined;
  return line === undefined ? undefined : maskText(line, secrets);
}

/** The fields of the definition, in which references to inputs replace what may be secret. */
export function withoutSecrets(entry: Copied): { fields: Record<string, unknown>; inputs: readonly InputDefinition[] } {
  const hidden = new Map<string, InputDefinition>();
  const taken = new Set(entry.inputs.map(({ id }) => id));
  /** The reference to an input that replaces a secret. */
  const reference = (name: string): string => {
    const id = freeName(slugOf(entry.name, name) || 'value', taken);
    taken.add(id);
    hidden.set(id, { id, type: 'promptString', description: `${name} of ${entry.name}`, password: true });
    return `\${input:${id}}`;
  };
  const hide = (name: string, value: string) => (isLiteral(value) ? reference(plainName(name)) : value);
  const fields = Object.fromEntries(
    Object.entries(portableDefinition(entry).fields).map(([name, value]) => {
      if (name === 'args' && isStringArray(value))
        return [name, replaceSecretArguments(value, { hide, address: (url) => openUrl(url, hide) })];
      if (name === 'url' && typeof value === 'string') return [name, openUrl(withoutUser(value), hide)];
      return [name, openValue(value, name, hide, name === 'env' || name === 'headers')];
    }),
  );
  const own = entry.inputs.map((input) => withoutSecretDefault(input));
  return { fields, inputs: [...own, ...hidden.values()] };
}

type Hide = (name: string, value: string) => string;

/**
 * A value in which each text that may be secret is replaced.
 * @param isSetting whether the names are those of settings.
 */
function openValue(value: unknown, name: string, hide: Hide, isSetting: boolean, depth = 0): unknown {
  if (typeof value === 'string') return openText(value, name, hide, isSetting, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return hide(name, '');
  if (Array.isArray(value)) return value.map((item) => openValue(item, name, hide, isSetting, depth + 1));
  return objectOf(
    Object.entries(value).map(([key, inner]) => [key, openValue(inner, key, hide, isSetting, depth + 1)]),
  );
}

function openText(text: string, name: string, hide: Hide, isSetting: boolean, depth: number): string {
  if (text === '') return text;
  const scheme = isSetting ? (/^(?:Bearer|Basic|Token|DPoP) +/i.exec(text)?.[0] ?? '') : '';
  if (scheme !== '' || (isSetting ? isSecretSetting(name) : isSecretName(name)))
    return scheme + hide(name, text.slice(scheme.length));
  const json = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (json !== undefined) {
    const opened = JSON.stringify(openValue(json, '', hide, true, depth + 1));
    if (opened !== JSON.stringify(json)) return opened;
  }
  return replaceSecrets(text, { hide, address: (url) => openUrl(url, hide, depth) }, name);
}

/** The input. Its default value is removed if it may be secret. */
function withoutSecretDefault(input: InputDefinition): InputDefinition {
  const { default: value, ...rest } = input;
  if (value === undefined) return input;
  const isSecret = input.password === true || openText(value, input.id, () => dots, true, 0) !== value;
  return isSecret ? rest : input;
}

/** Whether a text has no references to variables, or at least eight characters in addition to them. */
function isLiteral(text: string): boolean {
  return !text.includes('${') || mapVariables(text, () => '').length >= 8;
}

function plainName(name: string): string {
  return name.replace(/^-+/, '') || 'argument';
}

/** A URL without user and password. */
function withoutUser(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^\\/?#]*@/i, '$1');
}

/** The scheme, which can contain variables, the user, the place, the query, and the fragment of a URL. */
const parts = /^((?:\$\{[^}]*\}|\$(?!\{)|[^/?#$])*?:\/\/|)(?:([^/?#]*)@)?([^?#]*)(\?[^#]*)?(#[^]*)?/;

/**
 * A URL in which the password, secret parameters, and tokens in the path are replaced. The fragment is kept where it is
 * the path of a request.
 */
function openUrl(written: string, hide: Hide, depth = 0): string {
  const url = written.trim();
  const [, scheme = '', user, place = '', query = '', fragment = ''] = parts.exec(url) ?? [];
  if (user === undefined && scheme !== '') {
    // Some programs accept a slash in the password, although the text is then not a valid URL.
    const odd = /^([^/\s:@]*):(?!\d{1,5}(?:[/?#]|$))(\S*)@/.exec(url.slice(scheme.length));
    const [whole = '', name = '', password = ''] = odd ?? [];
    if (odd) {
      const rest = openUrl(`${scheme}${url.slice(scheme.length + whole.length)}`, hide, depth).slice(scheme.length);
      return `${scheme}${name}:${hide('password', password)}@${rest}`;
    }
  }
  const path = place
    .split('/')
    .map((part) => (isTokenText(part) ? hide('url', part) : part))
    .join('/');
  const parameters = query
    .slice(1)
    .split('&')
    .map((pair) => openParameters(pair, hide, depth));
  return [
    scheme,
    user === undefined ? '' : `${openUser(user, scheme, hide)}@`,
    path,
    query === '' ? '' : `?${parameters.join('&')}`,
    /^(?:unix|pipe):/i.test(scheme) && fragment !== '' ? `#${openUrl(fragment.slice(1), hide, depth)}` : '',
  ].join('');
}

/** A parameter of a query, or several: some servers separate parameters with a semicolon. */
function openParameters(text: string, hide: Hide, depth: number): string {
  const opened = openParameter(text, hide, depth);
  // A semicolon can also be a part of a secret.
  if (opened !== text || !text.includes(';')) return opened;
  return text
    .split(';')
    .map((pair) => openParameter(pair, hide, depth))
    .join(';');
}

/** A parameter of a query. Its value is also replaced if it is JSON with a secret. */
function openParameter(pair: string, hide: Hide, depth: number): string {
  const [name = '', ...rest] = pair.split('=');
  const value = rest.join('=');
  if (rest.length === 0) return isSecretSetting(name) || isTokenText(name) ? hide('url', name) : pair;
  const [plain, text] = [decoded(name), decoded(value)];
  const isJson = /^\s*[[{]/.test(text);
  const isSecret =
    isSecretQuery(plain, text) || (isJson && openText(text, plain, () => dots, true, depth + 1) !== text);
  return isSecret ? `${name}=${hide(plain, value)}` : pair;
}

/** A text of a URL without percent escapes; unchanged if it has invalid ones. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A user without the password. In the URL of a web server, a user name without a password may be a token. */
function openUser(user: string, scheme: string, hide: Hide): string {
  const colon = user.indexOf(':');
  if (colon < 0) return /^(?:http|ws)|\$\{/i.test(scheme) ? hide('user', user) : user;
  return `${user.slice(0, colon)}:${hide('password', user.slice(colon + 1))}`;
}

/**
 * Quotes a word when necessary, so that *Add Server…* splits the pasted text into the same words, and a POSIX shell runs
 * nothing in it and fills in no variable. On Windows, words have double quotes, the only quotes of cmd.exe.
 */
function quoted(text: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32' && /[$`!]/.test(text)) return shellQuoted(text);
  return text !== '' && /^[\w@%+=:,./\\~-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
