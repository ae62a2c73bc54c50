import type { Tool } from '../../protocol/mcp.js';
import { visibleLine } from '../../base/hostileText.js';
import { contextValues } from './contextValues.js';
import { escapeParagraphs } from '../text/markdown.js';

/** The kinds of objects that a line of a view represents. */
type NodeKind =
  | 'server'
  | 'broken'
  | 'group'
  | 'tool'
  | 'resource'
  | 'template'
  | 'prompt'
  | 'skill'
  | 'skillFile'
  | 'note'
  | 'period'
  | 'run'
  | 'favourite'
  | 'request'
  | 'rule'
  | 'gateway'
  | 'agent';

/** The objects that a node refers to; commands on the node act on them. */
export interface NodeTarget {
  /** ID of the server. */
  server?: string;
  tool?: string;
  uri?: string;
  uriTemplate?: string;
  prompt?: string;
  /** ID of the broken entry. */
  broken?: string;
  /** ID in the history. */
  run?: string;
  favourite?: string;
  /** Number of a message in the trace that is shown. */
  message?: number;
  /** ID of a waiting request. */
  request?: string;
  /** Key of a rule about calls. */
  rule?: string;
  /** Name of a client of the gateway. */
  agent?: string;
}

/** A codicon and its theme color. */
export interface NodeIcon {
  name: string;
  color?: string;
}

/**
 * One line of a tree as data. It is created from snapshots, converted for VS Code in one place, and compared as text in
 * tests.
 */
export interface TreeNode {
  /** Unique in the tree and stable across changes. */
  id: string;
  kind: NodeKind;
  label: string;
  description?: string;
  icon?: NodeIcon;
  /** For `when` clauses of menus; see `contextValues.ts`. */
  contextValue: string;
  isCollapsible: boolean;
  /** Whether the line is drawn in the color of disabled items. */
  isDim?: boolean;
  /** Whether the node is expanded when it is first shown. */
  isOpen?: boolean;
  target: NodeTarget;
  /** The text that "Copy Name" copies. */
  name: string;
  /** The command that a click runs, by its name in the manifest; the node is its argument. */
  onClick?:
    | 'openConfiguration'
    | 'showLog'
    | 'readResource'
    | 'openToolPanel'
    | 'getPrompt'
    | 'openSkill'
    | 'openRun'
    | 'editRun'
    | 'answerRequest'
    | 'openRule'
    | 'reviewChange'
    | 'listAgain'
    | 'showServerDetails'
    | 'updateServer'
    | 'reviewAgentTexts'
    | 'startServer'
    | 'addServer'
    | 'findServer';
  /** The text for screen readers instead of label and description; includes the state that only the icon shows. */
  spokenLabel?: string;
  /**
   * The tooltip as Markdown, created on demand. `now` is in epoch milliseconds, `locale` is for times. VS Code keeps
   * the text until the line is drawn again.
   */
  tooltip?(now: number, locale?: string): string;
  /** The tools whose tokens the tooltip shows, if they were counted before. */
  countedTools?(): readonly Tool[];
  /** The nodes below this node, created on demand. */
  children?(): TreeNode[];
}

/** The ID that consists of these parts. Different lists of parts always have different IDs. */
export function nodeId(...parts: readonly string[]): string {
  return parts.map((part) => part.replace(/[%/#]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)).join('/');
}

/** A dim line with an explanation. A longer text (`full`) is shown in its tooltip, and a click opens the log. */
export function noteNode(server: string, key: string, text: string, icon?: NodeIcon, full?: string): TreeNode {
  const line = visibleLine(text, 300);
  return {
    id: nodeId('server', server, 'note', key),
    kind: 'note',
    // The text is in the description, because descriptions are drawn dimmed and labels are not.
    label: '',
    description: line,
    ...(icon ? { icon } : {}),
    contextValue: contextValues.note,
    isCollapsible: false,
    target: { server },
    name: text,
    spokenLabel: line,
    ...(full === undefined ? {} : { onClick: 'showLog' as const, tooltip: () => escapeParagraphs(full) }),
  };
}

/**
 * Whether two models draw the same line. Children and tooltips are not compared, because they are always created again.
 */
export function sameLine(a: TreeNode, b: TreeNode): boolean {
  return (
    a.label === b.label &&
    a.description === b.description &&
    a.icon?.name === b.icon?.name &&
    a.icon?.color === b.icon?.color &&
    a.contextValue === b.contextValue &&
    a.isCollapsible === b.isCollapsible &&
    a.isDim === b.isDim &&
    a.spokenLabel === b.spokenLabel
  );
}

/** A tree as indented text, one line per node: `(icon) label  description`. Used in tests and problem reports. */
export function drawNodes(nodes: readonly TreeNode[], maxDepth = 10): string {
  return draw(nodes, 0, maxDepth).join('\n');
}

function draw(nodes: readonly TreeNode[], depth: number, maxDepth: number): string[] {
  return nodes.flatMap((node) => {
    const icon = node.icon ? `(${node.icon.name}) ` : '';
    const line = `${'  '.repeat(depth)}${icon}${node.label}${node.description === undefined ? '' : `  ${node.description}`}`;
    const children = depth + 1 < maxDepth ? (node.children?.() ?? []) : [];
    return [line, ...draw(children, depth + 1, maxDepth)];
  });
}
