import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { StartDescription } from '../../config/describeStart.js';
import { maxDialogLines } from '../text/lines.js';
import type { StartQuestion } from './startQuestion.js';
import { questionName, startSections } from './startQuestion.js';

/**
 * The question before a link adds a server. It states exactly what the server would run later, and that nothing runs
 * now.
 */
export function installQuestion(name: string, description: StartDescription): StartQuestion {
  const sections = [
    ...startSections(description),
    t(
      'A link requests this action. Anyone can create a link, so add the server only if you know where the link comes from. No server is started now.',
    ),
  ];
  return { message: t('Add the server "{0}"?', questionName(name)), detail: sections.join('\n\n') };
}

/** A server that will be written to the user's settings. */
export interface ServerToAdd {
  name: string;
  description: StartDescription;
}

/** One of the questions before servers are written, with the servers that it is about. */
export interface ServerToAddQuestion extends StartQuestion {
  names: string[];
}

/**
 * The questions before servers are written to the user's settings, from which they start without asking again. They
 * state exactly what each server would run. One question covers several servers if it does not exceed the limit of
 * lines. Nothing is cut, so the question for a single server may exceed the limit.
 * @param from the origin of the servers, for display.
 */
export function userServerQuestions(servers: readonly ServerToAdd[], from: string): ServerToAddQuestion[] {
  const groups: { names: string[]; texts: string[]; lines: number }[] = [];
  for (const { name, description } of servers) {
    const text = startSections(description).join('\n\n');
    const lines = text.split('\n').length + 2;
    const last = groups.at(-1);
    if (last && last.lines + lines <= maxDialogLines) {
      last.names.push(name);
      last.texts.push(text);
      last.lines += lines;
    } else groups.push({ names: [name], texts: [text], lines });
  }
  const ending = t(
    'The definition comes from {0}. Servers in your user settings start without asking you again, so add only servers that you know. No server is started now.',
    visibleLine(from, 1_000),
  );
  return groups.map(({ names, texts }) => {
    const [only = '', second] = names;
    if (second === undefined)
      return {
        names,
        message: t('Add the server "{0}" to your user settings?', questionName(only)),
        detail: [...texts, ending].join('\n\n'),
      };
    return {
      names,
      message: t('Add {0} servers to your user settings?', names.length),
      detail: [...texts.map((text, index) => `"${questionName(names[index] ?? '')}"\n\n${text}`), ending].join('\n\n'),
    };
  });
}
