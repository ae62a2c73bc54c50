import { minSecretLength } from '../base/secretFinder.js';
import type { TestFile, TestStep } from './testModel.js';
import { usedNames } from './values.js';

const prefix = 'env:';

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
  const server = test.server && 'definition' in test.server ? [test.server.definition] : [];
  return [...new Set([...sentVariables(test), ...namesIn(server)])].flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value.length < minSecretLength || plain.has(name) ? [] : [value];
  });
}

function namesIn(values: readonly unknown[]): string[] {
  const names = values.flatMap((value) => usedNames(value, 'mcptest')).filter((name) => name.startsWith(prefix));
  return [...new Set(names.map((name) => name.slice(prefix.length)))].sort();
}
