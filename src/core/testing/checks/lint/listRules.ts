/** Rules about lists as a whole, about resources, and about what probing requests showed. */
import { t } from '@vscode/l10n';
import { malformedExpressions } from '../../../protocol/uriTemplate.js';
import { visibleLine } from '../../../base/hostileText.js';
import { parsedUrl } from '../../../base/parsedUrl.js';
import type { LintRule } from './lintRule.js';
import { serverRule } from './lintRule.js';

/** Cursor passes on this number of tools of all servers together. */
const manyTools = 40;

export const listRules: readonly LintRule[] = [
  serverRule('list-failed', 'error', function* ({ failedLists }) {
    for (const { list, reason, isUnknown } of failedLists)
      yield {
        message: isUnknown
          ? t('The server declares {0}, but does not know the method "{0}/list".', list)
          : t('The list of {0} failed: {1}', list, reason),
      };
  }),
  serverRule('list-empty', 'warning', function* ({ tools, resources, resourceTemplates, prompts, failedLists }) {
    if (tools.length + resources.length + resourceTemplates.length + prompts.length + failedLists.length === 0)
      yield { message: t('The server offers no tools, resources, or prompts.') };
  }),
  serverRule('list-size', 'info', function* ({ tools }) {
    if (tools.length > manyTools)
      yield {
        message: t(
          'The server has {0} tools. Some hosts pass on only {1} tools of all servers together.',
          tools.length,
          manyTools,
        ),
      };
  }),
  serverRule('list-order', 'warning', function* ({ probes }) {
    if (!probes) return;
    const { firstOrder, secondOrder } = probes;
    const isSameSet =
      firstOrder.length === secondOrder.length &&
      [...firstOrder].sort().join('\n') === [...secondOrder].sort().join('\n');
    if (isSameSet && firstOrder.some((name, index) => name !== secondOrder[index]))
      yield { message: t('Two requests returned the tools in different orders, so models cannot cache the list.') };
  }),
  serverRule('unknown-tool', 'warning', function* ({ probes }) {
    if (probes?.unknownTool === 'success')
      yield { message: t('A call of a tool that does not exist succeeds. It must fail with a protocol error.') };
    else if (probes?.unknownTool === 'noAnswer')
      yield { message: t('A call of a tool that does not exist is not answered.') };
  }),
  serverRule('error-without-text', 'warning', function* ({ probes }) {
    if (probes?.unknownTool === 'errorWithoutText')
      yield { message: t('The error for a tool that does not exist has no text, so a model cannot correct its call.') };
  }),
  serverRule('resource-uri', 'error', function* ({ resources }) {
    for (const { name, uri } of resources)
      if (!parsedUrl(uri))
        yield {
          target: { kind: 'resource', name },
          message: t('"{0}" is not a URI with a scheme.', visibleLine(uri, 120)),
        };
  }),
  serverRule('resource-duplicate', 'warning', function* ({ resources }) {
    const seen = new Set<string>();
    for (const { name, uri } of resources) {
      if (seen.has(uri))
        yield {
          target: { kind: 'resource', name },
          message: t('Another resource has the same URI, {0}.', visibleLine(uri, 120)),
        };
      seen.add(uri);
    }
  }),
  serverRule('resource-type', 'info', function* ({ resources }) {
    for (const { name, mimeType } of resources)
      if (mimeType === undefined)
        yield {
          target: { kind: 'resource', name },
          message: t('The resource has no MIME type, so hosts have to guess how to show it.'),
        };
  }),
  serverRule('template-uri', 'error', function* ({ resourceTemplates }) {
    for (const { name, uriTemplate } of resourceTemplates) {
      const [wrong] = malformedExpressions(uriTemplate);
      if (wrong !== undefined)
        yield {
          target: { kind: 'template', name },
          message: t('The expression {0} is not valid in a URI template (RFC 6570).', visibleLine(wrong, 100)),
        };
    }
  }),
];
