/** The types that a schema names, each once; undefined if it names none. */
export function typesOf({ type }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? [...new Set(type.filter((one) => typeof one === 'string'))] : undefined;
}

/** Whether a JSON value has one of the types. True without types, and for types that JSON Schema does not have. */
export function hasType(value: unknown, types: readonly string[] | undefined): boolean {
  return types === undefined || types.length === 0 || types.some((type) => isOfType(value, type));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

const described = [
  'type',
  'enum',
  'const',
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  '$dynamicRef',
  'properties',
];

/** Whether a schema says which values it takes: by a type, by values, or by alternatives. */
export function saysWhatItTakes(schema: Readonly<Record<string, unknown>>): boolean {
  return described.some((key) => schema[key] !== undefined);
}
