/** Rules about output schemas (specification 2025-11-25, tools, "output schema"). */
import { t } from '@vscode/l10n';
import type { LintRule } from './lintRule.js';
import { toolRule } from './lintRule.js';

export const outputRules: readonly LintRule[] = [
  toolRule('output-schema-missing', 'info', function* ({ outputSchema }) {
    if (outputSchema === undefined) yield t('The tool has no output schema, so its results cannot be checked.');
  }),
  toolRule('output-schema-root', 'warning', function* ({ outputSchema }) {
    if (outputSchema !== undefined && outputSchema['type'] !== 'object')
      yield {
        pointer: '/outputSchema',
        message: t('The output schema does not have the type "object". Versions before 2026-07-28 demand it.'),
      };
  }),
];
