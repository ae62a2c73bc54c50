/** Rules about texts that deceive a user or give instructions to a model ("tool poisoning"). */
import { t } from '@vscode/l10n';
import { isObject } from '../../../base/guards.js';
import { countHidden, visibleLine } from '../../../base/hostileText.js';
import { visibleName } from '../../../base/visibleName.js';
import type { LintRule, LintSubject, LintTarget } from './lintRule.js';
import { schemaRule, serverRule } from './lintRule.js';

/** Maximum length of a text that is searched for instructions, in characters. */
const maxSearched = 50_000;

/** Phrases that address the model about something other than the tool. Each one occurs in known attacks. */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|above|earlier|other|system)\s+(?:instructions?|prompts?|rules?|messages?|tools?)\b/i,
  /\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention|reveal|show|notify|alert)\s+(?:this\s+|it\s+|that\s+)*(?:to\s+)?(?:the\s+)?user\b/i,
  /\bwithout\s+(?:telling|informing|notifying|asking)\s+the\s+user\b/i,
  /<\s*(?:important|system|secret|hidden|instructions?)\s*>/i,
  /\byou\s+are\s+now\b|\bnew\s+system\s+prompt\b/i,
];

export const textRules: readonly LintRule[] = [
  serverRule('text-hidden', 'error', function* (subject) {
    for (const { target, text } of textsOf(subject)) {
      const count = countHidden(text);
      if (count > 0)
        yield {
          target,
          message: t('The text contains hidden characters ({0}): {1}', count, visibleLine(aroundHidden(text), 160)),
        };
    }
  }),
  serverRule('text-orders', 'warning', function* (subject) {
    for (const { target, text } of textsOf(subject)) {
      const order = orderIn(text);
      if (order !== undefined) yield { target, message: ordersMessage(order) };
    }
  }),
  schemaRule('parameter-text-hidden', 'error', function* ({ schema, property }) {
    const text = schema['description'];
    if ((typeof text === 'string' && countHidden(text) > 0) || countHidden(property ?? '') > 0)
      yield t('The text of the parameter "{0}" contains hidden characters.', visibleName(property ?? ''));
  }),
  schemaRule('parameter-text-orders', 'warning', function* ({ schema }) {
    const text = schema['description'];
    const order = typeof text === 'string' ? orderIn(text) : undefined;
    if (order !== undefined) yield ordersMessage(order);
  }),
];

function ordersMessage(order: string): string {
  return t('The text gives instructions to the model instead of describing the item: {0}', visibleLine(order, 120));
}

function orderIn(text: string): string | undefined {
  const searched = text.slice(0, maxSearched);
  for (const pattern of orders) {
    const found = pattern.exec(searched)?.[0];
    if (found !== undefined) return found;
  }
  // A comment with words. One expression for both conditions would take quadratic time.
  return (searched.match(/<!--[^<>]{3,2200}-->/g) ?? []).find((comment) => /[A-Za-z]{3}/.test(comment));
}

/** The part of a text around its first hidden character. */
function aroundHidden(text: string): string {
  let at = 0;
  let end = text.length;
  // A binary search for the shortest prefix that contains a hidden character.
  while (at + 1 < end) {
    const middle = (at + end) >> 1;
    if (countHidden(text.slice(0, middle)) > 0) end = middle;
    else at = middle;
  }
  return text.slice(Math.max(0, at - 40), at + 60);
}

/** The texts that a user or a model reads. */
function* textsOf(subject: LintSubject): Generator<{ target: LintTarget; text: string }> {
  const { server, instructions } = subject;
  if (instructions !== undefined) yield { target: { kind: 'server', name: server }, text: instructions };
  const lists = [
    ['tool', subject.tools],
    ['resource', subject.resources],
    ['template', subject.resourceTemplates],
    ['prompt', subject.prompts],
  ] as const;
  for (const [kind, items] of lists)
    for (const item of items) {
      const { name, title, description } = item;
      const more = 'annotations' in item && isObject(item.annotations) ? item.annotations['title'] : undefined;
      const texts = [name, title, description, more].filter((text) => typeof text === 'string');
      yield { target: { kind, name }, text: texts.join('\n') };
    }
}
