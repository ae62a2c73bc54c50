import { t } from '@vscode/l10n';
import { visibleName } from '../../base/visibleName.js';
import { escapeMarkdownLine, inlineCode } from '../text/markdown.js';
import { contextValues } from './contextValues.js';
import type { NodeIcon, TreeNode } from './treeNode.js';
import { nodeId } from './treeNode.js';

/** A client of the gateway, as the tree shows it. Name and version are escaped claims of the client. */
export interface DrawnAgent {
  name: string;
  version?: string;
  preset?: string;
  /** Absent for a client that the user allowed earlier and that has not connected since the gateway started. */
  use?: { revision: string; transport: string; calls: number; lastSeenAt: number };
  state: 'approved' | 'waiting' | 'refused';
}

/** The Gateway view while the gateway runs: its address, the texts that wait for approval, then its clients. */
export function gatewayNodes({
  url,
  agents,
  waitingTexts,
}: {
  url: string;
  agents: readonly DrawnAgent[];
  /** Number of names and descriptions of tools that wait for the user's approval. */
  waitingTexts: number;
}): TreeNode[] {
  const address = url.replace(/^http:\/\//, '');
  return [
    {
      id: nodeId('gateway'),
      kind: 'gateway',
      label: t('Gateway'),
      description: agents.length === 0 ? t('no agent has connected yet · {0}', address) : address,
      icon: { name: 'broadcast', color: 'charts.green' },
      contextValue: contextValues.gateway,
      isCollapsible: false,
      target: {},
      name: url,
      spokenLabel: t('Gateway, running at {0}', address),
      tooltip: () =>
        [
          inlineCode(url, 200),
          t(
            'Agents on this computer connect to this address with a token. **Copy Gateway Configuration** copies both.',
          ),
        ].join('\n\n'),
    },
    ...(waitingTexts > 0 ? [textsNode(waitingTexts)] : []),
    ...agents.map((agent) => agentNode(agent)),
  ];
}

function textsNode(count: number): TreeNode {
  const label = t('Tool names and descriptions');
  const description =
    count === 1 ? t('1 change waits for your approval') : t('{0} changes wait for your approval', count);
  return {
    id: nodeId('agentTexts'),
    kind: 'gateway',
    label,
    description,
    icon: { name: 'warning', color: 'problemsWarningIcon.foreground' },
    contextValue: contextValues.gateway,
    isCollapsible: false,
    target: {},
    name: label,
    onClick: 'reviewAgentTexts',
    spokenLabel: `${label}, ${description}`,
    tooltip: () => t('.vscode/mcp-deck.json changes the names or descriptions of tools that agents see.'),
  };
}

/** The decision of the user, in the words of the buttons. */
function stateText(state: DrawnAgent['state']): string {
  switch (state) {
    case 'approved':
      return t('allowed');
    case 'waiting':
      return t('waits for your approval');
    case 'refused':
      return t('denied');
  }
}

const icons: Record<DrawnAgent['state'], NodeIcon> = {
  approved: { name: 'plug', color: 'icon.foreground' },
  waiting: { name: 'question', color: 'problemsWarningIcon.foreground' },
  refused: { name: 'circle-slash' },
};

function agentNode({ name, version, preset, use, state }: DrawnAgent): TreeNode {
  const facts = [
    stateText(state),
    ...(preset === undefined ? [] : [t('preset {0}', visibleName(preset))]),
    ...(use
      ? [use.calls === 1 ? t('1 call') : t('{0} calls', use.calls), use.revision, transportText(use.transport)]
      : [t('not connected since the gateway started')]),
  ];
  const description = facts.join(' · ');
  return {
    id: nodeId('agent', name, preset ?? '', use?.revision ?? '', use?.transport ?? ''),
    kind: 'agent',
    label: name,
    description,
    icon: icons[state],
    contextValue: contextValues.agent,
    isCollapsible: false,
    ...(use ? {} : { isDim: true }),
    ...(state === 'waiting' ? { onClick: 'answerRequest' } : {}),
    target: { agent: name },
    name,
    spokenLabel: `${name}, ${description}`,
    tooltip: () =>
      [
        `**${escapeMarkdownLine(name)}**`,
        escapeMarkdownLine(description, 300),
        ...(version === undefined ? [] : [escapeMarkdownLine(t('Version: {0}', version))]),
        t('The agent states its own name and version. MCP Deck cannot verify them.'),
      ].join('\n\n'),
  };
}

function transportText(transport: string): string {
  return transport === 'http' ? 'HTTP' : transport;
}
