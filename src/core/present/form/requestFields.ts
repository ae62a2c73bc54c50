/** The fields of a form that a server requests, and whether the form is shown as a page or as a few input boxes. */
import { isObject } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { jsonText } from '../../base/jsonText.js';
import type { JsonSchema } from '../../protocol/mcp.js';
import { isSecretArgument } from '../../../shared/form/hints.js';

/** The titles of the fields of a form. */
export function fieldTitles(schema: JsonSchema): string[] {
  return Object.entries(fieldsOf(schema)).map(([key, field]) => {
    const title = isObject(field) && typeof field['title'] === 'string' ? field['title'] : '';
    return visibleLine(title.trim() === '' ? key : title, 60);
  });
}

/** Maximum number of fields that are requested one after the other. */
const maxSteps = 3;

/** Whether a form needs a page: it has more than three fields, or a multiple choice. */
export function needsPage(schema: JsonSchema): boolean {
  const fields = Object.values(fieldsOf(schema));
  return fields.length > maxSteps || fields.some((field) => isObject(field) && field['type'] === 'array');
}

/** The default values of the fields of a form. */
export function fieldDefaults(schema: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fieldsOf(schema)).flatMap(([key, field]) =>
      isObject(field) && field['default'] !== undefined ? [[key, field['default']]] : [],
    ),
  );
}

/**
 * The fields that seem to ask for a secret, which a form must not ask for (specification: client/elicitation, "Form
 * Mode Security").
 */
export function secretFields(schema: JsonSchema): string[] {
  const titles = fieldTitles(schema);
  return Object.entries(fieldsOf(schema)).flatMap(([key, field], index) => {
    const title = titles[index] ?? key;
    return isSecretArgument(key, field) || isSecretArgument(title, undefined) ? [title] : [];
  });
}

/**
 * The values of an answer with the titles of their fields, one line each. Values of secrets are hidden.
 * @param maxLength maximum length of a value in UTF-16 code units; longer values end with an ellipsis.
 */
export function answerLines(schema: JsonSchema, content: Record<string, unknown>, maxLength: number): string[] {
  const titles = fieldTitles(schema);
  const secrets = new Set(secretFields(schema));
  return Object.keys(fieldsOf(schema)).flatMap((key, index) => {
    const title = titles[index] ?? key;
    if (!Object.hasOwn(content, key)) return [];
    return [`${title}: ${secrets.has(title) ? '•••' : visibleLine(jsonText(content[key]), maxLength)}`];
  });
}

function fieldsOf(schema: JsonSchema): Record<string, unknown> {
  return isObject(schema['properties']) ? schema['properties'] : {};
}
