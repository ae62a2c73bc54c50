import type { Form } from '../../../shared/form/form.js';
import { buildForm } from '../../../shared/form/formBuilder.js';
import { isObject } from '../../base/guards.js';
import { visibleText } from '../../base/hostileText.js';

/** The form of a schema in the user's language. Never throws; see `Form`. */
export function schemaForm(schema: unknown): Form {
  return buildForm(schema, { visible: visibleText });
}

/** An argument of a prompt. */
export interface TextArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/** The form for the arguments of a prompt: all are texts. */
export function argumentsForm(args: readonly TextArgument[]): Form {
  return schemaForm(argumentsSchema(args));
}

/** The schema of the form that `argumentsForm` returns; it validates the input. */
export function argumentsSchema(args: readonly TextArgument[]): Record<string, unknown> {
  const properties = args
    .filter(isObject)
    .map(({ name, title, description }) => [name, { type: 'string', title, description }] as const);
  return {
    type: 'object',
    // `fromEntries` is used because an argument may be called `__proto__`.
    properties: Object.fromEntries(properties),
    required: args.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}
