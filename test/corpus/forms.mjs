// Tests the forms of a collection of real tool schemas:  node test/corpus/forms.mjs <file> [--verbose]
// The file is JSON: a list of tools, or an object with one under `list` or `tools`, each with `name`, `inputSchema` and
// optionally `outputSchema` and `acceptedArguments` (a list of arguments that a server accepted). A list of plain
// schemas also works. Fails when a property cannot be reached, when a value does not survive the round trip exactly, or
// when accepted arguments are shown as JSON. Prints the number of parts that are edited as JSON, and the time.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { formFromSchema, formToValue, validate, valueToForm } from '../../dist/form-model.mjs';

const [file] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isVerbose = process.argv.includes('--verbose');
if (file === undefined) {
  console.error('Usage: node test/corpus/forms.mjs <file> [--verbose]');
  process.exit(2);
}
const content = JSON.parse(readFileSync(file, 'utf8'));
const list = Array.isArray(content) ? content : (content.list ?? content.tools);
const cases = list.flatMap((tool, index) => {
  const name = tool.name ?? `schema ${index}`;
  const input = { name, schema: tool.inputSchema ?? tool, samples: tool.acceptedArguments ?? [], isInput: true };
  return tool.outputSchema
    ? [input, { name: `${name} (output)`, schema: tool.outputSchema, samples: [], isInput: false }]
    : [input];
});

/** Values that match no particular schema. */
const oddValues = [
  null,
  '',
  '12',
  0,
  -0,
  1e21,
  true,
  [],
  {},
  [null, [[]]],
  { b: 1, a: { '': '' } },
  JSON.parse('{"__proto__":{"x":1},"constructor":"c","1":2}'),
];

const totals = { schemas: 0, nodes: 0, fields: 0, json: 0, any: 0, samples: 0, made: 0, notices: 0 };
const failures = [];
const reasons = new Map();
let slowest = { ms: 0 };

for (const { name, schema, samples, isInput } of cases) {
  totals.schemas++;
  const form = formFromSchema(schema);
  const ms = fastest(() => formFromSchema(schema));
  if (ms > slowest.ms) slowest = { ms, name, bytes: JSON.stringify(schema).length, nodes: form.nodes.length };
  assert.deepEqual(JSON.parse(JSON.stringify(form)), form, `${name}: the form is not plain data`);
  totals.nodes += form.nodes.length;
  totals.notices += form.notices.length;
  if (form.notices.length > 0 && isVerbose) console.log(`${name}: ${form.notices.join(' ')}`);
  for (const [field, path] of fieldsOf(form)) {
    totals.fields++;
    const node = form.nodes[field.node];
    if (node.isAny) {
      totals.any++;
      if (isVerbose) console.log(`any   ${name} ${path}`);
    }
    if (node.kind !== 'json') continue;
    totals.json++;
    reasons.set(node.reason, (reasons.get(node.reason) ?? 0) + 1);
    console.log(`json  ${name} ${path}: ${node.reason}`);
  }
  const missing = missingProperties(form, schema);
  if (missing.length > 0) failures.push(`${name}: no field for ${missing.join(', ')}`);
  if (
    isInput &&
    schema.type === 'object' &&
    form.nodes[form.root.node].kind !== 'object' &&
    form.nodes[form.root.node].kind !== 'variant'
  )
    failures.push(`${name}: the arguments are no group`);
  for (const value of samples) {
    totals.samples++;
    const state = valueToForm(form, value);
    check(name, form, value);
    const written = jsonParts(state);
    if (written.length > 0) failures.push(`${name}: accepted arguments are written as JSON: ${written.join(', ')}`);
    const problems = validate(schema, value);
    if (problems.length > 0)
      console.log(
        `note  ${name}: accepted arguments have problems: ${problems.map((problem) => `${problem.path} ${problem.message}`).join('; ')}`,
      );
  }
  for (const value of [exampleOf(schema, schema, 0, true), exampleOf(schema, schema, 0, false), ...oddValues]) {
    totals.made++;
    check(name, form, value);
  }
}

console.log(totals);
console.log('JSON fields by reason:', Object.fromEntries(reasons));
console.log(
  `slowest form: ${slowest.ms.toFixed(2)} ms, ${slowest.name} (${slowest.bytes} characters, ${slowest.nodes} nodes)`,
);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

function check(name, form, value) {
  try {
    const state = valueToForm(form, value);
    const back = formToValue(form, JSON.parse(JSON.stringify(state)));
    assert.deepStrictEqual(back, value);
    assert.equal(JSON.stringify(back), JSON.stringify(value));
  } catch (error) {
    failures.push(`${name}: ${JSON.stringify(value).slice(0, 200)} did not come back: ${error.message.slice(0, 200)}`);
  }
}

/** The fastest of several runs, because the machine may be busy. */
function fastest(run) {
  let best = Infinity;
  for (let i = 0; i < 3; i++) {
    const before = performance.now();
    run();
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

/** Every field of a form once, with a path to it. */
function* fieldsOf(form) {
  const seen = new Set();
  const waiting = [[form.root, '']];
  while (waiting.length > 0) {
    const [field, path] = waiting.shift();
    yield [field, path];
    if (seen.has(field.node)) continue;
    seen.add(field.node);
    const node = form.nodes[field.node];
    if (node.isAny) continue;
    for (const property of node.properties ?? []) waiting.push([property, `${path}/${property.name}`]);
    if (node.more?.isDeclared)
      waiting.push(
        [node.more.field, `${path}/*`],
        ...node.more.patterns.map((rule) => [rule.field, `${path}/${rule.pattern}`]),
      );
    for (const [index, inner] of (node.prefix ?? []).entries()) waiting.push([inner, `${path}/${index}`]);
    if (node.items) waiting.push([node.items, `${path}/-`]);
    for (const variant of node.variants ?? []) waiting.push([variant, `${path}(${variant.label})`]);
  }
}

/** Names that the schema describes and no field of the form has. Unused definitions do not count. */
function missingProperties(form, schema) {
  const drawn = new Set();
  for (const node of form.nodes) for (const property of node.properties ?? []) drawn.add(property.name);
  const missing = new Set();
  const seen = new Set();
  const waiting = [schema];
  while (waiting.length > 0) {
    const current = waiting.pop();
    if (typeof current !== 'object' || current === null || seen.has(current)) continue;
    seen.add(current);
    if (typeof current.$ref === 'string' && current.$ref.startsWith('#/'))
      waiting.push(
        current.$ref
          .slice(2)
          .split('/')
          .reduce((inner, step) => inner?.[decodeURIComponent(step)], schema),
      );
    if (current.const !== undefined || Array.isArray(current.enum)) continue;
    for (const [name, property] of Object.entries(current.properties ?? {})) {
      if (property === false) continue;
      if (!drawn.has(name)) missing.add(name);
      waiting.push(property);
    }
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
      if (Array.isArray(current[keyword])) waiting.push(...current[keyword]);
    for (const keyword of ['items', 'additionalProperties', 'then', 'else']) waiting.push(current[keyword]);
    waiting.push(...Object.values(current.patternProperties ?? {}));
  }
  return [...missing];
}

/** Paths of the parts of a state that are written as JSON. */
function jsonParts(state, path = '') {
  switch (state.kind) {
    case 'json':
      return [path];
    case 'object':
      return state.members.flatMap((member) => jsonParts(member.state, `${path}/${member.name}`));
    case 'list':
      return state.items.flatMap((item, index) => jsonParts(item.state, `${path}/${index}`));
    case 'variant':
      return jsonParts(state.state, path);
    default:
      return [];
  }
}

/** A value that matches the schema, with all properties or only the required ones. */
function exampleOf(schema, root, depth, isFull) {
  if (typeof schema !== 'object' || schema === null || depth > 6) return 'anything';
  if (typeof schema.$ref === 'string')
    return exampleOf(
      schema.$ref
        .slice(2)
        .split('/')
        .reduce((inner, step) => inner?.[step], root),
      root,
      depth + 1,
      isFull,
    );
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.at(-1);
  if (schema.default !== undefined && !isFull) return schema.default;
  const branch = (schema.oneOf ?? schema.anyOf ?? schema.allOf)?.at(isFull ? -1 : 0);
  if (branch !== undefined && schema.properties === undefined) return exampleOf(branch, root, depth + 1, isFull);
  switch (Array.isArray(schema.type) ? schema.type.at(isFull ? 0 : -1) : schema.type) {
    case 'string':
      return isFull ? 'some\r\ntext' : '';
    case 'number':
      return 0.1;
    case 'integer':
      return 9007199254740991;
    case 'boolean':
      return isFull;
    case 'null':
      return null;
    case 'array':
      return isFull
        ? [exampleOf(schema.items, root, depth + 1, true), exampleOf(schema.items, root, depth + 1, false)]
        : [];
    default: {
      const names = Object.keys(schema.properties ?? {}).filter((name) => isFull || schema.required?.includes(name));
      const entries = names.map((name) => [name, exampleOf(schema.properties[name], root, depth + 1, isFull)]);
      return Object.fromEntries(isFull ? [...entries.reverse(), ['unknown extra', { a: [1, null] }]] : entries);
    }
  }
}
