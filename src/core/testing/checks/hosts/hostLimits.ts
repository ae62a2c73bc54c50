/** Documented limits of hosts, each with its source. A limit without a source does not belong in this table. */
import { t } from '@vscode/l10n';
import { isObject } from '../../../base/guards.js';
import type { Tool } from '../../../protocol/mcp.js';
import { schemaPlaces } from '../lint/schemaPlaces.js';
import { saysWhatItTakes, typesOf } from '../lint/schemaTypes.js';

/** The reaction of a host to a tool or a server that exceeds a limit. */
export type LimitEffect = 'refused' | 'changed';

export interface HostLimit {
  effect: LimitEffect;
  /** A sentence. If it has no subject, the subject is the host. */
  reason: () => string;
  /** The page that documents the limit. */
  source: string;
  /** Whether a tool exceeds the limit. @param server the name of the server in its configuration. */
  tool?: (tool: Tool, server: string) => boolean;
  /** Whether the server as a whole exceeds the limit. */
  server?: (tools: readonly Tool[]) => boolean;
}

export interface LimitedHost {
  id: string;
  name: string;
  limits: readonly HostLimit[];
}

const geminiPage = 'https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md';

export const hosts: readonly LimitedHost[] = [
  {
    id: 'vscode',
    name: 'VS Code',
    limits: [
      {
        effect: 'refused',
        reason: () => t('Refuses tools with an array that does not describe its items.'),
        source: 'https://github.com/microsoft/vscode/issues/246119',
        tool: hasUntypedArray,
      },
      {
        effect: 'refused',
        reason: () => t('Sends at most 128 tools with a request.'),
        source: 'https://code.visualstudio.com/docs/chat/chat-tools',
        server: ({ length }) => length > 128,
      },
    ],
  },
  {
    id: 'claude',
    name: 'Claude',
    limits: [
      {
        effect: 'refused',
        reason: () => t('Accepts only names of 1 to 64 letters, digits, "_", and "-".'),
        source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1063',
        tool: ({ name }) => !/^[A-Za-z0-9_-]{1,64}$/.test(name),
      },
      {
        effect: 'refused',
        reason: () => t('Refuses "anyOf", "oneOf", and "allOf" at the root of an input schema.'),
        source: 'https://github.com/anthropics/claude-code/issues/5973',
        tool: ({ inputSchema }) => ['anyOf', 'oneOf', 'allOf'].some((key) => inputSchema[key] !== undefined),
      },
      {
        effect: 'refused',
        reason: () => t('Accepts only parameter names of 1 to 64 letters, digits, "_", ".", and "-".'),
        source: 'https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes',
        tool: (tool) => parameterNames(tool).some((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name)),
      },
      {
        effect: 'changed',
        reason: () => t('Claude Code truncates descriptions after 2,048 characters.'),
        source: 'https://code.claude.com/docs/en/mcp',
        tool: ({ description = '' }) => description.length > 2_048,
      },
    ],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    limits: [
      {
        effect: 'refused',
        reason: () => t('Passes on at most 40 tools of all servers together.'),
        source: 'https://github.com/modelcontextprotocol/.github/discussions/360',
        server: ({ length }) => length > 40,
      },
      {
        effect: 'refused',
        reason: () => t('Omits tools if the names of the server and the tool together have more than 60 characters.'),
        source: 'https://easymanage.com/res/docs/tutorials/ai-agent/chapter-3-mcp-advanced',
        tool: ({ name }, server) => server.length + name.length > 60,
      },
    ],
  },
  {
    id: 'codex',
    name: 'Codex',
    limits: [
      {
        effect: 'changed',
        reason: () => t('Replaces all characters in names except letters, digits, "_", and "-".'),
        source: 'https://github.com/openai/codex/pull/8694',
        tool: ({ name }) => !/^[A-Za-z0-9_-]+$/.test(name),
      },
    ],
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    limits: [
      {
        effect: 'changed',
        reason: () => t('Changes a name that does not consist of 1 to 63 letters, digits, "_", ".", and "-".'),
        source: geminiPage,
        tool: ({ name }) => !/^[A-Za-z0-9_.-]{1,63}$/.test(name),
      },
      {
        effect: 'refused',
        reason: () => t('Skips tools with a parameter that has no type.'),
        source: 'https://github.com/JetBrains/mcp-jetbrains/issues/71',
        tool: (tool) => places(tool).some(({ schema, property }) => property !== undefined && !saysWhatItTakes(schema)),
      },
      {
        effect: 'changed',
        reason: () =>
          t('Removes schemas in "additionalProperties", so a model does not see what other fields may contain.'),
        source: geminiPage,
        tool: (tool) => places(tool).some(({ schema }) => isObject(schema['additionalProperties'])),
      },
    ],
  },
  {
    id: 'jetbrains',
    name: 'JetBrains',
    limits: [
      {
        effect: 'refused',
        reason: () => t('Refuses the tools of a server with an output schema that does not have the type "object".'),
        source: 'https://github.com/jmrplens/gitlab-mcp-server/blob/main/docs/guides/client-compatibility.md',
        tool: ({ outputSchema }) => outputSchema !== undefined && outputSchema['type'] !== 'object',
      },
    ],
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    limits: [
      {
        effect: 'refused',
        reason: () =>
          t(
            'Every request to the model fails if the name of a tool does not consist of 1 to 128 letters, digits, "_", and "-".',
          ),
        source: 'https://github.com/github/copilot-cli/issues/1879',
        tool: ({ name }) => !/^[A-Za-z0-9_-]{1,128}$/.test(name),
      },
      {
        effect: 'refused',
        reason: () =>
          t('Some models fail if the names of the server and the tool together have more than 63 characters.'),
        source: 'https://github.com/microsoft/mcp/issues/842',
        tool: ({ name }, server) => server.length + 1 + name.length > 64,
      },
    ],
  },
];

function places(tool: Tool) {
  return [...schemaPlaces(tool)].filter(({ part }) => part === 'inputSchema');
}

function parameterNames(tool: Tool): string[] {
  return places(tool).flatMap(({ property }) => (property === undefined ? [] : [property]));
}

function hasUntypedArray(tool: Tool): boolean {
  return places(tool).some(
    ({ schema }) =>
      typesOf(schema)?.includes('array') === true &&
      schema['items'] === undefined &&
      schema['prefixItems'] === undefined,
  );
}
