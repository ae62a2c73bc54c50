import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { FailedList, ServerFeatures } from '../../catalog/serverFeatures.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/mcp.js';
import type { OffReason, ServerSwitches } from '../../presets/toolSwitches.js';
import { contextValues } from './contextValues.js';
import { hiddenInItem, hiddenInTool } from '../text/hiddenText.js';
import { promptTooltip, resourceTooltip, templateTooltip, toolTooltip } from './itemTooltips.js';
import type { ListShape } from './listNodes.js';
import { groupNode, itemNode, listNodes } from './listNodes.js';
import type { ResourceBranch } from './resourceTree.js';
import { resourceTree } from './resourceTree.js';
import { plainSentence } from '../text/lines.js';
import { skillGroup } from './skillNodes.js';
import type { TreeNode } from './treeNode.js';
import { noteNode } from './treeNode.js';

/** Whether the user has pinned a resource. */
export type IsPinned = (server: string, uri: string) => boolean;

/** How a server differs from the lock file: the number of differences, and how each tool of the server differs. */
export interface LockDifferences {
  count: number;
  tools: ReadonlyMap<string, 'added' | 'changed'>;
}

/**
 * The lines below a running server: lists that could not be loaded, its tools, resources with their templates, prompts,
 * skills, and warnings.
 */
export function featureNodes(
  server: string,
  features: ServerFeatures,
  isPinned: IsPinned,
  {
    switches,
    quarantined,
    drift,
  }: Pick<ServerView, 'switches' | 'quarantined'> & {
    drift?: LockDifferences | undefined;
  } = {},
): TreeNode[] {
  const { tools, resources, resourceTemplates, prompts, skills, failedLists = [] } = features;
  // A list that failed completely has a line of its own, so its warning is not shown again.
  const warnings = features.warnings.filter((warning) => !failedLists.some((failed) => failed.warning === warning));
  const resourceCount = resources.length + resourceTemplates.length;
  const nodes: TreeNode[] = failedLists.map((failed) => failedListNode(server, failed));
  if (tools.length > 0)
    nodes.push(
      groupNode(server, ['tools'], t('Tools'), tools.length, 'tools', () =>
        listNodes(server, ['tools'], tools, toolShape(server, switches, quarantined, drift)),
      ),
    );
  if (resourceCount > 0)
    nodes.push(
      groupNode(server, ['resources'], t('Resources'), resourceCount, 'library', () =>
        resourceChildren(server, features, isPinned),
      ),
    );
  if (prompts.length > 0) {
    nodes.push(
      groupNode(server, ['prompts'], t('Prompts'), prompts.length, 'comment-discussion', () =>
        listNodes(server, ['prompts'], prompts, promptShape(server)),
      ),
    );
  }
  if (skills) nodes.push(skillGroup(server, skills));
  if (warnings.length > 0) {
    const icon = { name: 'warning', color: 'problemsWarningIcon.foreground' };
    nodes.push({
      ...groupNode(server, ['warnings'], t('Omitted or shortened'), warnings.length, icon.name, () =>
        warnings.map((warning, index) => noteNode(server, `warning-${index}`, warning, icon, warning)),
      ),
      icon,
    });
  }
  return nodes.length > 0
    ? nodes
    : [noteNode(server, 'nothing', t('The server offers no tools, resources, or prompts'))];
}

/** The line of a list that could not be loaded. A click loads the list again. */
function failedListNode(server: string, { list, reason }: FailedList): TreeNode {
  const text = t('{0}. Select to refresh.', failedListText(list, reason));
  const node = noteNode(
    server,
    `failed-${list}`,
    text,
    { name: 'warning', color: 'problemsWarningIcon.foreground' },
    text,
  );
  return { ...node, contextValue: contextValues.failedList, onClick: 'listAgain' };
}

/** A clause without a period that states that a list could not be loaded, and why. */
function failedListText(list: FailedList['list'], reason: string): string {
  switch (list) {
    case 'tools':
      return t('Tools could not be listed: {0}', reason);
    case 'resources':
      return t('Resources could not be listed: {0}', reason);
    case 'prompts':
      return t('Prompts could not be listed: {0}', reason);
  }
}

function resourceChildren(
  server: string,
  { resources, resourceTemplates }: ServerFeatures,
  isPinned: IsPinned,
): TreeNode[] {
  const path = ['resources'];
  const nodes = listNodes(server, path, resourceTree(resources), branchShape(server, path, '', isPinned));
  if (resourceTemplates.length === 0) return nodes;
  const templatePath = [...path, 'templates'];
  return [
    ...nodes,
    groupNode(server, templatePath, t('Templates'), resourceTemplates.length, 'symbol-snippet', () =>
      listNodes(server, templatePath, resourceTemplates, templateShape(server)),
    ),
  ];
}

function toolShape(
  server: string,
  switches: ServerSwitches | undefined,
  quarantined: ReadonlySet<string> | undefined,
  drift: LockDifferences | undefined,
): ListShape<Tool> {
  return {
    keyOf: (tool) => tool.name,
    nameOf: (tool) => tool.name,
    nodeOf: (tool) => {
      const mark = markOf(drift?.tools.get(tool.name));
      const item = itemNode(
        'tool',
        { server, tool: tool.name },
        tool.name,
        {
          label: tool.title ?? tool.annotations?.title,
          description: [mark?.short, plainSentence(tool.description)].filter(Boolean).join(' · ') || undefined,
          icon: toolIcon(tool),
          tooltip: () => [toolTooltip(tool), ...(mark ? [mark.sentence] : [])].join('\n\n'),
        },
        hiddenInTool(tool),
      );
      // A click shows the form; it never runs the tool.
      const node: TreeNode = { ...item, onClick: 'openToolPanel', countedTools: () => [tool] };
      if (quarantined?.has(tool.name) === true) return quarantinedNode(node);
      const reason = switches?.whyOff(tool.name);
      return reason === undefined
        ? node
        : offNode(node, reason === 'preset' ? t('not in the preset') : t('disabled'), reason);
    },
  };
}

/** The texts about a tool that differs from the lock file: for its line, and for its tooltip. */
function markOf(kind: 'added' | 'changed' | undefined): { short: string; sentence: string } | undefined {
  if (kind === undefined) return undefined;
  return kind === 'added'
    ? { short: t('not in the lock file'), sentence: t('The lock file does not contain this tool.') }
    : { short: t('differs from the lock file'), sentence: t('This tool differs from the one in the lock file.') };
}

/**
 * The line of a tool that is off. It is dimmed and not removed, so that the user can switch the tool on again here,
 * unless the preset excludes it.
 */
function offNode(node: TreeNode, why: string, reason: OffReason): TreeNode {
  return {
    ...node,
    description: why,
    icon: { name: 'circle-slash', color: 'disabledForeground' },
    contextValue: reason === 'preset' ? contextValues.toolLeftOut : contextValues.toolOff,
    isDim: true,
    spokenLabel: `${node.label}, ${why}`,
  };
}

/** The line of a tool that differs from the approved one. A click shows the change. */
function quarantinedNode(node: TreeNode): TreeNode {
  const description = t('in quarantine: changed since you approved it');
  return {
    ...node,
    description,
    icon: { name: 'warning', color: 'problemsWarningIcon.foreground' },
    contextValue: contextValues.quarantinedTool,
    onClick: 'reviewChange',
    spokenLabel: `${node.label}, ${description}`,
  };
}

/** The folders and resources of one level. `above` is the prefix of their URIs that the parent folders already show. */
function branchShape(
  server: string,
  path: readonly string[],
  above: string,
  isPinned: IsPinned,
): ListShape<ResourceBranch> {
  return {
    keyOf: (branch) => ('folder' in branch ? branch.folder.path : branch.resource.uri),
    nameOf: (branch) => ('folder' in branch ? branch.folder.label : branch.resource.name),
    nodeOf: (branch) => {
      if ('resource' in branch) {
        const { uri } = branch.resource;
        const node = resourceNode(server, branch.resource, isPinned(server, uri));
        const rest = visibleLine(above !== '' && uri.startsWith(above) ? uri.slice(above.length) : uri, 120);
        return rest === node.label || hiddenInItem(branch.resource) > 0 ? node : { ...node, description: rest };
      }
      const { path: key, label, count, branches } = branch.folder;
      const folderPath = [...path, 'folder', key];
      return {
        ...groupNode(server, folderPath, label, count, 'folder', () =>
          listNodes(server, folderPath, branches, branchShape(server, folderPath, key, isPinned)),
        ),
        name: key,
      };
    },
  };
}

/** The line of one resource. */
export function resourceNode(server: string, resource: Resource, isPinned: boolean): TreeNode {
  return {
    ...itemNode(
      'resource',
      { server, uri: resource.uri },
      resource.uri,
      {
        label: resource.title ?? resource.name,
        description: undefined,
        icon: resourceIcon(resource.mimeType),
        tooltip: () => resourceTooltip(resource),
      },
      hiddenInItem(resource),
    ),
    ...(isPinned ? { contextValue: contextValues.pinnedResource } : {}),
    onClick: 'readResource',
  };
}

function templateShape(server: string): ListShape<ResourceTemplate> {
  return {
    keyOf: (template) => template.uriTemplate,
    nameOf: (template) => template.name,
    nodeOf: (template) => ({
      ...itemNode(
        'template',
        { server, uriTemplate: template.uriTemplate },
        template.uriTemplate,
        {
          label: template.title ?? template.name,
          description: visibleLine(template.uriTemplate, 120),
          icon: 'symbol-snippet',
          tooltip: () => templateTooltip(template),
        },
        hiddenInItem(template),
      ),
      onClick: 'readResource',
    }),
  };
}

function promptShape(server: string): ListShape<Prompt> {
  return {
    keyOf: (prompt) => prompt.name,
    nameOf: (prompt) => prompt.name,
    nodeOf: (prompt) => ({
      ...itemNode(
        'prompt',
        { server, prompt: prompt.name },
        prompt.name,
        {
          label: prompt.title,
          description: plainSentence(prompt.description),
          icon: 'comment',
          tooltip: () => promptTooltip(prompt),
        },
        hiddenInItem(prompt),
      ),
      onClick: 'getPrompt',
    }),
  };
}

/** An icon for the annotations of a tool, which are only claims of the server. */
export function toolIcon({ annotations }: Tool): string {
  if (annotations?.readOnlyHint === true) return 'eye';
  return annotations?.destructiveHint === true ? 'flame' : 'symbol-method';
}

function resourceIcon(mimeType: string | undefined): string {
  if (mimeType === undefined) return 'file';
  if (/^(?:image|audio|video)\//.test(mimeType)) return 'file-media';
  return /[/+]json\b/.test(mimeType) ? 'json' : 'file';
}
