import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pathInSkill, readSkillEntry } from '../../../src/core/skills/skillEntry.js';

const digest = `sha256:${'0'.repeat(64)}`;
const uri = 'skill://acme/billing/refunds/SKILL.md';
const own = { uri, digest, size: 10 };
const entry = {
  uri,
  frontmatter: { name: 'refunds', description: 'Refund', license: 'MIT' },
  resources: [own, { uri: 'skill://acme/billing/refunds/a/b..md', digest, size: 0 }],
};

test('an entry is read with its name, its description and its files', () => {
  assert.deepEqual(readSkillEntry(entry), {
    entry: { uri, frontmatter: entry.frontmatter, name: 'refunds', description: 'Refund', files: entry.resources },
  });
  assert.equal(pathInSkill(uri, entry.resources[1]?.uri ?? ''), 'a/b..md');
});

test('[F9] unknown members of files are not kept', () => {
  const large = { ...own, more: Array(1_000).fill([]) };
  const found = readSkillEntry({ ...entry, resources: [large] });
  assert.deepEqual('entry' in found && found.entry.files, [own]);
});

test('dynamic files are marked as dynamic', () => {
  assert.deepEqual(readSkillEntry({ ...entry, resources: 'dynamic' }), {
    entry: { uri, frontmatter: entry.frontmatter, name: 'refunds', description: 'Refund', files: 'dynamic' },
  });
});

describe('invalid entries: a skill', () => {
  const withFiles = (...files: unknown[]) => ({ ...entry, resources: [own, ...files] });
  const file = (path: string) => ({ uri: `skill://acme/billing/refunds/${path}`, digest, size: 1 });
  const cases: [string, unknown, RegExp][] = [
    ['that is not an object', 'x', /not an object/],
    ['without a URI', { ...entry, uri: 1 }, /no URI/],
    ['whose address is endless', { ...entry, uri: `skill://${'x'.repeat(3_000)}/SKILL.md` }, /characters/],
    ['whose address is not a SKILL.md', { ...entry, uri: 'skill://acme/README.md' }, /SKILL\.md/],
    ['without front matter', { ...entry, frontmatter: 'name: x' }, /no front matter/],
    ['without a name', { ...entry, frontmatter: { description: 'x' } }, /no name/],
    ['with a name of spaces', { ...entry, frontmatter: { name: ' ', description: 'x' } }, /no name/],
    ['without a description', { ...entry, frontmatter: { name: 'x' } }, /no description/],
    ['with huge front matter', { ...entry, frontmatter: { name: 'x', description: 'x'.repeat(70_000) } }, /65.5 kB/],
    [
      'with front matter of many values',
      { ...entry, frontmatter: { name: 'x', description: 'x', list: Array(20_000).fill([]) } },
      /memory/,
    ],
    ['without files', { ...entry, resources: undefined }, /does not list its files/],
    ['with an unknown keyword for its files', { ...entry, resources: 'static' }, /does not list its files/],
    ['with too many files', { ...entry, resources: Array.from({ length: 513 }, (_, i) => file(`${i}`)) }, /513 files/],
    ['with more bytes than are allowed', withFiles({ ...file('big'), size: 16 * 1024 * 1024 }), /16.8 MB/],
    ['with a file without digest', withFiles({ ...file('x'), digest: 'md5:1' }), /digest/],
    ['with a file of negative size', withFiles({ ...file('x'), size: -1 }), /size/],
    ['with a file of endless size', withFiles({ ...file('x'), size: 1e400 }), /size/],
    ['with a file that is listed twice', withFiles(file('x'), file('x')), /twice/],
    ['without its SKILL.md among the files', { ...entry, resources: [file('x')] }, /not among its files/],
    ['with a file elsewhere', withFiles({ ...file('x'), uri: 'file:///etc/passwd' }), /not in its folder/],
    [
      'with a file beside its folder',
      withFiles({ ...file('x'), uri: 'skill://acme/billing/refunds-2/x' }),
      /not in its folder/,
    ],
    ['with its folder as a file', withFiles(file('')), /not in its folder/],
    ...['../x', 'a/../../x', './x', 'a//x', '%2e%2e/x', '..%2Fx', '..\\x', 'a/%2E%2e%5Cx', 'x?y=/../z', 'x#y'].map(
      (path): [string, unknown, RegExp] => [
        `with the file ${path} outside its folder`,
        withFiles(file(path)),
        /not in its folder/,
      ],
    ),
  ];
  for (const [what, value, problem] of cases) {
    test(what, () => {
      const found = readSkillEntry(value);
      assert.ok('problem' in found);
      assert.match(found.problem, problem);
    });
  }
});
