/**
 * The arguments of a package as words of a command line. A value is always one word, or the end of one: it is never
 * split, so text with blanks or dashes in it adds no further options.
 */
import { answersTo, valuesOf } from './inputValues.js';
import type { Answers, JsonFields } from './serverJson.js';
import { field, inputOf, listField, textField } from './serverJson.js';

/** One argument with its words; no words if its value is missing. */
export interface ArgumentWords {
  words: readonly string[];
  /** Names that the URL of the package may refer to (schema 2025-12-11, `StreamableHttpTransport.url`). */
  names: readonly string[];
  value: string | undefined;
}

/** The words of all arguments in a list, in its order. */
export function argumentsOf(
  fields: JsonFields,
  list: 'runtimeArguments' | 'packageArguments',
  answers: Answers,
): ArgumentWords[] {
  return listField(fields, list).map(([index, argument]) => {
    const key = `${list}/${index}`;
    const name = textField(argument, 'name') ?? '';
    const hint = textField(argument, 'valueHint');
    const names = [hint ?? '', name.replace(/^-+/, '')].filter((text) => text !== '');
    if (name === '' || field(argument, 'type') === 'positional') {
      const words = valuesOf(argument, key, answers);
      return { words, names, value: words[0] };
    }
    if (isFlag(argument)) return { words: flagWords(argument, name, key, list, answers), names, value: undefined };
    const values = valuesOf(argument, key, answers);
    return { words: values.flatMap((value) => optionWords(name, value)), names, value: values[0] };
  });
}

/**
 * Whether an option has no value: it is boolean, or the entry states nothing about a value. A secret is always a value.
 */
function isFlag(argument: JsonFields): boolean {
  if (textField(argument, 'value') !== undefined) return false;
  if (field(argument, 'format') === 'boolean') return true;
  const hints = ['format', 'default', 'choices', 'valueHint', 'placeholder'];
  return field(argument, 'isSecret') !== true && hints.every((hint) => field(argument, hint) === undefined);
}

/**
 * The words of an option without a value. Entries list the options that a launcher needs (`-i`, `--rm`, and `-e` before
 * a name), so these options are added without asking. The user decides about options of the package.
 */
function flagWords(
  argument: JsonFields,
  name: string,
  key: string,
  list: 'runtimeArguments' | 'packageArguments',
  answers: Answers,
): readonly string[] {
  const input = inputOf(argument);
  if (list === 'runtimeArguments' && input.format === undefined) return [name];
  const [answer] = answersTo(answers, key, { ...input, isFlag: true });
  if (answer === undefined) return input.isRequired ? [name] : [];
  if (answer === 'true' || answer === '') return [name];
  if (answer === 'false') return input.default === 'true' ? [`${name}=false`] : [];
  return optionWords(name, answer);
}

/**
 * An option and its value. A long option is joined with a value that looks like an option. Registries often list names
 * without dashes, but programs require the dashes.
 */
function optionWords(name: string, value: string): string[] {
  const option = name.startsWith('-') ? name : `--${name}`;
  if (option.endsWith('=')) return [option + value];
  return option.startsWith('--') && value.startsWith('-') ? [`${option}=${value}`] : [option, value];
}
