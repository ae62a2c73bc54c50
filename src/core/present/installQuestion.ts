import { visibleLine } from '../base/hostileText.js';
import type { StartDescription } from '../config/describeStart.js';
import type { Localize } from './localize.js';
import type { StartQuestion } from './startQuestion.js';
import { startSections } from './startQuestion.js';

/** The question before a link adds a server: exactly what it would run later, and that nothing runs now. */
export function installQuestion(name: string, description: StartDescription, t: Localize): StartQuestion {
  const sections = [...startSections(description, t), t('A link asks for this. Anybody can write one: add it only if you know where it comes from. Nothing is started now.')];
  return { message: t('Add the server "{0}"?', visibleLine(name)), detail: sections.join('\n\n') };
}
