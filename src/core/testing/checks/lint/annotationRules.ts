/** Rules about annotations: hints of a server that hosts show and use for confirmations. */
import { t } from '@vscode/l10n';
import type { LintRule } from './lintRule.js';
import { toolRule } from './lintRule.js';

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
/** Verbs that name an irreversible change. */
const destructive = new Set(['delete', 'remove', 'drop', 'destroy', 'erase', 'purge', 'truncate', 'wipe', 'uninstall']);
const reading = new Set(['get', 'list', 'read', 'search', 'find', 'describe', 'show', 'count']);

export const annotationRules: readonly LintRule[] = [
  toolRule('annotation-type', 'error', function* ({ annotations = {} }) {
    for (const hint of hints) {
      const value: unknown = annotations[hint];
      if (value !== undefined && typeof value !== 'boolean')
        yield { pointer: `/annotations/${hint}`, message: t('The annotation "{0}" must be true or false.', hint) };
    }
  }),
  toolRule('annotation-contradiction', 'warning', function* ({ annotations = {} }) {
    if (annotations.readOnlyHint === true && annotations.destructiveHint === true)
      yield { pointer: '/annotations', message: t('The tool claims to be both read-only and destructive.') };
  }),
  toolRule('annotation-read-only', 'warning', function* ({ name, annotations = {} }) {
    const verb = firstWord(name);
    if (annotations.readOnlyHint === true && destructive.has(verb))
      yield {
        pointer: '/annotations/readOnlyHint',
        message: t('The tool claims to be read-only, but its name begins with "{0}".', verb),
      };
  }),
  toolRule('annotation-destructive', 'info', function* ({ name, annotations = {} }) {
    const verb = firstWord(name);
    if (annotations.destructiveHint === true && annotations.readOnlyHint !== true && reading.has(verb))
      yield {
        pointer: '/annotations/destructiveHint',
        message: t('The tool claims to be destructive, but its name begins with "{0}".', verb),
      };
  }),
  toolRule('annotation-missing', 'info', function* ({ annotations }) {
    if (annotations?.readOnlyHint === undefined)
      yield t('The tool does not say whether it only reads ("readOnlyHint"), so hosts might ask before each call.');
  }),
];

/** The first word of a name in snake case, kebab case or camel case, in lower case. */
function firstWord(name: string): string {
  return (/^[A-Za-z][a-z]*|^[A-Z]+(?![a-z])/.exec(name)?.[0] ?? '').toLowerCase();
}
