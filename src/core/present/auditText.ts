import { escapeHiddenInJson } from '../base/hostileText.js';
import type { Localize } from './localize.js';

/** The audit log to read: newest first, hidden characters as escapes. Each line stays the JSON that it is. */
export function auditText(lines: string, t: Localize): string {
  const entries = lines.split('\n').filter((line) => line !== '');
  if (entries.length === 0) return `// ${t('Nothing was asked, allowed or refused yet in this workspace.')}\n`;
  return `${entries.reverse().map(escapeHiddenInJson).join('\n')}\n`;
}
