/** Rules about descriptions: what a model and a user learn about the features of a server. */
import { t } from '@vscode/l10n';
import { visibleName } from '../../../base/visibleName.js';
import type { LintRule } from './lintRule.js';
import { schemaRule, serverRule, toolRule } from './lintRule.js';

/** Claude Code truncates descriptions and instructions after this number of characters. */
const maxLength = 2_048;

export const descriptionRules: readonly LintRule[] = [
  toolRule('description-missing', 'warning', function* ({ description }) {
    if (isBlank(description)) yield t('The tool has no description, so a model can only guess what it does.');
  }),
  toolRule('description-repeats-name', 'info', function* ({ name, title, description }) {
    if (!isBlank(description) && [name, title].some((text) => text !== undefined && plain(text) === plain(description)))
      yield t('The description only repeats the name.');
  }),
  toolRule('description-long', 'warning', function* ({ description = '' }) {
    if (description.length > maxLength)
      yield t('The description has {0} characters. Some hosts truncate it after {1}.', description.length, maxLength);
  }),
  serverRule('description-duplicate', 'warning', function* ({ tools }) {
    const first = new Map<string, string>();
    for (const { name, description } of tools) {
      if (isBlank(description)) continue;
      const other = first.get(description);
      if (other === undefined) first.set(description, name);
      else if (other !== name)
        yield {
          target: { kind: 'tool', name },
          message: t('"{0}" has the same description, so a model cannot choose between them.', visibleName(other)),
        };
    }
  }),
  schemaRule('parameter-description', 'info', function* ({ schema, property, depth, part }) {
    if (part === 'inputSchema' && depth === 1 && property !== undefined && isBlank(schema['description']))
      yield t('The parameter "{0}" has no description.', visibleName(property));
  }),
  serverRule('instructions-long', 'warning', function* ({ server, instructions = '' }) {
    if (instructions.length > maxLength)
      yield {
        target: { kind: 'server', name: server },
        message: t(
          'The instructions of the server have {0} characters. Some hosts truncate them after {1}.',
          instructions.length,
          maxLength,
        ),
      };
  }),
  serverRule('prompt-description', 'info', function* ({ prompts }) {
    for (const { name, description, arguments: values = [] } of prompts) {
      const target = { kind: 'prompt', name } as const;
      if (isBlank(description)) yield { target, message: t('The prompt has no description.') };
      for (const value of values)
        if (isBlank(value.description))
          yield { target, message: t('The argument "{0}" has no description.', visibleName(value.name)) };
    }
  }),
];

function isBlank(text: unknown): text is undefined {
  return typeof text !== 'string' || text.trim() === '';
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
