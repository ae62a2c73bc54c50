/**
 * The rules that convert the fields of other apps to fields of MCP Deck, and fields of MCP Deck to those of other apps.
 * The apps are in `appFormats.ts`.
 */
import { isObject, isStringArray } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { Path } from './portableServer.js';

/** One field: `theirs` is its path in the app's file, `ours` its path in a definition of MCP Deck. */
export interface FieldRule {
  theirs: Path;
  ours: Path;
  /** The kind of server that has this field. Default: both kinds. */
  on?: 'local' | 'remote';
  /** Converts the app's value to ours; undefined if the value is invalid. Default: the value is copied unchanged. */
  read?(value: unknown): unknown;
  /**
   * Converts our value to the app's; undefined if the app cannot express it. Default: the value is copied unchanged.
   */
  write?(value: unknown): unknown;
  /** The message if only a part of our value can be written. */
  unwritten?(value: unknown, app: string): string | undefined;
  /** Whether the field is read but never written. */
  isReadOnly?: boolean;
  /** The message if the field was converted to a field with another name. */
  note?: string;
  /** The message for an invalid value that is read as the most restrictive valid value. */
  oddNote?(value: unknown): string | undefined;
}

/** The rule for a field that has the same name and format in the app and in MCP Deck. */
export const same = (...path: string[]): FieldRule => ({ theirs: path, ours: path });
/** Like `same`, for local servers only. */
export const local = (...path: string[]): FieldRule => ({ ...same(...path), on: 'local' });
/** Like `same`, for remote servers only. */
export const remote = (...path: string[]): FieldRule => ({ ...same(...path), on: 'remote' });

const oddSwitch = (value: unknown) =>
  typeof value === 'boolean' ? undefined : 'The value must be true or false. The server is treated as disabled.';
/** The rule for `disabled`. Any value except `false` disables the server. */
export const disabled: FieldRule = {
  ...same('disabled'),
  read: (value) => (typeof value === 'boolean' ? value : true),
  write: (value) => value === true,
  oddNote: oddSwitch,
};
/** The rule for `enabled`, the reverse of `disabled`. An invalid value counts as disabled. */
export const enabled: FieldRule = {
  theirs: ['enabled'],
  ours: ['disabled'],
  read: (value) => (typeof value === 'boolean' ? !value : true),
  write: (value) => value !== true,
  oddNote: oddSwitch,
};
const isPattern = (name: string) => name.includes('*');
/**
 * The rule for `disabledTools`. An invalid value disables every tool, because the user intended to disable something.
 * Only names are written, because the apps do not support patterns.
 */
export const disabledTools: FieldRule = {
  ...same('disabledTools'),
  read: (value) => (isStringArray(value) ? value : ['*']),
  oddNote: (value) =>
    isStringArray(value) ? undefined : 'The value must be a list of names. All tools of the server are disabled.',
  write: (value) => (isStringArray(value) ? value.filter((name) => !isPattern(name)) : []),
  unwritten: (value, app) => {
    const patterns = isStringArray(value) ? value.filter(isPattern) : [];
    if (patterns.length === 0) return undefined;
    const shown = patterns.map((pattern) => `"${visibleLine(pattern, 60)}"`).join(', ');
    return `${app} does not support patterns: the tools that are disabled in MCP Deck by ${shown} will be enabled in ${app}.`;
  },
};
/**
 * The rules for fields that restrict a server. The import reads them from the files of all apps, even of apps that
 * ignore these fields; the export does not write them to the files of such apps.
 */
export const narrowingRules: readonly FieldRule[] = [
  disabled,
  { ...enabled, note: 'The field was converted to "disabled".' },
  disabledTools,
];
export const start = [local('command'), local('args'), { ...local('env'), write: withoutRemoved }];
export const address = [remote('url'), remote('headers')];

/**
 * The environment without variables whose value is `null`. With this value, MCP Deck and VS Code remove an inherited
 * variable. Other apps cannot do that.
 */
function withoutRemoved(env: unknown): unknown {
  return isObject(env) ? Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null)) : env;
}

/**
 * Whether a value is a usable duration. The maximum is about 300 years in seconds, or 115 days in milliseconds, so that
 * the conversion between units stays exact.
 */
export const isDuration = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e10;

/**
 * The rule for a timeout in another unit. MCP Deck stores whole milliseconds, so a value that cannot be converted
 * exactly is invalid.
 */
export function timeoutIn(unitMs: number, theirs = 'timeout', ours = 'timeoutMs'): FieldRule {
  const read = (value: unknown) => {
    const timeoutMs = isDuration(value) ? Math.round(value * unitMs) : 0;
    return timeoutMs > 0 && timeoutMs / unitMs === value ? timeoutMs : undefined;
  };
  return { theirs: [theirs], ours: [ours], read, write: (value) => Number(value) / unitMs };
}

/** The rule for scopes. Claude Code writes all scopes as one text, as OAuth does. */
export const scopesAsText: FieldRule = {
  ...remote('oauth', 'scopes'),
  read: (value) => (typeof value === 'string' && /^\S+(?: \S+)*$/.test(value) ? value.split(' ') : undefined),
  write: (value) => (isStringArray(value) ? value.join(' ') : value),
};

/** The rule for the redirect URI. Claude Code writes only its port; the host and the path are fixed. */
export const callbackPort: FieldRule = {
  theirs: ['oauth', 'callbackPort'],
  ours: ['oauth', 'redirectUri'],
  on: 'remote',
  read: (value) =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
      ? `http://localhost:${Number(value)}/callback`
      : undefined,
  write: (value) => {
    const port =
      typeof value === 'string' ? /^http:\/\/localhost:([1-9]\d{0,4})\/callback$/.exec(value)?.[1] : undefined;
    return port !== undefined && Number(port) < 65_536 ? Number(port) : undefined;
  },
};
