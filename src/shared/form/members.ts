/** Finds the field for a property of an object by its name. */
import type { Field, Form, ObjectNode } from './form.js';

/**
 * Declared properties by object node. They are cached, because nodes never change and a large object is searched once
 * for each of its properties.
 */
const declared = new WeakMap<ObjectNode, Map<string, Field>>();

/** The field of a property. `isDeclared` is true if the schema lists this property. */
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
 * Whether a name matches a pattern of the schema. Only patterns that match quickly are run; a name is assumed to match
 * all other patterns. The result affects only how the property is drawn, because validation checks the value.
 */
function fits(rule: { pattern: string }, name: string): boolean {
  if (name.length > 100) return true;
  let pattern = compiled.get(rule);
  if (pattern === undefined) compiled.set(rule, (pattern = parse(rule.pattern)));
  return pattern === false || pattern.test(name);
}

/**
 * Compiles a pattern if it matches quickly. A pattern without groups and with at most one repetition takes at most
 * quadratic time in the length of the name, which is limited. False for any other pattern.
 */
function parse(pattern: string): RegExp | false {
  if (pattern.length > 200 || /[(|]/.test(pattern) || (pattern.match(/[*+{?]/g)?.length ?? 0) > 1) return false;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    // The pattern is invalid, so every name is treated as a match.
    return false;
  }
}
