import { minSecretLength } from '../base/secretFinder.js';
import { variablesIn } from '../config/variableSyntax.js';
import type { TestFile, TestStep } from './testModel.js';
import { filledIn, usedNames } from './values.js';

const prefix = 'env:';

/**
 * The environment variables whose values the host fills into the definition of a server. The file is filled in first,
 * so `$${env:NAME}` is one too.
 */
export function definitionVariables({ server, format }: Pick<TestFile, 'server' | 'format'>): string[] {
  if (!server || !('definition' in server)) return [];
  return [...variablesIn(filledIn(server.definition, {}, format), prefix)];
}

/** The environment variables that the steps of a file send, or compare with, sorted. Without those of its server. */
export function sentVariables({ setup, teardown, tests }: TestFile): string[] {
  const steps: TestStep[] = [...setup, ...teardown, ...tests.flatMap((one) => one.steps)];
  return namesIn(steps.flatMap(({ request, checks }) => [request, ...checks.map(({ value }) => value)]));
}

/** Variables whose values are no secrets, and are frequent parts of paths and messages. */
const plain: ReadonlySet<string> = new Set([
  'HOME',
  'USERPROFILE',
  'USER',
  'USERNAME',
  'PATH',
  'PWD',
  'TMPDIR',
  'LANG',
]);

/** The values of the environment variables of a file, which reports and snapshots must not contain. */
export function secretsOf(test: TestFile): string[] {
  return [...new Set([...sentVariables(test), ...definitionVariables(test)])].flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value.length < minSecretLength || plain.has(name) ? [] : [value];
  });
}

function namesIn(values: readonly unknown[]): string[] {
  const names = values.flatMap((value) => usedNames(value, 'mcptest')).filter((name) => name.startsWith(prefix));
  return [...new Set(names.map((name) => name.slice(prefix.length)))].sort();
}
