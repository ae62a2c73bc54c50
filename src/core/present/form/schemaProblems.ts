import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { SchemaProblem } from '../../schema/problemText.js';
import { nameOfStep } from '../../../shared/json.js';
import type { ArgumentStep } from './argumentSteps.js';

/** A JSON Pointer in a readable form: `filters[0].name`. Empty for the whole value. */
export function placeOf(path: string): string {
  const parts = path.split('/').slice(1).map(nameOfStep);
  const place = parts
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
  return visibleLine(place, 120);
}

/** A problem as a sentence without its period: `filters[0].name must be text`. */
export function problemLine({ path, message }: SchemaProblem): string {
  return `${placeOf(path) || t('The value')} ${message}`;
}

/** Several problems on one line. */
export function problemLines(problems: readonly SchemaProblem[], max = 5): string {
  const rest = problems.length - max;
  return [
    ...problems.slice(0, max).map((problem) => problemLine(problem)),
    ...(rest > 0 ? [t('and {0} more', rest)] : []),
  ].join('; ');
}

/** The problem of one step's answer. `problems` may come from arguments that contain only this answer. */
export function problemOfStep(step: ArgumentStep, problems: readonly SchemaProblem[]): string | undefined {
  if (step.key === undefined) return problems.length > 0 ? problemLines(problems, 2) : undefined;
  const own = `/${step.key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const problem = problems.find(({ path }) => path === own || path.startsWith(`${own}/`));
  if (!problem) return undefined;
  const inside = problem.path === own ? step.title : placeOf(problem.path);
  return `${inside} ${problem.message}`;
}

/** The index of the first step whose answer has a problem. */
export function stepOfProblems(steps: readonly ArgumentStep[], problems: readonly SchemaProblem[]): number | undefined {
  const index = steps.findIndex((step) => step.key !== undefined && problemOfStep(step, problems) !== undefined);
  return index < 0 ? undefined : index;
}
