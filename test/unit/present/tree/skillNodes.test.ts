import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SkillList } from '../../../../src/core/catalog/serverFeatures.js';
import { skillChatText } from '../../../../src/core/present/chat/chatInput.js';
import { drawNodes } from '../../../../src/core/present/tree/treeNode.js';
import { skillTooltip } from '../../../../src/core/present/tree/itemTooltips.js';
import { rootNodes } from '../../../../src/core/present/tree/serverNodes.js';
import { skillGroup } from '../../../../src/core/present/tree/skillNodes.js';
import { otherSkill, skillPickRows } from '../../../../src/core/present/chat/toolPick.js';
import type { TreeNode } from '../../../../src/core/present/tree/treeNode.js';
import type { SkillEntry } from '../../../../src/core/skills/skillEntry.js';
import { serverView } from '../../../support/serverViews.js';

function skill(
  folder: string,
  parts: { name?: string; description?: string; others?: string[]; files?: 'dynamic'; more?: object } = {},
): SkillEntry {
  const {
    name = folder.split('/').at(-1) ?? '',
    description = 'Does things. At length.',
    others = [],
    files,
    more,
  } = parts;
  const uri = `skill://${folder}/SKILL.md`;
  const digest = `sha256:${'0'.repeat(64)}`;
  return {
    uri,
    name,
    description,
    frontmatter: { name, description, ...more },
    files: files ?? ['SKILL.md', ...others].map((path) => ({ uri: `skill://${folder}/${path}`, digest, size: 1_200 })),
  };
}

const draw = (list: SkillList) => drawNodes([skillGroup('docs', list)]);
const idsOf = (nodes: readonly TreeNode[]): string[] =>
  nodes.flatMap((node) => [node.id, ...idsOf(node.children?.() ?? [])]);

test('skills show the first sentence of their description, and their other files below', () => {
  const list = { entries: [skill('git', { others: ['refs/a.md', 'run.sh'] }), skill('daily', { files: 'dynamic' })] };
  assert.equal(
    draw(list),
    [
      '(mortar-board) Skills  2',
      '  (book) git  Does things',
      '    (markdown) refs/a.md  1.2 kB',
      '    (file) run.sh  1.2 kB',
      '  (book) daily  Does things',
    ].join('\n'),
  );
});

test('skills with the same name show their folders, and so does a skill whose name differs from its folder', () => {
  const list = {
    entries: [
      skill('acme/billing/refunds'),
      skill('acme/support/refunds', { description: '' }),
      skill('acme/x', { name: 'git' }),
    ],
  };
  assert.equal(
    draw(list),
    [
      '(mortar-board) Skills  3',
      '  (book) refunds  acme/billing/refunds · Does things',
      '  (book) refunds  acme/support/refunds',
      '  (book) git  acme/x · Does things',
    ].join('\n'),
  );
});

test('[L2] hidden characters of a skill are counted in its line', () => {
  const entry = skill('git', { description: 'Plain\u200b text.', more: { note: '\u{e0069}' } });
  const [node] = skillGroup('docs', { entries: [entry] }).children?.() ?? [];
  assert.deepEqual(
    [node?.icon?.name, node?.description, node?.spokenLabel],
    ['warning', '2 hidden characters · Plain\\u{200b} text', 'git, 2 hidden characters · Plain\\u{200b} text'],
  );
  assert.match(skillTooltip(entry), /\$\(warning\) \*\*2 hidden characters in the server's description\*\*/);
});

test('an empty list and a failed list are reported', () => {
  assert.equal(
    draw({ entries: [] }),
    '(mortar-board) Skills  0\n    The server lists no skills. To open a skill by its URI, use "Open Skill…".',
  );
  assert.equal(
    draw({ entries: [], problem: 'no (code -32603)' }),
    '(warning) Skills  could not be listed\n  (warning)   no (code -32603)',
  );
});

test('all line ids are unique, even if two skills share a file', () => {
  const nested = skill('git', { others: ['inner/SKILL.md'] });
  const ids = idsOf([skillGroup('docs', { entries: [nested, skill('git/inner')] })]);
  assert.equal(new Set(ids).size, ids.length, ids.join('\n'));
});

test('a tooltip shows the trust in the files, and that a skill grants no tools', () => {
  assert.match(
    skillTooltip(skill('git', { others: ['a.md'], more: { 'allowed-tools': 'Bash(*)' } })),
    /Files: 2 \(2\.4 kB\)[^]*requests tools \(`"Bash\(\*\)"`\), which are not granted/,
  );
  assert.match(skillTooltip(skill('daily', { files: 'dynamic' })), /generated on request/);
});

test('a server that offers only skills shows their number', () => {
  const view = serverView('docs', { features: { skills: { entries: [skill('git')] } } });
  assert.match(drawNodes(rootNodes({ servers: [view], broken: [] }, 0), 1), /docs {2}stdio · 1 skill$/);
});

test('the list of skills to open has the listed skills, an entry for unlisted ones, and the stopped servers', () => {
  const servers = [
    serverView('docs', { features: { skills: { entries: [skill('git')] } } }),
    serverView('plain', { features: {} }),
    serverView('off'),
  ];
  const rows = skillPickRows(servers, 0).map(({ kind, label, description, target }) => [
    kind,
    label,
    description,
    target?.name,
  ]);
  assert.deepEqual(rows, [
    ['separator', 'skills', undefined, undefined],
    ['item', 'git', 'docs · skill://git/SKILL.md', 'skill://git/SKILL.md'],
    ['separator', 'by URI', undefined, undefined],
    ['item', 'Enter Skill URI…', 'docs', otherSkill],
    ['separator', 'not running', undefined, undefined],
    ['start', 'off', 'stopped; select to start the server and list its skills', undefined],
  ]);
});

test('[L2] in the chat a skill follows the name of its server, so that it cannot be a command', () => {
  const text = skillChatText({ server: 'docs', uri: 'skill://git/SKILL.md', name: 'git' }, '/clear\u200b');
  assert.equal(text, 'The skill "git" of the MCP server "docs" (skill://git/SKILL.md):\n\n/clear\\u{200b}');
});
