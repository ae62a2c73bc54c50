import { isSecretParameter, isSecretSetting, isTokenText } from '../secretNames.js';

/** The position of a text in a definition. */
interface SettingPlace {
  /** The name of the variable or header. */
  name?: string;
  /** Whether the text is an item of a list, such as an argument. */
  isItem: boolean;
  /** The item before the text in its list; empty if there is none. */
  before: string;
}

/** A header in an argument: `X-Key: …`, `-HX-Key: …`, `--header=X-Key: …`. */
const headerName = /^(?:--[\w-]+=|-H ?)?([\w-]{1,100}):[ \t]*(?=[^\s/])/;
/** Options of curl and similar programs that take `user:password`. */
export const userOption = /^(?:-u|-U|--user|--proxy-user)$/;
/** The user name in `user:password`. Two numbers are not a password, but the IDs of a user and a group. */
const userName = /^(?!\d+:\d+$)[^:\s]*:(?=.)/;
const attachedUser = /^(?:-[uU]|--(?:proxy-)?user=)(?!\d+:\d+$)[^:\s-][^:\s]*:(?=.)/;

/**
 * Removes possible secrets from a text of a server definition, so that the rest can be stored. The time is linear in
 * the length of the text.
 */
export function withoutSettingSecret(text: string, { name, isItem, before }: SettingPlace): string {
  if (name !== undefined && isSecretSetting(name)) return '';
  const scheme = /^(?:Bearer|Basic|Token) +/i.exec(text)?.[0] ?? '';
  if ((name !== undefined || isItem) && isTokenText(text.slice(scheme.length))) return scheme;
  if (isItem) {
    const option = /^--?[\w-]+=/.exec(text)?.[0];
    if (option !== undefined && isSecretOption(option.slice(0, -1))) return option;
    if (!text.startsWith('-') && isSecretOption(before)) return '';
    const user = (userOption.test(before) ? userName : attachedUser).exec(text)?.[0];
    if (user !== undefined) return user;
    const [header, called = ''] = headerName.exec(text) ?? [];
    if (header !== undefined && isSecretSetting(called)) return header;
  }
  return withoutAddressSecrets(text);
}

function isSecretOption(option: string): boolean {
  return /^--?[A-Za-z][\w-]*$/.test(option) && isSecretSetting(option);
}

/** An address without its password and without the values of secret parameters. */
function withoutAddressSecrets(text: string): string {
  const start = text.indexOf('://');
  if (start < 0) return text;
  const end = start + 3 + text.slice(start + 3).search(/[/?#]|$/);
  const host = text.slice(start + 3, end);
  const at = host.lastIndexOf('@');
  const colon = host.indexOf(':');
  const shownHost = at >= 0 && colon >= 0 && colon < at ? `${host.slice(0, colon + 1)}${host.slice(at)}` : host;
  const rest = text
    .slice(end)
    .replace(/(?<=[?&#])([^=&#?]+)=([^&#]+)/g, (whole, name: string, value: string) =>
      isSecretParameter(name) || isTokenText(value) ? `${name}=` : whole,
    );
  return text.slice(0, start + 3) + shownHost + rest;
}
