/** The values of the inputs of a `server.json`: fixed, from a template with variables, or answered by the user. */
import { filledText } from './filledText.js';
import type { Answers, JsonFields, GalleryInput } from './serverJson.js';
import { field, inputOf, textField, variablesOf } from './serverJson.js';

/** The answers to one input. Only a repeated input has several. */
export function answersTo(answers: Answers, key: string, input: GalleryInput): readonly string[] {
  const answer = answers(key, input) ?? input.default;
  if (answer === undefined) return [];
  if (typeof answer === 'string') return [answer];
  return input.isRepeated ? answer : answer.slice(0, 1);
}

/**
 * The values of an input: none if a value that it needs is missing, several if the input is repeated. Braces around a
 * name that is not one of the variables are part of the text, as the schema requires.
 * @param key the key of the input; those of its variables begin with it.
 */
export function valuesOf(fields: JsonFields, key: string, answers: Answers): readonly string[] {
  const value = textField(fields, 'value');
  const input = inputOf(fields);
  if (value === undefined) return answersTo(answers, key, input);
  const parts = new Map<string, readonly string[]>();
  for (const [name, variable] of variablesOf(fields))
    if (value.includes(`{${name}}`))
      parts.set(name, variableValues(variable, `${key}/variables/${name}`, answers, input));
  const counts = [...parts.values()].map((values) => values.length);
  if (counts.includes(0)) return [];
  return Array.from({ length: Math.max(1, ...counts) }, (_, at) =>
    filledIn(value, (name) => {
      const values = parts.get(name);
      return values?.[Math.min(at, values.length - 1)];
    }),
  );
}

/**
 * The values of a variable, which is an input without variables of its own.
 * @param whole the input that contains the variable. The variable is required and repeated if this input is.
 */
export function variableValues(
  fields: JsonFields,
  key: string,
  answers: Answers,
  { isRequired, isRepeated }: Pick<GalleryInput, 'isRequired' | 'isRepeated'>,
): readonly string[] {
  const fixed = textField(fields, 'value');
  if (fixed !== undefined) return [fixed];
  const input = inputOf(fields);
  return answersTo(answers, key, { ...input, isRequired: isRequired || input.isRequired, isRepeated });
}

/** Replaces each `{name}` that has a value, once: braces in a value are not replaced. @throws Unsupported if too long. */
export function filledIn(template: string, valueOf: (name: string) => string | undefined): string {
  return filledText(template, /\{([^{}]+)\}/g, valueOf);
}

/**
 * The value of a header. Most templates of headers in registries declare no variables, for example `Bearer {token}`.
 * The user is asked for these names too, and a name without an answer is part of the text, as the schema requires.
 * @param shared the variables of the transport.
 */
export function headerValue(
  fields: JsonFields,
  key: string,
  shared: ReadonlyMap<string, JsonFields>,
  answers: Answers,
): string | undefined {
  const [value] = valuesOf(fields, key, answers);
  const template = textField(fields, 'value');
  if (value === undefined || template === undefined) return value;
  const declared = variablesOf(fields);
  if (declared.size > 0) return value;
  const whole = { isRequired: field(fields, 'isRequired') === true, isRepeated: false };
  return filledIn(template, (name) => {
    const variable = shared.get(name) ?? { isSecret: true };
    return isName(name) ? variableValues(variable, `${key}/variables/${name}`, answers, whole)[0] : undefined;
  });
}

/** Whether text in braces is the name of a variable, and not, for example, JSON. */
export function isName(text: string): boolean {
  return /^[A-Za-z_][\w.-]{0,99}$/.test(text);
}
