import { t } from '@vscode/l10n';
import type { TextNode } from '../../shared/form/form.js';
import type { Place } from '../../shared/form/place.js';
import { placeText } from '../../shared/form/place.js';
import { typedText } from '../../shared/form/edit.js';
import { el, iconButton, setAttributes } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';
import { SuggestionList } from './suggestionList.js';
import { ghostOf } from './fieldFacts.js';

/** Maximum length of a text on one line, in UTF-16 code units. A longer text wraps, so that all of it is visible. */
const maxLineText = 60;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * A single-line or multiline text, a date, a path, or a secret. Clearing the field removes the value; the menu can set
 * an empty string.
 */
export function textControl(context: FormContext, place: Place, node: TextNode, frame: ControlFrame): Control {
  const { field } = place;
  const text = placeText(place, 'text');
  const isDay = node.format === 'date' && (text === '' || dayPattern.test(text));
  const isLong =
    !isDay && field.isSecret !== true && (field.isMultiline === true || text.includes('\n') || node.format === 'json');
  // A text of one line that is too long for an input: wrapped, without line breaks.
  const isWrapped = !isLong && !isDay && field.isSecret !== true && text.length > maxLineText;
  const attributes = {
    id: frame.ids.control,
    'aria-describedby': frame.ids.describedBy,
    'aria-label': frame.spokenLabel,
    'aria-required': field.isRequired ? 'true' : undefined,
    spellcheck: 'false',
    readonly: false,
    placeholder: ghostOf(field),
    autocomplete: 'off',
  };
  const input =
    isLong || isWrapped
      ? el('textarea', {
          class: isWrapped ? 'input wrapped' : 'input',
          attributes: { ...attributes, rows: isLong ? 3 : 1 },
        })
      : el('input', {
          class: 'input',
          attributes: { ...attributes, type: isDay ? 'date' : field.isSecret === true ? 'password' : 'text' },
        });
  input.value = text;
  const take = (isTyped: boolean) => {
    frame.onTouched();
    context.set(place.address, typedText(node, input.value, isKept(place)), { isTyped });
  };
  if (isWrapped) keepOneLine(input);
  input.addEventListener('input', () => take(true));
  const put = (value: string) => {
    input.value = value;
    take(false);
    input.focus();
  };
  const tools: HTMLElement[] = [];
  if (field.picker) tools.push(pickButton(context, field.picker, field.label, put));
  if (field.isSecret === true && input instanceof HTMLInputElement) tools.push(revealButton(input));
  if (node.format === 'date-time')
    tools.push(iconButton('calendar', t('Insert the current date and time'), () => put(new Date().toISOString())));
  if (node.format === 'color') tools.push(colorButton(input, t('Select a color'), put));
  const list =
    isDay || field.isSecret === true
      ? undefined
      : new SuggestionList(input, {
          label: field.label,
          source: async (typed) => [
            ...ownSuggestions(node, place, typed),
            ...(await context.suggest(place, typed, { isMultiline: isLong })),
          ],
          opensOnFocus: node.suggestions !== undefined,
          onTake: put,
        });
  const element = el(
    'div',
    { class: tools.length > 0 ? 'input-row' : 'input-row plain' },
    input,
    ...tools,
    list?.element,
  );
  return {
    element,
    layout: 'line',
    focus: () => input.focus(),
    setInvalid: (isInvalid) => setAttributes(input, { 'aria-invalid': isInvalid ? 'true' : undefined }),
    refresh: (now) => {
      const typed = placeText(now, 'text');
      if (typed !== input.value && document.activeElement !== input) input.value = typed;
    },
    status: ({ state }) => (state.kind === 'text' && state.text === '' ? t('empty text') : ''),
    insert: (inserted) => {
      const { selectionStart: start, selectionEnd: end, value } = input;
      put(start === null || end === null ? inserted : `${value.slice(0, start)}${inserted}${value.slice(end)}`);
    },
  };
}

/** Keeps the text of a wrapped field on one line, as in an input: ignores Enter, and removes pasted line breaks. */
function keepOneLine(input: HTMLInputElement | HTMLTextAreaElement): void {
  const prevent = (event: Event) => {
    if (event instanceof KeyboardEvent && event.key === 'Enter' && !event.ctrlKey && !event.metaKey)
      event.preventDefault();
  };
  input.addEventListener('keydown', prevent);
  input.addEventListener('input', () => {
    if (/[\r\n]/.test(input.value)) input.value = input.value.replace(/[\r\n]+/g, '');
  });
}

/** Whether an empty text is a value. An item of a list or an additional property exists even if its text is empty. */
export function isKept({ role }: Place): boolean {
  return role === 'item' || role === 'prefix' || role === 'member';
}

function ownSuggestions(node: TextNode, { field }: Place, typed: string): { value: string; detail?: string }[] {
  const known = new Set<string>([
    ...(node.suggestions ?? []),
    ...(field.examples ?? []).filter((example) => typeof example === 'string'),
  ]);
  const wanted = typed.toLowerCase();
  return [...known]
    .filter((value) => value !== typed && value.toLowerCase().includes(wanted))
    .map((value) => ({ value }));
}

function pickButton(
  context: FormContext,
  kind: 'file' | 'folder' | 'any',
  label: string,
  put: (value: string) => void,
): HTMLElement {
  const words = kind === 'folder' ? t('Select a folder for {0}', label) : t('Select a file for {0}', label);
  return iconButton(kind === 'folder' ? 'folder-opened' : 'files', words, () => {
    void context.pick(kind).then((path) => {
      if (path !== undefined) put(path);
    });
  });
}

function revealButton(input: HTMLInputElement): HTMLElement {
  const button = iconButton('eye', t('Show Typed Text'), () => {
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    button.setAttribute('aria-pressed', String(!isShown));
  });
  button.setAttribute('aria-pressed', 'false');
  return button;
}

function colorButton(
  input: HTMLInputElement | HTMLTextAreaElement,
  label: string,
  put: (value: string) => void,
): HTMLElement {
  const swatch = el('input', { class: 'swatch', title: label, attributes: { type: 'color', 'aria-label': label } });
  const show = () => {
    if (/^#[0-9a-f]{6}$/i.test(input.value)) swatch.value = input.value;
  };
  show();
  input.addEventListener('input', show);
  swatch.addEventListener('change', () => put(swatch.value));
  return swatch;
}
