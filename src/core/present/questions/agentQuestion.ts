import { t } from '@vscode/l10n';
import { visibleName } from '../../base/visibleName.js';
import { visibleLine } from '../../base/hostileText.js';
import type { Preset } from '../../presets/presetFile.js';
import type { UserRequest } from '../../requests/requestQueue.js';

/** The question whether a client may use the gateway. Name and version are escaped already. */
export function agentQuestion({ name, version, preset }: Extract<UserRequest, { kind: 'agent' }>): {
  message: string;
  detail: string;
} {
  const parts = [
    t('A program on this computer connected to the gateway with its token. MCP Deck cannot verify the name.'),
    ...(version === undefined ? [] : [t('Version: {0}', version)]),
    preset === undefined
      ? t('It can then list the tools, resources and prompts of your enabled servers, and read resources and prompts.')
      : t(
          'It can then use the servers and tools of the preset "{0}" that the active preset also allows: {1}',
          visibleName(preset.name),
          presetContent(preset),
        ),
    t('Your rules apply to each of its tool calls. Without a rule, MCP Deck asks you.'),
    t('Your answer "Allow" applies in this workspace until you select "Forget Agent" in the Gateway view.'),
  ];
  return { message: t('Let the agent "{0}" use your MCP servers?', name), detail: parts.join('\n\n') };
}

/** The servers and tools of a preset on one line. */
function presetContent({ servers, tools }: Preset): string {
  const lists = Object.entries(tools).map(([server, names]) => `${server}: ${names.join(', ')}`);
  return visibleLine([servers.join(', '), ...lists].join('; '), 1_000);
}
