/** Finds problems that only the state shows: invalid numbers, invalid JSON, and duplicate names. */
import { t } from '@vscode/l10n';
import type { Form } from './form.js';
import type { FormState } from './formState.js';
import { jsonProblem, numberProblem } from './formJson.js';
import type { Place } from './place.js';
import { placesIn, rootPlace } from './places.js';

/**
 * A problem in the same format as those of schema validation. `path` is a JSON Pointer, and `message` follows the name
 * of the field in a sentence.
 */
export interface FormProblem {
  path: string;
  message: string;
}

/**
 * The problems of a state. As long as there are any, nothing must be sent, even if the schema allows the incomplete
 * text.
 */
export function stateProblems(form: Form, state: FormState): FormProblem[] {
  const problems: FormProblem[] = [];
  const visit = (place: Place): void => {
    const message = problemOf(place);
    if (message !== undefined) problems.push({ path: place.path, message });
    const names = new Set<string>();
    for (const inner of placesIn(form, place)) {
      if (inner.name !== undefined && inner.state.kind !== 'absent') {
        if (names.has(inner.name)) problems.push({ path: inner.path, message: t('is used more than once') });
        names.add(inner.name);
      }
      visit(inner);
    }
  };
  visit(rootPlace(form, state));
  return problems;
}

function problemOf({ node, state }: Place): string | undefined {
  if (state.kind === 'number') return numberProblem(state.text, node.kind === 'number' && node.isInteger);
  if (state.kind !== 'json') return undefined;
  const problem = jsonProblem(state.text);
  return problem === undefined ? undefined : t('is not valid JSON: {0}', problem);
}

/**
 * Combines the problems of the state with those of schema validation. Leaves out schema problems of incomplete values,
 * because they do not help the user.
 */
export function allProblems(ofState: readonly FormProblem[], ofSchema: readonly FormProblem[]): FormProblem[] {
  const known = ofState.map(({ path }) => path);
  const isKnown = (path: string) => known.some((other) => path === other || path.startsWith(`${other}/`));
  return [...ofState, ...ofSchema.filter(({ path }) => !isKnown(path))];
}
