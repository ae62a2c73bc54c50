/**
 * Checks which forms a server may ask for: a flat object of strings, numbers, booleans and choices (specification
 * 2025-11-25 and 2026-07-28, client/elicitation, "Requested Schema"; security requirement C9). Nested schemas are
 * refused, because such a form could hide what it asks for.
 */
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { JsonSchema } from '../protocol/mcp.js';

/** Maximum number of fields in one form. */
const maxFields = 100;
/** Maximum number of choices of one field. */
const maxChoices = 1_000;

/** Why a form for `schema` is refused, as the end of a sentence; undefined when it is accepted. */
export function formSchemaProblem(schema: JsonSchema): string | undefined {
  const { type, properties = {} } = schema;
  if (type !== undefined && type !== 'object') return 'it is not an object of fields';
  if (!isObject(properties)) return 'its "properties" are not an object';
  const fields = Object.entries(properties);
  if (fields.length > maxFields) return `it has ${fields.length} fields, more than the ${maxFields} allowed`;
  for (const [name, field] of fields) {
    const problem = fieldProblem(field);
    if (problem !== undefined) return `the field "${visibleLine(name, 60)}" ${problem}`;
  }
  return undefined;
}

function fieldProblem(field: unknown): string | undefined {
  if (!isObject(field)) return 'has no schema';
  switch (field['type']) {
    case 'string':
      return choicesProblem(field['enum']) ?? choicesProblem(field['oneOf']);
    case 'number':
    case 'integer':
    case 'boolean':
      return undefined;
    case 'array': {
      const { items } = field;
      const choices = isObject(items) ? (items['enum'] ?? items['anyOf'] ?? items['oneOf']) : undefined;
      return choices === undefined ? 'is a list without fixed choices' : choicesProblem(choices);
    }
    default:
      return 'is not a string, a number, a boolean, or a choice';
  }
}

function choicesProblem(choices: unknown): string | undefined {
  if (choices === undefined) return undefined;
  if (!Array.isArray(choices) || choices.length === 0) return 'has no choices';
  return choices.length > maxChoices ? `has ${choices.length} choices, more than the ${maxChoices} allowed` : undefined;
}
