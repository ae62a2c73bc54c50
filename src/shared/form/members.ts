/** Which field draws a member of an object, by its name. */
import type { Field, Form, ObjectNode } from './form.js';

/** Objects of the form never change; a large one is asked for each of its members. */
const declared = new WeakMap<ObjectNode, Map<string, Field>>();

/** `isDeclared`: the schema names this member. */
export function memberField(form: Form, node: ObjectNode, name: string): { field: Field; isDeclared: boolean } {
  let byName = declared.get(node);
  if (!byName) declared.set(node, (byName = new Map(node.properties.map((property) => [property.name, property]))));
  const property = byName.get(name);
  if (property) return { field: property, isDeclared: true };
  const pattern = node.more?.patterns.find((candidate) => fits(candidate, name));
  return { field: pattern?.field ?? node.more?.field ?? form.other, isDeclared: false };
}

const compiled = new WeakMap<object, RegExp | false>();

/**
 * Whether a name fits a pattern of the schema. Only patterns that cannot take long are run; any other counts as fitting,
 * which decides about nothing but how the member is drawn: the check of the value is made elsewhere.
 */
function fits(rule: { pattern: string }, name: string): boolean {
  if (name.length > 100) return true;
  let pattern = compiled.get(rule);
  if (pattern === undefined) compiled.set(rule, (pattern = parse(rule.pattern)));
  return pattern === false || pattern.test(name);
}

/** Without groups and with at most one repetition the time is at most the square of a short name. */
function parse(pattern: string): RegExp | false {
  if (pattern.length > 200 || /[(|]/.test(pattern) || (pattern.match(/[*+{?]/g)?.length ?? 0) > 1) return false;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    // No pattern: counts as fitting.
    return false;
  }
}
