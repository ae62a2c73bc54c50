/**
 * A secret of a definition as an input: the definition refers to the input, and only secret storage contains the value.
 */
import { freeName, slugOf } from '../base/freeName.js';
import { isObject } from '../base/guards.js';
import type { InputDefinition } from './serverDefinition.js';

/** The place of the secret in the definition. */
export interface SecretTarget {
  field: 'env' | 'headers';
  /** The name of the variable or header. */
  name: string;
  /** The text before the secret, for example `Bearer `. */
  before: string;
}

/** The fields with the reference. `isNew`: the input has to be added to the inputs of the file. */
export interface SecretField {
  fields: Record<string, unknown>;
  input: InputDefinition;
  isNew: boolean;
}

/**
 * Puts a reference to a secret into a definition. An existing reference to a password input is kept, so that only its
 * value has to be requested; any other value is replaced.
 * @param inputs the inputs of the file.
 */
export function withSecret(
  fields: Readonly<Record<string, unknown>>,
  { field, name, before }: SecretTarget,
  { server, inputs }: { server: string; inputs: readonly InputDefinition[] },
): SecretField {
  const texts: Readonly<Record<string, unknown>> = isObject(fields[field]) ? fields[field] : {};
  const written = Object.keys(texts).find((key) =>
    field === 'headers' ? key.toLowerCase() === name.toLowerCase() : key === name,
  );
  const there = written === undefined ? undefined : texts[written];
  const id = typeof there === 'string' ? /^[\w-]{0,20} ?\$\{input:([^{}]+)\}$/.exec(there)?.[1] : undefined;
  const known = inputs.find((input) => input.id === id && input.password === true && input.type === 'promptString');
  if (known) return { fields: { ...fields }, input: known, isNew: false };
  const input: InputDefinition = {
    id: freeName(slugOf(server, name) || 'secret', new Set(inputs.map((one) => one.id))),
    type: 'promptString',
    description: `${name} of ${server}`,
    password: true,
  };
  return {
    fields: { ...fields, [field]: { ...texts, [written ?? name]: `${before}\${input:${input.id}}` } },
    input,
    isNew: true,
  };
}
