/** What only the state knows to be wrong: numbers and JSON that are half-typed, names that are there twice. */
import { t } from '@vscode/l10n';
import type { Form } from './form.js';
import type { FormState } from './formState.js';
import { jsonProblem, numberProblem } from './jsonText.js';
import type { Place } from './place.js';
import { placesIn, rootPlace } from './places.js';

/**
 * As the problems of a check against the schema: `path` is a JSON Pointer, `message` completes a sentence that begins
 * with the name of the field.
 */
export interface FormProblem {
  path: string;
  message: string;
}

/** Nothing must be sent while there is one of these, even where the schema allows the half-typed text. */
export function stateProblems(form: Form, state: FormState): FormProblem[] {
  const problems: FormProblem[] = [];
  const visit = (place: Place): void => {
    const message = problemOf(place);
    if (message !== undefined) problems.push({ path: place.path, message });
    const names = new Set<string>();
    for (const inner of placesIn(form, place)) {
      if (inner.name !== undefined && inner.state.kind !== 'absent') {
        if (names.has(inner.name)) problems.push({ path: inner.path, message: t('is there twice') });
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
 * The problems of the state and those of the check against the schema, which says nothing useful about a half-typed
 * value.
 */
export function allProblems(ofState: readonly FormProblem[], ofSchema: readonly FormProblem[]): FormProblem[] {
  const known = ofState.map(({ path }) => path);
  const isKnown = (path: string) => known.some((other) => path === other || path.startsWith(`${other}/`));
  return [...ofState, ...ofSchema.filter(({ path }) => !isKnown(path))];
}
