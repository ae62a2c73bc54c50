import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { ServerSkills } from '../../../src/core/skills/serverSkills.js';
import { digestOf, verifyFile } from '../../../src/core/skills/skillFile.js';
import { heapBytes } from '../../support/heapBytes.js';
import { ScriptedError, ScriptedServer, silence } from '../../support/scriptedServer.js';

const text = '---\nname: pdf\ndescription: Work with PDF\n---\n\nBody.\n';
const uri = 'skill://pdf/SKILL.md';
const fileOf = (address: string, content: string) => ({
  uri: address,
  digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  size: Buffer.byteLength(content),
});

function entryOf(
  content: string,
  frontmatter: Record<string, unknown> = { name: 'pdf', description: 'Work with PDF' },
) {
  return { uri, frontmatter, resources: [fileOf(uri, content)] };
}

/** A server that serves `files` and lists `skills`; `get` answers the request for a single skill. */
async function open(files: Record<string, string>, skills: unknown[], get?: (uri: string) => unknown) {
  const server = new ScriptedServer().modern({ resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } });
  server.respondTo('skills/list', () => ({ skills }));
  server.respondTo('skills/get', (params) => {
    const skill = get?.(String(params['uri']));
    if (skill === undefined) throw new ScriptedError(-32602, 'no such skill');
    return { skill };
  });
  server.respondTo('resources/read', (params) => ({
    contents: [{ uri: params['uri'], text: files[String(params['uri'])] }],
  }));
  const session = await McpSession.open(server.openTransport, { client: { name: 't', version: '1' } });
  const changes = { count: 0 };
  return { skills: new ServerSkills(session, () => changes.count++), server, changes };
}

test('[extensions] listing reads every page and no file, and reports the omitted entries', async () => {
  const { skills, server } = await open({}, []);
  server.respondTo('skills/list', (params) =>
    params['cursor'] === 'b'
      ? { skills: [{ uri: 7 }, entryOf(text), entryOf('other')] }
      : { skills: [], nextCursor: 'b' },
  );
  const warnings: string[] = [];
  const entries = await skills.list(undefined, (line) => warnings.push(line));
  assert.deepEqual(
    [skills.isOffered, entries.map((entry) => entry.uri), warnings, server.methods.includes('resources/read')],
    [
      true,
      [uri],
      [
        'Left out the skill without a URI: it has no URI.',
        `The skill ${uri} is listed more than once; the first entry is used.`,
      ],
      false,
    ],
  );
});

test('[F11] listing names ten of many entries that it leaves out, and counts the others', async () => {
  const { skills, server } = await open({}, []);
  server.respondTo('skills/list', () => ({ skills: [entryOf(text), ...Array.from({ length: 2_000 }, () => ({}))] }));
  const warnings: string[] = [];
  assert.equal((await skills.list(undefined, (line) => warnings.push(line))).length, 1);
  assert.deepEqual([warnings.length, warnings[10]], [11, 'Left out 1,990 more skills.']);
});

test('a file that matches its listed digest is returned', async () => {
  const { skills } = await open({ [uri]: text }, [entryOf(text)]);
  await skills.list();
  assert.equal((await skills.read(uri)).contents[0]?.text, text);
});

describe('a file is refused', () => {
  const cases: [string, string, unknown, RegExp][] = [
    ['of another size', `${text}more`, entryOf(text), /bytes instead of/],
    ['of another digest', text.replace('Body', 'Evil'), entryOf(text), /digest differs/],
    ['with other front matter', text, entryOf(text, { name: 'pdf', description: 'Another' }), /front matter differs/],
    [
      'with front matter that is no YAML',
      '---\na: [\n---\n',
      entryOf('---\na: [\n---\n'),
      /front matter cannot be read/,
    ],
    [
      'with front matter that would take long to read',
      `---\n${'#\n'.repeat(200_000)}---\n`,
      entryOf(`---\n${'#\n'.repeat(200_000)}---\n`),
      /longer than 262 kB/,
    ],
    [
      'of a skill without digests and with different front matter',
      text,
      { ...entryOf(text, { name: 'pdf', description: 'Another' }), resources: 'dynamic' },
      /front matter differs/,
    ],
  ];
  for (const [what, served, entry, reason] of cases) {
    test(what, async () => {
      const { skills } = await open({ [uri]: served }, [entry], () => entry);
      await skills.list();
      await assert.rejects(
        skills.read(uri),
        (error: Error & { code?: string }) => error.code === 'verification-failed' && reason.test(error.message),
      );
    });
  }

  test('when no skill lists it', async () => {
    const { skills } = await open({ 'skill://other': 'x' }, [entryOf(text)]);
    await skills.list();
    assert.equal(skills.holds('skill://other'), false);
    await assert.rejects(skills.read('skill://other'), { code: 'verification-failed' });
  });

  test('when one of two skills that list it has another digest', async () => {
    const shared = 'skill://pdf/forms/SKILL.md';
    const inner = '---\nname: forms\ndescription: Forms\n---\n';
    const nested = {
      uri: shared,
      frontmatter: { name: 'forms', description: 'Forms' },
      resources: [fileOf(shared, inner)],
    };
    const outer = { ...entryOf(text), resources: [fileOf(uri, text), fileOf(shared, 'another text')] };
    const { skills } = await open({ [shared]: inner }, [nested, outer]);
    await skills.list();
    await assert.rejects(skills.read(shared), { code: 'verification-failed' });
  });
});

test('a skill that changed since it was listed is read with its new content', async () => {
  const newer = text.replace('Body', 'Newer body');
  const { skills, server, changes } = await open({ [uri]: newer }, [entryOf(text)], () => entryOf(newer));
  await skills.list();
  assert.equal((await skills.read(uri)).contents[0]?.text, newer);
  const [entry] = skills.entries;
  assert.deepEqual(
    [entry?.files, changes.count, server.methods.filter((method) => method === 'resources/read').length],
    [[fileOf(uri, newer)], 1, 2],
  );
});

test('two reads at the same time find the new entry of a skill that changed', async () => {
  const newer = text.replace('Body', 'Newer body');
  const { skills } = await open({ [uri]: newer }, [entryOf(text)], () => entryOf(newer));
  await skills.list();
  const results = await Promise.all([skills.read(uri), skills.read(uri)]);
  assert.deepEqual(
    results.map((result) => result.contents[0]?.text),
    [newer, newer],
  );
});

test('[F9] a canceled read reports the entries that it has replaced', async () => {
  const shared = 'skill://pdf/inner/SKILL.md';
  const inner = text.replace('Body', 'Inner');
  const nested = (content: string) => ({ ...entryOf(content), uri: shared, resources: [fileOf(shared, content)] });
  const outer = { ...entryOf(text), resources: [fileOf(uri, text), fileOf(shared, text)] };
  const { skills, server, changes } = await open({ [shared]: inner }, [nested(text), outer]);
  const controller = new AbortController();
  server.respondTo('skills/get', (params) => {
    if (params['uri'] === shared) return { skill: nested(inner) };
    controller.abort();
    return silence;
  });
  await skills.list();
  const former = skills.entries;
  await assert.rejects(skills.read(shared, { signal: controller.signal }), { name: 'AbortError' });
  assert.deepEqual(
    [skills.entries === former, changes.count, skills.entries[0]?.files],
    [false, 1, [fileOf(shared, inner)]],
  );
});

test('an unlisted skill is found by its address, and verified like the others', async () => {
  const { skills } = await open({ [uri]: `${text}more` }, [], (asked) => (asked === uri ? entryOf(text) : undefined));
  await skills.list();
  assert.equal((await skills.find(uri)).name, 'pdf');
  await assert.rejects(skills.read(uri), { code: 'verification-failed' });
  await assert.rejects(skills.find('skill://none/SKILL.md'), {
    code: 'unknown-skill',
    message: /serves no skill at skill:\/\/none\/SKILL.md/,
  });
});

test('[F9] the skills that are requested one by one share a limit until they are listed again', async () => {
  const frontmatter = { name: 'pdf', description: 'Large', list: Array(1_500).fill([]) };
  const { skills } = await open({}, [], (asked) => ({ uri: asked, frontmatter, resources: 'dynamic' }));
  const findAll = async () => {
    for (let index = 0; index < 1_000; index++) await skills.find(`skill://s${index}/SKILL.md`);
  };
  await assert.rejects(findAll(), { code: 'invalid-message', message: /need more than 16.8 MB of memory/ });
  await skills.list();
  assert.equal((await skills.find('skill://s0/SKILL.md')).name, 'pdf');
});

test('a file is verified against the entries of the time when it arrives, and the former ones are not kept', async () => {
  const { skills, server } = await open({}, [entryOf(text)]);
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) =>
    server.respondTo('resources/read', (params) => {
      resolve();
      return new Promise((done) => (answer = () => done({ contents: [{ uri: params['uri'], text: `${text}new` }] })));
    }),
  );
  await skills.list();
  const former = new WeakRef(skills.entries[0] ?? {});
  const read = skills.read(uri);
  await asked;
  server.respondTo('skills/list', () => ({ skills: [entryOf(`${text}new`)] }));
  await skills.list();
  await heapBytes();
  assert.equal(former.deref(), undefined);
  answer();
  assert.equal((await read).contents[0]?.text, `${text}new`);
});

test('an answer about a different skill is rejected', async () => {
  const { skills } = await open({}, [], () => entryOf(text));
  await assert.rejects(skills.find('skill://other/SKILL.md'), {
    code: 'invalid-message',
    message: /returned skill:\/\/pdf\/SKILL.md instead/,
  });
});

test('[extensions] a file is hashed once, and its digest is compared with each skill that lists it', async () => {
  const files = [fileOf(uri, text)];
  const entry = {
    uri,
    frontmatter: { name: 'pdf', description: 'Work with PDF' },
    name: 'pdf',
    description: '',
    files,
  };
  const bytes = Buffer.from(text);
  await verifyFile(entry, uri, bytes, digestOf(bytes));
  await assert.rejects(verifyFile(entry, uri, bytes, digestOf(Buffer.from('other'))), /its digest differs/);
});
