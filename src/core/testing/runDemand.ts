import { visibleLine } from '../base/hostileText.js';
import type { TestFile, TestStep } from './testModel.js';
import { asText, filledIn, usedNames } from './values.js';

/** The actions of a test file, for the question before it runs. */
export interface RunDemand {
  /** The name of the configured server; undefined if the file has the definition. */
  server: string | undefined;
  /** The tools that the file calls, sorted. */
  tools: readonly string[];
  /** The environment variables whose values the file sends to the server, sorted. */
  variables: readonly string[];
}

/** Maximum number of names in the question. */
const maxNames = 40;

/** The tools and the environment variables of a file, from all of its steps. */
export function demandOf(test: TestFile): RunDemand {
  const tools = new Set<string>();
  const variables = new Set<string>();
  const add = (step: TestStep, row: Readonly<Record<string, unknown>>) => {
    const { request } = step;
    for (const name of usedNames([request, row], test.format))
      if (name.startsWith('env:')) variables.add(name.slice('env:'.length));
    if (request.kind === 'call') tools.add(asText(filledIn(request.tool, row, test.format)));
  };
  for (const step of [...test.setup, ...test.teardown]) add(step, {});
  for (const { steps, row } of test.tests) for (const step of steps) add(step, row);
  if (test.server && 'definition' in test.server)
    for (const name of usedNames(test.server.definition, test.format))
      if (name.startsWith('env:')) variables.add(name.slice('env:'.length));
  return {
    server: test.server && 'name' in test.server ? test.server.name : undefined,
    tools: [...tools].sort(),
    variables: [...variables].sort(),
  };
}

/** Names for the question, one after another. The question states how many are left out. */
export function demandNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => visibleLine(name, 60));
  return names.length > maxNames ? `${shown.join(', ')}, … (${names.length})` : shown.join(', ');
}
