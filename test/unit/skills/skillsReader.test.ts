import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { SkillsReader } from '../../../src/core/skills/skillsReader.js';
import { ScriptedServer } from '../../support/scriptedServer.js';

const text = '---\nname: pdf\ndescription: Work with PDF\n---\n\nBody.\n';
const digest = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const uri = 'skill://pdf/SKILL.md';

async function reader(served: string, listed = text, frontmatter: Record<string, unknown> = { name: 'pdf', description: 'Work with PDF' }) {
  const server = new ScriptedServer().modern({ resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } });
  server.respondTo('skills/list', () => ({
    skills: [
      { uri, frontmatter, resources: [{ uri, digest: digest(listed), size: Buffer.byteLength(listed) }] },
      { uri: 7 },
      { uri: 'skill://big', frontmatter: {}, resources: [{ uri: 'skill://big/x', digest: digest(''), size: 2 ** 30 }] },
    ],
  }));
  server.respondTo('resources/read', () => ({ contents: [{ uri, text: served }] }));
  const session = await McpSession.open(server.openTransport, { client: { name: 't', version: '1' } });
  return { skills: new SkillsReader(session, parse), server };
}

test('[extensions] listing reads no file and leaves out broken entries', async () => {
  const { skills, server } = await reader(text);
  assert.deepEqual([skills.isOffered, (await skills.list()).map((entry) => entry.uri), server.methods.includes('resources/read')], [true, [uri], false]);
});

test('a file that is what was listed loads', async () => {
  const { skills } = await reader(text);
  const [entry] = await skills.list();
  assert.equal(entry && (await skills.load(entry)), text);
});

describe('a file is refused', () => {
  const cases: [string, string, string, Record<string, unknown> | undefined, RegExp][] = [
    ['of another size', `${text}more`, text, undefined, /bytes instead of/],
    ['of another digest', text.replace('Body', 'Evil'), text, undefined, /digest differs/],
    ['with other front matter', text, text, { name: 'pdf', description: 'Another' }, /front matter differs/],
  ];
  for (const [what, served, listed, frontmatter, reason] of cases) {
    test(what, async () => {
      const { skills } = await reader(served, listed, frontmatter);
      const [entry] = await skills.list();
      assert.ok(entry);
      await assert.rejects(skills.load(entry), (error: Error & { code?: string }) => error.code === 'verification-failed' && reason.test(error.message));
    });
  }

  test('when the skill does not list it', async () => {
    const { skills } = await reader(text);
    const [entry] = await skills.list();
    assert.ok(entry);
    await assert.rejects(skills.readFile(entry, 'skill://other'), { code: 'verification-failed' });
  });
});
