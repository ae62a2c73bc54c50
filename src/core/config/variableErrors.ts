/** Errors about variables. They name variables and places, and contain no values. */
import type { BadContent, ValuePlace } from '../base/failureKinds.js';
import type { HostErrorData } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { partsOf } from './variableSyntax.js';

/** The reason that a variable has no value, and the name to insert into the message. */
export type NoValue = Pick<HostErrorData['bad-configuration'], 'why' | 'subject'>;

/**
 * The error for a value that a process or a header cannot contain. The message has the names of the variables in
 * `text`, never their values.
 * @param text the text as written.
 */
export function unusableValue(
  serverName: string,
  text: string,
  [place, name]: [ValuePlace, name?: string],
  content: BadContent,
): HostError {
  const variables = [...partsOf(text)].filter(({ isVariable }) => isVariable).map((part) => shown(part.text));
  const names = [...new Set(variables)];
  const from = names.length === 0 ? '' : ` because of the value of ${names.join(', ')}`;
  const what = placeText[place].replace('{0}', () => visibleLine(name ?? '', 60));
  return new HostError(
    'bad-configuration',
    `"${visibleLine(serverName)}" cannot be started: ${what} would ${contentText[content]}${from}.`,
    {
      data: {
        problem: 'unusable-value',
        place,
        content,
        variables: names,
        ...(name === undefined ? {} : { subject: name }),
      },
      hint: 'Correct the value, and then start the server again.',
    },
  );
}

/** The reason that a variable with an unknown name has no value, as data and as a sentence. */
export function whyUnknown(name: string, argument: string | undefined, isPortable: boolean): [NoValue, string] {
  if (name === 'env' || name === 'config' || name === 'input')
    return [{ why: 'no-name', subject: name }, `Write \${${name}:…} with a name after the colon.`];
  if (name.includes('${'))
    return [{ why: 'nested' }, 'A variable cannot be inside another one, and each needs its closing brace.'];
  // `${TOKEN}` and `${TOKEN:-default}` work only in .mcp.json, but users copy them to other files.
  if (!isPortable && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && (argument === undefined || argument.startsWith('-')))
    return [
      { why: 'write-env', subject: name },
      `There is no such variable. For an environment variable, write \${env:${visibleLine(name, 100)}}.`,
    ];
  return [{ why: 'unknown' }, 'There is no such variable.'];
}

/** The error for a variable without a value. @param why a sentence with the reason. */
export function unresolvedVariable(serverName: string, variable: string, data: NoValue, why: string): HostError {
  return new HostError(
    'bad-configuration',
    `"${visibleLine(serverName)}" uses ${shown(variable)}, which has no value. ${why}`,
    {
      data: { problem: 'no-value', variable: withoutDefault(variable), ...data },
      hint: 'Correct the configuration, and then start the server again.',
    },
  );
}

/** The error for a definition whose texts are too long after the variables are filled in. */
export function tooLong(serverName: string): HostError {
  return new HostError(
    'bad-configuration',
    `"${visibleLine(serverName)}" cannot be started: its texts are too long after the variables are filled in.`,
    { data: { problem: 'filled-length' }, hint: 'Use shorter values, and then start the server again.' },
  );
}

const placeText: Readonly<Record<ValuePlace, string>> = {
  header: 'the header "{0}"',
  debugpyPath: '"debugpyPath"',
  command: '"command"',
  argument: 'an item of "args"',
  environment: 'the environment variable "{0}"',
};

const contentText: Readonly<Record<BadContent, string>> = {
  nothing: 'be empty',
  'nothing-or-break': 'be empty, or contain a line break or a NUL character',
  break: 'contain a line break or a NUL character',
  nul: 'contain a NUL character',
};

function shown(variable: string): string {
  return `\${${visibleLine(withoutDefault(variable), 100)}}`;
}

/** Removes the text after `:-`, because it is a value. */
function withoutDefault(variable: string): string {
  const at = variable.indexOf(':-');
  return at === -1 ? variable : variable.slice(0, at);
}
