import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';
import { startPeer } from '../../support/interopProcess.js';

/**
 * Skills of an independent server: the implementation of the extension in the official SDK, over a folder of files. It
 * shares no code with our fixture or our client.
 */
const program = 'test/support/interopSkills.mjs';
const skillText = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: "Skill: ${name} – größer"\n${more}---\n\n# ${name}\n`;
/** Not UTF-8, so it is sent as base64. */
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0xfe]);

function writeSkills(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'deck-skills-'));
  for (const name of ['alpha', 'beta', 'gamma', 'delta', 'epsilon']) {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, 'SKILL.md'), skillText(name));
  }
  mkdirSync(path.join(folder, 'beta', 'references', 'deep'), { recursive: true });
  writeFileSync(
    path.join(folder, 'beta', 'SKILL.md'),
    skillText('beta', 'license: MIT\nmetadata:\n  owner: team\n  level: "3"\n'),
  );
  writeFileSync(path.join(folder, 'beta', 'references', 'deep', 'a file.md'), 'Größe: 5 €\r\n');
  writeFileSync(path.join(folder, 'beta', 'picture.png'), picture);
  return folder;
}

for (const { name, way, protocol } of [
  { name: 'over stdio, the modern era', way: 'stdio', protocol: 'auto' },
  { name: 'over stdio, the legacy era', way: 'stdio', protocol: 'legacy' },
  { name: 'over HTTP, the modern era', way: 'http', protocol: 'auto' },
] as const) {
  describe(`the skills of a server on the official SDK, ${name}`, { concurrency: false }, () => {
    const folder = writeSkills();
    const ends: (() => Promise<void>)[] = [];
    let host: ReturnType<typeof headlessHost>['host'];
    const entries = () => host.servers.get('official')?.features?.skills?.entries ?? [];

    before(async () => {
      let definition: object = { command: process.execPath, args: [path.resolve(program), folder, 'stdio'], protocol };
      if (way === 'http') {
        const peer = await startPeer([program, folder, 'http']);
        ends.push(() => peer.close());
        definition = { type: 'http', url: peer.url, protocol };
      }
      ({ host } = headlessHost({ servers: { official: definition } }));
      await host.open();
      await host.lifecycle.start('official');
    });
    after(async () => {
      await host.close();
      for (const end of ends) await end();
      rmSync(folder, { recursive: true });
    });

    test('[extensions] all pages are listed, with every file, its digest and the front matter', () => {
      const view = host.servers.get('official');
      assert.deepEqual(
        [view?.features?.identity.era, view?.features?.warnings],
        [protocol === 'legacy' ? 'legacy' : 'modern', []],
      );
      assert.deepEqual(
        entries()
          .map((entry) => entry.name)
          .sort(),
        ['alpha', 'beta', 'delta', 'epsilon', 'gamma'],
      );
      const beta = entries().find((entry) => entry.name === 'beta');
      assert.deepEqual(beta?.frontmatter, {
        name: 'beta',
        description: 'Skill: beta – größer',
        license: 'MIT',
        metadata: { owner: 'team', level: '3' },
      });
      assert.ok(Array.isArray(beta?.files));
      assert.deepEqual((beta.files as { uri: string }[]).map(({ uri }) => uri).sort(), [
        'skill://beta/SKILL.md',
        'skill://beta/picture.png',
        'skill://beta/references/deep/a%20file.md',
      ]);
    });

    test('[extensions] text and bytes of every file pass verification and equal the files on disk', async () => {
      const read = async (uri: string) => (await host.calls.readResource({ server: 'official', uri })).contents[0];
      for (const entry of entries())
        for (const file of entry.files === 'dynamic' ? [] : entry.files)
          assert.equal((await read(file.uri))?.uri, file.uri);
      assert.equal((await read('skill://beta/references/deep/a%20file.md'))?.text, 'Größe: 5 €\r\n');
      assert.deepEqual(Buffer.from((await read('skill://beta/picture.png'))?.blob ?? '', 'base64'), picture);
    });

    test('a skill is found by its address, and one that does not exist is reported as unknown', async () => {
      assert.equal((await host.calls.findSkill({ server: 'official', uri: 'skill://gamma/SKILL.md' })).name, 'gamma');
      await assert.rejects(host.calls.findSkill({ server: 'official', uri: 'skill://none/SKILL.md' }), {
        code: 'unknown-skill',
      });
    });

    test('a skill that is added and one that is edited appear after the server notifies that its list changed', async () => {
      cpSync(path.join(folder, 'alpha'), path.join(folder, 'zeta'), { recursive: true });
      writeFileSync(path.join(folder, 'zeta', 'SKILL.md'), skillText('zeta'));
      writeFileSync(path.join(folder, 'gamma', 'SKILL.md'), `${skillText('gamma')}\nEdited.\n`);
      await host.calls.runTool({ server: 'official', tool: 'reload' }, { caller: 'user' });
      await until(() => entries().some((entry) => entry.name === 'zeta'));
      assert.match(
        (await host.calls.readResource({ server: 'official', uri: 'skill://gamma/SKILL.md' })).contents[0]?.text ?? '',
        /Edited/,
      );
    });
  });
}

test('[extensions] a file of the official implementation that differs from the listed one is refused', async () => {
  const folder = writeSkills();
  const { host } = headlessHost({
    servers: { lying: { command: process.execPath, args: [path.resolve(program), folder, 'stdio', 'lying'] } },
  });
  await host.open();
  try {
    await host.lifecycle.start('lying');
    assert.deepEqual(
      host.servers.get('lying')?.features?.skills?.entries.map(({ name }) => name),
      ['alpha'],
    );
    await assert.rejects(host.calls.readResource({ server: 'lying', uri: 'skill://alpha/SKILL.md' }), {
      code: 'verification-failed',
      message: /digest differs/,
    });
  } finally {
    await host.close();
    rmSync(folder, { recursive: true });
  }
});
