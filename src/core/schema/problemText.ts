/**
 * Converts the validator's errors to texts for the user. There is one problem per correction, located at the value to
 * correct. For `anyOf` and `oneOf`, the validator reports every branch. If possible, this module finds the intended
 * branch by its type or by a fixed value. Otherwise, the whole choice is one problem.
 */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';

/** One problem of a value. */
export interface SchemaProblem {
  /** JSON Pointer of the value, or of the missing property; empty for the whole value. */
  path: string;
  /** The end of a sentence that starts with the name of the value, such as `must be at least 5`. */
  message: string;
}

type ValidatorError = Pick<
  ErrorObject,
  'instancePath' | 'keyword' | 'params' | 'schemaPath' | 'propertyName' | 'schema'
>;

/** The problems from the validator's errors, in order and without duplicates. */
export function problemsOf(errors: readonly ValidatorError[], maxProblems = 50): SchemaProblem[] {
  const seen = new Set<string>();
  const problems: SchemaProblem[] = [];
  let more = 0;
  for (const error of withoutBranches(errors)) {
    const problem = problemOf(error);
    const key = `${problem.path}\n${problem.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (problems.length < maxProblems) problems.push(problem);
    else more++;
  }
  if (more > 0) problems.push({ path: '', message: t('has more problems ({0})', more) });
  return problems;
}

/**
 * Replaces the errors of a choice's branches with those of the intended branch, or by the error of the choice itself.
 */
function withoutBranches(errors: readonly ValidatorError[]): ValidatorError[] {
  const kept: ValidatorError[] = [];
  for (const error of errors) {
    // The error about a disallowed name is sufficient, so errors about details of the name are left out.
    if (error.propertyName !== undefined) continue;
    // The error of `if` is left out if the errors of `then` or `else` are listed. They immediately precede it. A search
    // through all errors would take quadratic time.
    const last = kept.at(-1);
    if (error.keyword === 'if' && last && isAtOrBelow(last.instancePath, error.instancePath)) continue;
    const isChoice =
      error.keyword === 'anyOf' ||
      (error.keyword === 'oneOf' && !Array.isArray((error.params as { passingSchemas?: unknown }).passingSchemas));
    if (!isChoice) {
      kept.push(error);
      continue;
    }
    const references = referencesOf(error);
    const start = kept.findLastIndex((other) => !belongsToChoice(other, error, references)) + 1;
    kept.push(...resolveChoice(error, kept.splice(start), references));
  }
  return kept;
}

/** The branches of a choice that are references, by their index. */
type References = ReadonlyMap<string, string>;

function belongsToChoice(error: ValidatorError, choice: ValidatorError, references: References): boolean {
  if (error.schemaPath.startsWith(`${choice.schemaPath}/`)) return true;
  // An error inside a reference has the path within the target of the reference.
  const parent = choice.schemaPath.slice(0, choice.schemaPath.lastIndexOf('/') + 1);
  if (parent !== '#/' && error.schemaPath.startsWith(parent)) return false;
  return isAtOrBelow(error.instancePath, choice.instancePath) && references.size > 0;
}

function referencesOf(choice: ValidatorError): References {
  const references = new Map<string, string>();
  if (Array.isArray(choice.schema)) {
    choice.schema.forEach((branch: unknown, index) => {
      if (isObject(branch) && typeof branch['$ref'] === 'string') references.set(String(index), branch['$ref']);
    });
  }
  return references;
}

function resolveChoice(
  choice: ValidatorError,
  errors: readonly ValidatorError[],
  references: References,
): ValidatorError[] {
  const branches = new Map<string, ValidatorError[]>();
  for (const error of errors) {
    const key = branchOf(error, choice, references);
    if (key === undefined) return [choice];
    const branch = branches.get(key);
    if (branch) branch.push(error);
    else branches.set(key, [error]);
  }
  const isWrongType = (error: ValidatorError) => error.keyword === 'type' && error.instancePath === choice.instancePath;
  const isWrongValue = (error: ValidatorError) => error.keyword === 'const' || error.keyword === 'enum';
  const isNotMeant = (error: ValidatorError) =>
    isWrongType(error) ||
    (isWrongValue(error) &&
      isAtOrBelow(error.instancePath, choice.instancePath) &&
      depthOf(error.instancePath) <= depthOf(choice.instancePath) + 1);
  const all = [...branches.values()];
  const meant = all.filter((branch) => !branch.some(isNotMeant));
  if (meant.length === 1 && meant[0]) return meant[0];
  if (meant.length > 1) return [choice];
  // Every branch is ruled out by its type or by one fixed value (a discriminator), so all valid types and values are
  // listed.
  const flat = all.flat();
  const here = flat.filter((error) => error.instancePath === choice.instancePath);
  if (here.length > 0 && here.length === flat.length && here.every(isWrongType)) {
    return [
      {
        ...choice,
        keyword: 'type',
        params: { type: here.flatMap((error) => (error.params as { type: string | string[] }).type) },
      },
    ];
  }
  const values = flat.filter(isWrongValue);
  const places = new Set(values.map((error) => error.instancePath));
  if (values.length === all.length && places.size === 1) {
    return [
      {
        ...choice,
        instancePath: values[0]?.instancePath ?? '',
        keyword: 'enum',
        params: { allowedValues: values.flatMap(allowedValues) },
      },
    ];
  }
  return [choice];
}

function branchOf(error: ValidatorError, choice: ValidatorError, references: References): string | undefined {
  const prefix = `${choice.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split('/', 1)[0];
  for (const [index, target] of references)
    if (references.size === 1 || error.schemaPath.startsWith(`${target}/`)) return index;
  return undefined;
}

function isAtOrBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function allowedValues(error: ValidatorError): unknown[] {
  const params = error.params as { allowedValues?: unknown[]; allowedValue?: unknown };
  return params.allowedValues ?? [params.allowedValue];
}

function problemOf(error: ValidatorError): SchemaProblem {
  const params = error.params as Record<string, unknown>;
  const at = (message: string): SchemaProblem => ({ path: error.instancePath, message });
  const inside = (key: unknown, message: string): SchemaProblem => ({
    path: `${error.instancePath}/${escapePointer(String(key))}`,
    message,
  });
  const limit = Number(params['limit']);
  switch (error.keyword) {
    case 'required':
      return inside(params['missingProperty'], t('is required'));
    case 'dependentRequired':
    case 'dependencies':
      return inside(
        params['missingProperty'],
        t('is required when "{0}" is set', visibleLine(String(params['property']))),
      );
    case 'additionalProperties':
      return inside(params['additionalProperty'], t('is not expected here'));
    case 'unevaluatedProperties':
      return inside(params['unevaluatedProperty'], t('is not expected here'));
    case 'propertyNames':
      return inside(params['propertyName'], t('is not an allowed name'));
    case 'type':
      return at(t('must be {0}', typeWords(params['type'])));
    case 'enum':
    case 'const':
      return at(oneOfValues(allowedValues(error)));
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return at(boundWords(String(params['comparison']), limit));
    case 'multipleOf':
      return at(t('must be a multiple of {0}', Number(params['multipleOf'])));
    case 'minLength':
      return at(limit === 1 ? t('must not be empty') : t('must have at least {0} characters', limit));
    case 'maxLength':
      return at(limit === 1 ? t('must have at most one character') : t('must have at most {0} characters', limit));
    case 'minItems':
      return at(limit === 1 ? t('must have at least one item') : t('must have at least {0} items', limit));
    case 'maxItems':
    case 'items':
      return at(limit === 1 ? t('must have at most one item') : t('must have at most {0} items', limit));
    case 'minProperties':
      return at(limit === 1 ? t('must have at least one property') : t('must have at least {0} properties', limit));
    case 'maxProperties':
      return at(t('must have at most {0} properties', limit));
    case 'uniqueItems':
      return at(
        t(
          'must not have duplicate items: items {0} and {1} are equal',
          Number(params['j']) + 1,
          Number(params['i']) + 1,
        ),
      );
    case 'pattern':
      return at(t('must match the pattern {0}', visibleLine(String(params['pattern']))));
    case 'format':
      return at(formatWords(String(params['format'])));
    case 'oneOf':
      return at(
        Array.isArray(params['passingSchemas'])
          ? t('matches more than one of the allowed schemas')
          : t('does not match any of the allowed schemas'),
      );
    case 'anyOf':
      return at(t('does not match any of the allowed schemas'));
    case 'contains':
      return at(t('must have an item that matches the schema in "contains"'));
    case 'not':
    case 'false schema':
      return at(t('is not allowed'));
    default:
      return at(t('does not match the rule "{0}"', visibleLine(error.keyword)));
  }
}

function boundWords(comparison: string, limit: number): string {
  switch (comparison) {
    case '>=':
      return t('must be at least {0}', limit);
    case '>':
      return t('must be more than {0}', limit);
    case '<=':
      return t('must be at most {0}', limit);
    default:
      return t('must be less than {0}', limit);
  }
}

function typeWords(type: unknown): string {
  const words = new Set(
    (Array.isArray(type) ? type : [type]).flat().map((name) => {
      switch (name) {
        case 'string':
          return t('text');
        case 'number':
          return t('a number');
        case 'integer':
          return t('an integer');
        case 'boolean':
          return t('true or false');
        case 'array':
          return t('a list');
        case 'object':
          return t('an object');
        default:
          return visibleLine(String(name));
      }
    }),
  );
  return [...words].join(t(' or '));
}

const maxShownValues = 12;

function oneOfValues(values: readonly unknown[]): string {
  const distinct = [...new Set(values)];
  const shown = new Set(
    distinct.slice(0, maxShownValues).map((value) => visibleLine(JSON.stringify(value) ?? 'null', 60)),
  );
  const list = [...shown].join(', ');
  const rest = distinct.length - maxShownValues;
  if (shown.size === 1 && rest <= 0) return t('must be {0}', list);
  return rest > 0 ? t('must be one of {0} and {1} more', list, rest) : t('must be one of {0}', list);
}

function formatWords(format: string): string {
  switch (format) {
    case 'date':
      return t('must be a date like {0}', '2026-11-21');
    case 'time':
    case 'iso-time':
      return t('must be a time like {0}', '14:30:00Z');
    case 'date-time':
    case 'iso-date-time':
      return t('must be a date and time like {0}', '2026-11-21T14:30:00Z');
    case 'email':
      return t('must be an email address');
    case 'uri':
    case 'url':
      return t('must be a complete URL like {0}', 'https://example.org/page');
    case 'uuid':
      return t('must be a UUID');
    case 'ipv4':
    case 'ipv6':
      return t('must be an {0} address', format === 'ipv4' ? 'IPv4' : 'IPv6');
    case 'regex':
      return t('must be a regular expression');
    default:
      return t('must have the format "{0}"', visibleLine(format));
  }
}

/** A property name as a step of a JSON Pointer (RFC 6901). */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
