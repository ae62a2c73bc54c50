/** Rules about the names of tools (specification 2025-11-25, tools, "tool names"). */
import { t } from '@vscode/l10n';
import { hasLookAlikes, visibleName } from '../../../base/visibleName.js';
import type { Tool } from '../../../protocol/mcp.js';
import type { LintRule, Violation } from './lintRule.js';
import { serverRule, toolRule } from './lintRule.js';

/** Maximum length of a name in the specification, in characters. */
const maxLength = 128;
/** The names that the APIs of language models accept. */
const portable = /^[A-Za-z0-9_-]{1,64}$/;

export const nameRules: readonly LintRule[] = [
  toolRule('tool-name-characters', 'error', function* ({ name }) {
    if (!/^[A-Za-z0-9_./-]*$/.test(name))
      yield t('The name of a tool may contain only the letters A to Z, digits, "_", "-", ".", and "/".');
  }),
  toolRule('tool-name-length', 'error', function* ({ name }) {
    if (name.length === 0) yield t('The tool has an empty name.');
    else if (name.length > maxLength)
      yield t('The name has {0} characters. The specification allows {1}.', name.length, maxLength);
  }),
  toolRule('tool-name-portable', 'warning', function* ({ name }) {
    if (/^[A-Za-z0-9_./-]{1,128}$/.test(name) && !portable.test(name))
      yield t('Models accept names of 1 to 64 letters, digits, "_", and "-". Hosts have to rename or omit this tool.');
  }),
  serverRule('tool-name-duplicate', 'error', function* ({ tools }) {
    for (const [name, same] of groups(tools, (tool) => tool.name))
      if (same.length > 1)
        yield {
          ...about(name),
          message: t('{0} tools have this name, so only one of them can be called.', same.length),
        };
  }),
  serverRule('tool-name-similar', 'warning', function* ({ tools }) {
    for (const [, same] of groups(tools, ({ name }) => name.toLowerCase().replace(/[^a-z0-9]/g, ''))) {
      const [first, ...others] = [...new Set(same.map(({ name }) => name))];
      for (const other of first === undefined ? [] : others)
        yield { ...about(other), message: t('The name is easily confused with "{0}".', visibleName(first ?? '')) };
    }
  }),
  toolRule('tool-name-look-alike', 'error', function* ({ name }) {
    if (hasLookAlikes(name))
      yield t('The name contains letters that look like other letters: "{0}".', visibleName(name));
  }),
];

function about(name: string): Pick<Violation, 'target'> {
  return { target: { kind: 'tool', name } };
}

function groups(tools: readonly Tool[], keyOf: (tool: Tool) => string): Map<string, Tool[]> {
  const found = new Map<string, Tool[]>();
  for (const tool of tools) {
    const key = keyOf(tool);
    const same = found.get(key);
    if (same) same.push(tool);
    else found.set(key, [tool]);
  }
  return found;
}
