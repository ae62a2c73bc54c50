import { createHash } from 'node:crypto';
import { t } from '@vscode/l10n';
import { exactText } from '../../base/exactText.js';
import { visibleName } from '../../base/visibleName.js';
import type { DebuggedDescription, StartDescription } from '../../config/describeStart.js';
import type { UsedVariable } from '../../config/usedVariables.js';
import type { ServerEntry } from '../../registry/serverEntry.js';
import { indented } from '../text/lines.js';

/**
 * The question before MCP Deck starts a server whose definition the user has not approved. It states which server would
 * start, and exactly what would happen.
 */
export interface StartQuestion {
  message: string;
  detail: string;
  /** `detail` and all changed files. Present only if `detail` does not name all of them. */
  whole?: string;
}

/**
 * The text of the approval dialog. Only changed files of bundles may be left out, and `whole` has all of them. Every
 * value has its own line, so that no value can be hidden inside another. Two starts that run or send something
 * different have different texts. Literal secrets are shown as digests.
 */
export function startQuestion(entry: Pick<ServerEntry, 'id' | 'source'>, description: StartDescription): StartQuestion {
  const sections = [
    ...startSections(description),
    description.recording === undefined
      ? t(
          'The server is defined in {0}. Start it only if you trust its source, because it runs with your permissions.',
          description.source,
        )
      : t(
          'No program is started. The texts of the mock server come from the recording, so treat them like the texts of any other server.',
        ),
  ];
  const name = questionName(entry.id);
  const detail = sections.join('\n\n');
  const files = description.changedFiles?.map((file) => indented(file)).join('\n');
  return {
    message:
      description.recording === undefined
        ? messageOf(entry, description.url !== undefined, name)
        : t('Start the mock server "{0}"?', name),
    detail,
    ...(files === undefined ? {} : { whole: `${detail}\n\n${t('All changed files')}\n${files}\n` }),
  };
}

/** Maximum length of a name, in characters. A longer name is cut, and a digest of the whole name is added. */
const maxNameLength = 120;

/** The name of a server for use within the quotes of a question. */
export function questionName(name: string): string {
  return name.length <= maxNameLength
    ? visibleName(name)
    : `${visibleName(name, maxNameLength)} (SHA-256 ${createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, 12)}…)`;
}

/** Describes exactly what a start would do, in sections with headings. */
export function startSections(description: StartDescription): string[] {
  const {
    command,
    args = [],
    cwd,
    envFile,
    envFileLines,
    framing,
    debugpyPath,
    env,
    variables,
    recording,
    warnings,
    debugged,
  } = description;
  return [
    // The warnings come first, so that a long command cannot move them out of view.
    ...section(t('Check carefully'), ...warnings.map((warning) => exactText(warning))),
    ...section(t('MCP Deck runs'), command),
    ...section(t('with the arguments'), ...args),
    ...section(t('in the folder'), cwd),
    ...section(t('and sets the variables'), ...env.map((line) => envLine(line))),
    ...section(t('and the variables of the file'), envFile),
    ...(envFileLines === undefined
      ? []
      : section(t('which currently sets'), ...(envFileLines.length === 0 ? [t('nothing')] : envFileLines))),
    ...(framing === undefined ? [] : [t('and sends it messages with Content-Length headers')]),
    ...section(t('and, when it is debugged, the debugger'), debugpyPath),
    ...(debugged ? debuggedSections(debugged) : []),
    ...remoteSections(description),
    ...section(t('MCP Deck answers with the recording'), recording),
    ...section(t('Values that are filled in'), ...variables.flatMap((used) => variableLines(used))),
  ];
}

/** A heading with its lines; empty without lines. */
function section(heading: string, ...lines: readonly (string | undefined)[]): string[] {
  const shown = lines.flatMap((line) => (line === undefined ? [] : [indented(line)]));
  return shown.length === 0 ? [] : [`${heading}\n${shown.join('\n')}`];
}

/** What runs now instead of the definition, which later starts run. */
function debuggedSections({ command, args, env }: DebuggedDescription): string[] {
  return [
    ...section(t('This time, under the debugger, MCP Deck runs instead'), command),
    ...section(t('with the arguments'), ...args),
    ...section(t('and sets the variables'), ...env.map((line) => envLine(line))),
  ];
}

function remoteSections({ url, transport, headers, caFile, oauth }: StartDescription): string[] {
  const isRawSocket = transport === 'socket';
  return [
    ...section(isRawSocket ? t('MCP Deck exchanges JSON lines with the program at') : t('MCP Deck connects to'), url),
    ...section(t('over the transport'), transport === undefined || isRawSocket ? undefined : transportName(transport)),
    ...section(t('and sends the headers'), ...headers),
    ...section(t('and trusts the certificate authorities of the file'), caFile),
    ...(oauth === 'never'
      ? [t('and never signs in')]
      : oauth === undefined
        ? []
        : oauth.length === 0
          ? [t('and signs in without further data')]
          : section(t('and signs in with'), ...oauth)),
  ];
}

function transportName(transport: NonNullable<StartDescription['transport']>): string | undefined {
  switch (transport) {
    case 'http':
      return 'Streamable HTTP';
    case 'sse':
      return 'HTTP+SSE';
    case 'ws':
      return 'WebSocket';
    case 'auto':
      return t('Streamable HTTP, or HTTP+SSE for an older server');
    case 'socket':
      return undefined;
  }
}

/**
 * The line for an environment variable. A name without a value means that the variable is removed from the environment.
 */
function envLine(line: string): string {
  return isNameOnly(line) ? `${line} ${t('⟨removed⟩')}` : line;
}

/** Whether there is no `=` after the name, which may be quoted. */
function isNameOnly(line: string): boolean {
  return line.startsWith('"') ? /^"(?:[^"\\]|\\.)*"$/.test(line) : !line.includes('=');
}

/** The lines about a variable: the variable as written, then the origin of its value. */
function variableLines(used: UsedVariable): string[] {
  const { variable } = used;
  switch (used.kind) {
    case 'env':
      return [t('{0}: the environment variable {1} of this machine', variable, used.name)];
    case 'config':
      return [
        used.value === undefined
          ? t('{0}: the setting {1}', variable, used.name)
          : t(
              '{0}: the setting {1}, which this workspace or this machine sets to {2}',
              variable,
              used.name,
              used.value,
            ),
      ];
    case 'folder':
      return [
        used.value === undefined
          ? t('{0}: a folder of the workspace', variable)
          : t('{0}: the folder {1}', variable, used.value),
      ];
    case 'typed': {
      const value = used.isSecret
        ? t('{0}: the value that you enter, kept as a secret', variable)
        : t('{0}: the value that you enter', variable);
      return [`${value}${ending(used)}`];
    }
    case 'picked':
      return [
        `${t('{0}: the value that you select from these', variable)}${ending(used)}`,
        ...used.choices.map((choice) => indented(choice)),
      ];
    case 'command': {
      const result =
        used.arguments === undefined
          ? t('{0}: the result of the VS Code command {1}', variable, used.command)
          : t('{0}: the result of the VS Code command {1} for {2}', variable, used.command, used.arguments);
      return [`${result}${ending(used)}`];
    }
    case 'unknown':
      return [t('{0}: has no value', variable)];
  }
}

/** The default and the current value of an input. */
function ending({ initial, value }: { initial?: string; value?: string }): string {
  return [
    ...(initial === undefined ? [] : [t('with the default {0}', initial)]),
    ...(value === undefined ? [] : [t('now {0}', value)]),
  ]
    .map((text) => `, ${text}`)
    .join('');
}

/** The question about a start. The user is also asked about their own server if the workspace influences it. */
function messageOf({ source }: Pick<ServerEntry, 'source'>, isRemote: boolean, name: string): string {
  if (source.kind === 'user')
    return isRemote
      ? t('Connect to your server "{0}" with settings or files of this workspace?', name)
      : t('Start your server "{0}" with settings or files of this workspace?', name);
  if (source.kind === 'scratch')
    return isRemote ? t('Connect to the scratch server "{0}"?', name) : t('Start the scratch server "{0}"?', name);
  return isRemote
    ? t('Connect to the server "{0}" of this workspace?', name)
    : t('Start the server "{0}" of this workspace?', name);
}
