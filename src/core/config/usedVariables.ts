import { exactText } from '../base/exactText.js';
import type { InputDefinition, ServerDefinition } from './serverDefinition.js';
import { collectVariables, isPortableOnly } from './variableSyntax.js';
import { withoutDefault } from './writtenValue.js';

/** A variable and the origin of its value. All texts are exact and on one line. */
export type UsedVariable =
  /** The environment of VS Code. */
  | { kind: 'env'; variable: string; name: string }
  /** A setting; `value` if the workspace sets it. */
  | { kind: 'config'; variable: string; name: string; value?: string }
  /** A workspace folder; `value` if it is known. */
  | { kind: 'folder'; variable: string; value?: string }
  /** A value that the user types; `value` if it is known: of a secret, its digest. */
  | { kind: 'typed'; variable: string; isSecret: boolean; initial?: string; value?: string }
  /** A choice of the user; each choice as `label → value`; `value` if the user has chosen. */
  | { kind: 'picked'; variable: string; choices: string[]; initial?: string; value?: string }
  /** The result of an editor command; `value` if it is known. */
  | { kind: 'command'; variable: string; command: string; arguments?: string; value?: string }
  /** An input that the source does not define, or an unknown variable. Either makes the start fail. */
  | { kind: 'unknown'; variable: string };

/** Variables that only name a location on this machine. */
const places: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
  '/',
]);

/**
 * The variables of a definition with their origins, each once, in the order of the definition; without those that only
 * name a location on this machine.
 */
export function usedVariables(
  definition: ServerDefinition,
  {
    inputs,
    values,
    digests,
    isPortable,
  }: {
    inputs: readonly InputDefinition[];
    values: ReadonlyMap<string, string>;
    /** Digests of secrets that the user entered. */
    digests: ReadonlyMap<string, string>;
    isPortable: boolean;
  },
): UsedVariable[] {
  const byId = new Map(inputs.map((input) => [input.id, input]));
  const seen = new Set<string>();
  return collectVariables(definition).flatMap((text) => {
    if (places.has(text)) return [];
    const used =
      isPortable && isPortableOnly(text)
        ? { kind: 'env' as const, variable: written(withoutDefault(text)), name: exactText(withoutDefault(text)) }
        : usedVariable(text, byId, values, digests);
    if (seen.has(used.variable)) return [];
    seen.add(used.variable);
    return [used];
  });
}

function usedVariable(
  text: string,
  inputs: ReadonlyMap<string, InputDefinition>,
  values: ReadonlyMap<string, string>,
  digests: ReadonlyMap<string, string>,
): UsedVariable {
  const [, kind = '', name = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  const variable = written(text);
  const value = values.get(text);
  switch (kind) {
    case 'env':
      return { kind, variable, name: exactText(name) };
    case 'config':
      return {
        kind,
        variable,
        name: exactText(name),
        // Also the value of a secret: it is readable in a file, and can decide what runs.
        ...(value === undefined ? {} : { value: exactText(value) }),
      };
    case 'workspaceFolder':
    case 'workspaceFolderBasename':
      return { kind: 'folder', variable, ...(value === undefined ? {} : { value: exactText(value) }) };
    case 'input': {
      const input = inputs.get(name);
      return input === undefined ? { kind: 'unknown', variable } : usedInput(variable, input, value, digests.get(text));
    }
  }
  return { kind: 'unknown', variable };
}

function usedInput(
  variable: string,
  input: InputDefinition,
  entered: string | undefined,
  digest: string | undefined,
): UsedVariable {
  const value = entered === undefined ? {} : { value: exactText(entered) };
  // Also the default of a secret: it is readable in the file, and can decide what runs.
  const initial = input.default === undefined ? {} : { initial: exactText(input.default) };
  switch (input.type) {
    case 'promptString': {
      const known = digest === undefined ? value : { value: digest };
      return { kind: 'typed', variable, isSecret: input.password === true, ...initial, ...known };
    }
    case 'pickString':
      return {
        kind: 'picked',
        variable,
        choices: (input.options ?? []).map(({ label, value }) =>
          label === value ? exactText(label, /→/) : `${exactText(label, /→/)} → ${exactText(value)}`,
        ),
        ...initial,
        ...value,
      };
    case 'command':
      return {
        kind: 'command',
        variable,
        command: exactText(input.command ?? ''),
        ...(input.args === undefined ? {} : { arguments: exactText(JSON.stringify(input.args)) }),
        ...value,
      };
  }
}

/** The variable of an input, as written in `UsedVariable.variable`. */
export function variableOfInput(id: string): string {
  return written(`input:${id}`);
}

function written(variable: string): string {
  return `\${${exactText(variable)}}`;
}
