/** The schema of a tool, `size` times as large as the largest of some 800 public tools. */
export function largeSchema(size) {
  const properties = {};
  for (let index = 0; index < 40 * size; index++) {
    properties[`argument${index}`] = [
      {
        type: 'string',
        description: 'A text that says what this argument is for, in a sentence or two.',
        minLength: 1,
      },
      { type: 'integer', minimum: 0, maximum: 100, default: 10, description: 'How many.' },
      { type: 'string', enum: ['one', 'two', 'three'], description: 'Which one of them.' },
      {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, value: { type: ['string', 'number', 'null'] } },
          required: ['name'],
        },
      },
      {
        anyOf: [
          { $ref: '#/$defs/condition' },
          { type: 'array', items: { $ref: '#/$defs/condition' } },
          { type: 'null' },
        ],
      },
      {
        type: 'object',
        properties: { width: { type: 'number' }, colors: { type: 'array', items: { enum: ['red', 'green'] } } },
        additionalProperties: { type: 'string' },
      },
    ][index % 6];
  }
  const condition = {
    type: 'object',
    properties: { and: { type: 'array', items: { $ref: '#/$defs/condition' } }, field: { type: 'string' }, equals: {} },
  };
  return { type: 'object', properties, required: ['argument0'], $defs: { condition } };
}
