import { visibleLine } from '../base/hostileText.js';
import type { StartDescription } from '../config/describeStart.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { indented } from './indented.js';
import type { Localize } from './localize.js';

/** The question before a workspace's server first runs: what asks, and exactly what would happen. */
export interface StartQuestion {
  message: string;
  detail: string;
}

/**
 * The text of the trust dialog. Nothing is cut, and every argument has a line of its own, so that none can hide in
 * another; values of variables and headers are not in it. The description has made hidden characters visible already.
 */
export function startQuestion(entry: ServerEntry, description: StartDescription, t: Localize): StartQuestion {
  const name = visibleLine(entry.id);
  const sections = [...startSections(description, t), t('It is defined in {0}. Start it only if you know where that comes from: it can do whatever you can.', description.source)];
  return { message: messageOf(entry, description.url !== undefined, name, t), detail: sections.join('\n\n') };
}

/** What a start would do, exactly, in parts with a heading each. */
export function startSections({ command, args, cwd, envFile, framing, envNames, url, isRawSocket, headerNames, settings, warnings }: StartDescription, t: Localize): string[] {
  // First, where a long command cannot push it out of sight.
  const sections: string[] = warnings.length > 0 ? [`${t('Look twice')}\n${warnings.map(exactly).join('\n')}`] : [];
  if (command !== undefined) sections.push(`${t('It runs')}\n${exactly(command)}`);
  if (args && args.length > 0) sections.push(`${t('with the arguments')}\n${args.map(exactly).join('\n')}`);
  if (cwd !== undefined) sections.push(`${t('in the folder')}\n${exactly(cwd)}`);
  if (envNames.length > 0) sections.push(`${t('and sets the variables')}\n${envNames.map(exactly).join('\n')}`);
  if (envFile !== undefined) sections.push(`${t('and those of the file')}\n${exactly(envFile)}`);
  if (framing !== undefined) sections.push(t('and sends it messages with Content-Length headers'));
  if (url !== undefined) sections.push(`${isRawSocket ? t('It exchanges JSON lines with the program behind') : t('It connects to')}\n${exactly(url)}`);
  if (headerNames.length > 0) sections.push(`${t('and sends the headers')}\n${headerNames.map(exactly).join('\n')}`);
  if (settings) sections.push(`${t('with the values that this workspace gives to the settings')}\n${settings.map(exactly).join('\n')}`);
  return sections;
}

/** A server of the user's own is asked about where the workspace has a say in it. */
function messageOf({ source }: ServerEntry, isRemote: boolean, name: string, t: Localize): string {
  if (source.kind === 'user') return isRemote ? t('Connect to your server "{0}" with settings of this workspace?', name) : t('Start your server "{0}" with settings of this workspace?', name);
  return isRemote ? t('Connect to the server "{0}" of this workspace?', name) : t('Start the server "{0}" of this workspace?', name);
}

/** One line, indented; in quotes when its ends or its being empty could not be seen otherwise. */
function exactly(text: string): string {
  const line = text.replace(/\r/g, '\\r').replace(/\n/g, '\\n').replace(/\t/g, '\\t');
  return indented(line === '' || line !== line.trim() || / {2}/.test(line) ? `"${line}"` : line);
}
