import { exactText } from '../../base/exactText.js';
import { isObject } from '../../base/guards.js';
import type { ServerFields } from './serverForm.js';

/** Maximum length of a text that a field with one line shows whole; `webview/form/textControl.ts` wraps longer ones. */
const maxLineText = 60;
/** Maximum length of a text that a field with wrapped lines shows whole. UTF-16 units. */
const maxWrappedText = 600;
/** Maximum number of names and values of a definition that a user can be expected to read on a page. */
const maxTexts = 60;

/**
 * Whether the form of a definition showed each of its names and values whole and as it is, so that a click on its
 * button can count as the approval (`StartApproval.approveShown`). False for a definition with a text that a field may
 * cut, with blanks or characters that are not visible, or with more texts than a page shows. Secrets in arguments are
 * not shown either. Linear in the definition.
 * @param drawn the definition that the page drew. Its long texts have fields with wrapped lines; a text that was typed
 * later may be in a field with one line.
 */
export function isShownWhole(fields: ServerFields, drawn: ServerFields): boolean {
  const texts = textsIn(fields);
  if (texts.length > maxTexts) return false;
  const wrapped = new Set(textsIn(drawn));
  return texts.every((text) => {
    if (text === '') return true;
    const most = wrapped.has(text) ? maxWrappedText : maxLineText;
    return text.length <= most && exactText(text) === text;
  });
}

/** Every name and every value as text; one more than the limit at most. */
function textsIn(fields: ServerFields): string[] {
  const texts: string[] = [];
  const left: unknown[] = [fields];
  while (left.length > 0 && texts.length <= maxTexts) {
    const value = left.pop();
    if (Array.isArray(value)) left.push(...(value as unknown[]).slice(0, maxTexts + 1));
    else if (isObject(value)) {
      const entries = Object.entries(value).slice(0, maxTexts + 1);
      texts.push(...entries.map(([name]) => name));
      left.push(...entries.map(([, item]) => item));
    } else texts.push(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  }
  return texts;
}
