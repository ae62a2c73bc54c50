/**
 * Finds the parts of arguments and other texts of a definition that may be secret. Tooltips, pages, logs and copied
 * servers use the same rules. The time is linear in the length of the text.
 */
import { maskPlainText } from '../../shared/plainText.js';
import { userOption } from '../../shared/form/settingSecrets.js';
import { isSecretName, isSecretSetting, isTokenText } from '../../shared/secretNames.js';

/** The functions that create the replacements for secrets. */
export interface SecretReplacement {
  /** Returns the replacement for a value. `name` is the option, header or parameter with the value; empty if none. */
  hide(name: string, value: string): string;
  /** Replaces the secrets in a text that begins like a URL. */
  address(url: string): string;
}

/** The arguments of a command line in which each part that may be secret is replaced. */
export function replaceSecretArguments(args: readonly string[], by: SecretReplacement): string[] {
  return args.map((arg, index) => {
    const [, name, value = ''] = /^([^=\s]*)=([^]*)$/.exec(arg) ?? [];
    if (name !== undefined && (isSecretOption(name, value) || isTokenText(value)))
      return `${name}=${by.hide(name, value)}`;
    const before = args[index - 1] ?? '';
    const option = before.startsWith('-') && !before.includes('=') && !arg.startsWith('-') ? before : '';
    if (option !== '' && isSecretOption(option, arg)) return by.hide(option, arg);
    if (userOption.test(option)) return withoutPassword(arg, by);
    if (name?.startsWith('-') === true)
      return `${name}=${userOption.test(name) ? withoutPassword(value, by) : replaceSecrets(value, by, name)}`;
    const [, attached, user = ''] = /^(-[uU])([^-][^]*)$/.exec(arg) ?? [];
    return attached === undefined ? replaceSecrets(arg, by, option) : attached + withoutPassword(user, by);
  });
}

/** The parts of a secret that a program can print alone: after a scheme or a user, or before the next word of a line. */
function partsOf(value: string): string[] {
  // The rest begins with a character that the separators cannot be, because the time would otherwise be quadratic.
  const [, scheme, rest = ''] = /^(Bearer|Basic|Token|DPoP|[^\s:/]+(?=:))[ :]+([^\s:][^]*)$/i.exec(value) ?? [];
  return scheme === undefined ? value.split(/\s+/).slice(0, 1) : [rest];
}

/** The secrets in the arguments of a command line. Values of options whose names are uncertain are not included. */
export function secretsOfArguments(args: readonly string[]): string[] {
  const found: string[] = [];
  const hide = (name: string, value: string) => {
    if (name === '' || name === '-p' || isSecretName(name) || isTokenText(value)) found.push(value, ...partsOf(value));
    return value;
  };
  // The function for plain text finds the passwords and parameters of URLs.
  replaceSecretArguments(args, { hide, address: (url) => maskPlainText(url, (value, name) => hide(name, value)) });
  return found;
}

/**
 * Replaces each part of a text that may be secret, such as a header, a token or the password of a URL. Use it only if
 * `name`, the option or variable of the text, does not mark the whole text as secret.
 */
export function replaceSecrets(text: string, by: SecretReplacement, name: string): string {
  const [before, header = ''] = /^(?:-H ?)?([\w-]{1,100}):[ \t]*(?=\S)/.exec(text) ?? [];
  if (before !== undefined && isSecretSetting(header) && !text.slice(before.length).includes('${'))
    return before + by.hide(header, text.slice(before.length));
  if (isTokenText(text)) return by.hide(name, text);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return by.address(text);
  const words = text.split(/([\s,;|]+)/).map((word) => (isTokenText(word) ? by.hide(name, word) : word));
  return maskPlainText(words.join(''), (value, called) => by.hide(called || name, value));
}

/** `user:password` without the password. Two numbers are the IDs of a user and a group. */
function withoutPassword(text: string, by: SecretReplacement): string {
  const [, user = '', password] = /^([^:\s]*):([^]+)$/.exec(text) ?? [];
  return password === undefined || /^\d+:\d+$/.test(text) ? text : `${user}:${by.hide('password', password)}`;
}

/**
 * Whether the value of an option may be secret. `-p` means a port in some programs and a password in others, so the
 * form of its value decides.
 */
function isSecretOption(option: string, value: string): boolean {
  return option === '-p' ? !/^[\d.:]*(?:\/\w+)?$/.test(value) : isSecretSetting(option);
}
