import { t } from '@vscode/l10n';
import { visibleName } from '../../base/visibleName.js';
import { dialogPart } from '../text/lines.js';
import type { Preset } from '../../presets/presetFile.js';
import type { UserRequest } from '../../requests/requestQueue.js';

/** Maximum length of the content of a preset in a dialog, in characters; VS Code cuts longer texts. */
const maxContentLength = 1_500;

export interface AgentQuestion {
  message: string;
  detail: string;
  /**
   * The content of the preset if it is too long for `detail`. The user must open it before the agent can be allowed.
   */
  unreadPreset?: string;
}

/** The question whether a client may use the gateway. Name and version are escaped already. */
export function agentQuestion({ name, version, preset }: Extract<UserRequest, { kind: 'agent' }>): AgentQuestion {
  const content = preset && presetContent(preset);
  const isCut = content !== undefined && dialogPart(content, maxContentLength) !== content;
  const parts = [
    t('The program has the token of the gateway. MCP Deck cannot verify its name.'),
    ...(version === undefined ? [] : [t('Version: {0}', version)]),
    ...accessText(preset, isCut ? undefined : content),
    t(
      'Your rules apply to its tool calls. Without a rule, MCP Deck asks you about each call, except for built-in tools that only read.',
    ),
    t('"Allow" applies to this workspace until you select "Forget Agent".'),
  ];
  return {
    message: t('Let the agent "{0}" use your MCP servers?', name),
    detail: parts.join('\n\n'),
    ...(isCut ? { unreadPreset: content } : {}),
  };
}

function accessText(preset: Preset | undefined, content: string | undefined): string[] {
  if (preset === undefined)
    return [t('It can then list what your enabled servers offer, and read resources and prompts.')];
  const name = visibleName(preset.name);
  return content === undefined
    ? [
        t(
          'It can then use the servers and tools of the preset "{0}" that the active preset also allows. The preset is too long to show here.',
          name,
        ),
      ]
    : [
        t('It can then use the servers and tools of the preset "{0}" that the active preset also allows:', name),
        content,
      ];
}

/**
 * The servers of a preset, one on each line, and the tools if only some of them are on. All names are complete and in
 * quotes, so two different presets have different texts.
 */
function presetContent({ servers, tools }: Preset): string {
  const quoted = (names: readonly string[]) => names.map((name) => `"${visibleName(name, Infinity)}"`).join(', ');
  const limited = Object.entries(tools).map(([server, names]) =>
    names.length === 0 ? t('{0}: no tools', quoted([server])) : t('{0}: only {1}', quoted([server]), quoted(names)),
  );
  return [...servers.map((server) => quoted([server])), ...limited].join('\n');
}
