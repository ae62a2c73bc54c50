import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { SkillList } from '../../catalog/serverFeatures.js';
import type { SkillEntry, SkillFile } from '../../skills/skillEntry.js';
import { folderOf, pathInSkill } from '../../skills/skillEntry.js';
import { hiddenIn, hiddenInSkill } from '../text/hiddenText.js';
import { skillTooltip } from './itemTooltips.js';
import type { ListShape } from './listNodes.js';
import { groupNode, itemNode, listNodes } from './listNodes.js';
import { inlineCode } from '../text/markdown.js';
import { plainSentence } from '../text/lines.js';
import { sizeText } from '../../../shared/amountText.js';
import type { TreeNode } from './treeNode.js';
import { nodeId, noteNode } from './treeNode.js';

/** The skills of a running server. Showing them reads no file; a file is fetched when it is opened. */
export function skillGroup(server: string, { entries, problem }: SkillList): TreeNode {
  const group = groupNode(server, ['skills'], t('Skills'), entries.length, 'mortar-board', () => {
    const lines = listNodes(server, ['skills'], entries, skillShape(server, entries));
    if (problem !== undefined)
      return [
        noteNode(
          server,
          'skills-problem',
          problem,
          { name: 'warning', color: 'problemsWarningIcon.foreground' },
          problem,
        ),
        ...lines,
      ];
    return lines.length > 0
      ? lines
      : [
          noteNode(
            server,
            'no-skills',
            t('The server lists no skills. To open a skill by its URI, use "Open Skill…".'),
          ),
        ];
  });
  if (problem === undefined) return group;
  const description = t('could not be listed');
  return {
    ...group,
    description,
    icon: { name: 'warning', color: 'problemsWarningIcon.foreground' },
    spokenLabel: `${group.label}, ${description}`,
  };
}

function skillShape(server: string, entries: readonly SkillEntry[]): ListShape<SkillEntry> {
  const counts = new Map<string, number>();
  for (const { name } of entries) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    keyOf: (skill) => skill.uri,
    nameOf: (skill) => skill.name,
    nodeOf: (skill) => {
      const others = skill.files === 'dynamic' ? [] : skill.files.filter((file) => file.uri !== skill.uri);
      const folder = folderOf(skill.uri).slice(0, -1);
      // The name of a skill may not identify the skill. In that case, the skill's folder is shown as well.
      const isPlain = counts.get(skill.name) === 1 && folder.endsWith(`/${skill.name}`);
      const sentence = plainSentence(skill.description);
      const description = [
        ...(isPlain ? [] : [visibleLine(folder.replace(/^[^:]+:\/\//, ''), 80)]),
        ...(sentence === undefined ? [] : [sentence]),
      ].join(' · ');
      const node = itemNode(
        'skill',
        { server, uri: skill.uri },
        skill.uri,
        {
          label: skill.name,
          description: description === '' ? undefined : description,
          icon: 'book',
          tooltip: () => skillTooltip(skill),
        },
        hiddenInSkill(skill),
      );
      return {
        ...node,
        onClick: 'openSkill',
        ...(others.length > 0
          ? {
              isCollapsible: true,
              children: () => listNodes(server, ['skill', skill.uri], others, fileShape(server, skill)),
            }
          : {}),
      };
    },
  };
}

function fileShape(server: string, skill: SkillEntry): ListShape<SkillFile> {
  return {
    keyOf: (file) => file.uri,
    nameOf: (file) => pathInSkill(skill.uri, file.uri),
    nodeOf: (file) => {
      const node = itemNode(
        'skillFile',
        { server, uri: file.uri },
        file.uri,
        {
          label: pathInSkill(skill.uri, file.uri),
          description: sizeText(file.size),
          icon: /\.md$/i.test(file.uri) ? 'markdown' : 'file',
          tooltip: () => inlineCode(file.uri),
        },
        hiddenIn(file.uri),
      );
      // A file in a skill inside another skill belongs to both skills, so the ID contains the skill.
      return { ...node, id: nodeId('server', server, 'skill', skill.uri, file.uri), onClick: 'readResource' };
    },
  };
}
