import { UserError } from '../base/hostError.js';

type Args = Record<string, unknown>;

/**
 * Reads a required text argument. Throws a UserError that states the name of the argument if its value is missing or
 * invalid. The functions of this file do not rely on an earlier validation against the schema.
 */
export function textArgument(args: Args, name: string, maxLength: number): string {
  const value = args[name];
  if (typeof value !== 'string') throw new UserError(`The argument "${name}" must be a string.`);
  if (value.length > maxLength) throw new UserError(`The argument "${name}" is longer than ${maxLength} characters.`);
  return value;
}

/** Reads a text argument; undefined if it is absent. */
export function optionalText(args: Args, name: string, maxLength: number): string | undefined {
  return args[name] === undefined || args[name] === null ? undefined : textArgument(args, name, maxLength);
}

/** Reads an integer argument within bounds; undefined if it is absent. */
export function optionalInteger(args: Args, name: string, min: number, max: number): number | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new UserError(`The argument "${name}" must be a whole number from ${min} to ${max}.`);
  }
  return value as number;
}

/** Reads an argument that must be one of the given choices; undefined if it is absent. */
export function optionalChoice<T extends string>(args: Args, name: string, choices: readonly T[]): T | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new UserError(`The argument "${name}" must be one of ${choices.join(', ')}.`);
  return found;
}
