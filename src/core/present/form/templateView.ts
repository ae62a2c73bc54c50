/** A resource template for its page: the form of its variables, and the resulting URI. */
import { t } from '@vscode/l10n';
import type { Badge, ItemView } from '../../../shared/panel/itemPage.js';
import type { ExpandedUri } from '../../../shared/panel/templatePage.js';
import { visibleLine } from '../../base/hostileText.js';
import { isObject, isStringArray } from '../../base/guards.js';
import type { JsonSchema, ResourceTemplate } from '../../protocol/mcp.js';
import type { TemplateValues, TemplateVariable } from '../../protocol/uriTemplate.js';
import { expandTemplate, malformedExpressions, templateVariables } from '../../protocol/uriTemplate.js';
import { hiddenInItem, hiddenWords } from '../text/hiddenText.js';
import { schemaForm } from './schemaForm.js';
import { namesOf } from './toolView.js';

/** Maximum length of the shown URI, in UTF-16 code units. */
const maxUri = 4_000;

/** The page of a template. A variable is a text; with the modifier `*` (RFC 6570), it can also be a list or a map. */
export function templateView(template: ResourceTemplate): ItemView {
  const { uriTemplate, name, title = name, description, mimeType } = template;
  const hidden = hiddenInItem(template);
  const badges: Badge[] = [];
  if (hidden > 0)
    badges.push({
      text: hiddenWords(hidden),
      kind: 'warning',
      tooltip: t("The server's description of the template contains hidden characters. They are shown here."),
    });
  if (mimeType !== undefined)
    badges.push({
      text: visibleLine(mimeType, 100),
      kind: 'plain',
      tooltip: t('The type of these resources, according to the server.'),
    });
  const form = schemaForm(templateSchema(uriTemplate));
  const odd = malformedExpressions(uriTemplate);
  const notices =
    odd.length === 0
      ? []
      : [
          t(
            '{0} is not a valid expression and stays in the URI unchanged.',
            odd
              .slice(0, 5)
              .map((one) => visibleLine(one, 60))
              .join(', '),
          ),
        ];
  return {
    ...namesOf({ name: uriTemplate, description }, title),
    badges,
    form: { ...form, notices: [...notices, ...form.notices] },
  };
}

/** The schema of the variables, to draw the form and to validate the input. */
export function templateSchema(uriTemplate: string): JsonSchema {
  const variables = templateVariables(uriTemplate);
  return {
    type: 'object',
    // `fromEntries` is used because a variable may be called `__proto__`.
    properties: Object.fromEntries(variables.map((variable) => [variable.name, variableSchema(variable)])),
    required: variables.filter(({ isExpected }) => isExpected).map(({ name }) => name),
    additionalProperties: false,
  };
}

function variableSchema({ isExploded, maxLength }: TemplateVariable): JsonSchema {
  const text = { type: 'string' };
  if (maxLength !== undefined)
    return {
      ...text,
      description:
        maxLength === 1
          ? t('Only the first character is used.')
          : t('Only the first {0} characters are used.', maxLength),
    };
  if (!isExploded) return text;
  return {
    anyOf: [
      { ...text, title: t('One value') },
      { type: 'array', items: text, title: t('Several values') },
      { type: 'object', additionalProperties: text, title: t('Names and values') },
    ],
  };
}

/** The URI of a template with the given values; empty if the expansion is empty. */
export function templateAddress(uriTemplate: string, values: Readonly<Record<string, unknown>>): string {
  return expandTemplate(
    uriTemplate,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueOf(value)])),
  );
}

function valueOf(value: unknown): TemplateValues[string] {
  if (typeof value === 'string' || isStringArray(value)) return value;
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The URI of `templateAddress`, for display. */
export function addressView(uriTemplate: string, values: Readonly<Record<string, unknown>>): ExpandedUri {
  const uri = templateAddress(uriTemplate, values);
  return {
    text: visibleLine(uri, maxUri),
    ...(uri === '' ? { problem: t('Without values, the template produces no URI. Enter a value.') } : {}),
  };
}
