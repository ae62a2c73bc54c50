/** The documentation: short pages, valid links, names that match the product, and up-to-date content. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const pages = readdirSync('docs')
  .filter((file) => file.endsWith('.md'))
  .sort();
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'src/README.md',
  'test/README.md',
  ...pages.map((file) => `docs/${file}`),
];
const nls = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: {
    commands: { command: string; title: string }[];
    configuration: { properties: Record<string, unknown> }[];
  };
};
const commandTitles = contributes.commands.map(({ title }) => nls[title.slice(1, -1)] ?? title);

/** A text without its code, which contains no headings or links. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));
}

/** The anchors of the headings in a text, as Markdown viewers make them. */
function anchors(text: string): Set<string> {
  const headings = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The relative links and pictures of a text without an existing file or heading. */
function brokenLinks(text: string, file: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/i.test(target))
    .filter((target) => {
      const [name = '', anchor] = target.split('#');
      const linked = name === '' ? file : path.join(path.dirname(file), name);
      if (!existsSync(linked)) return true;
      return anchor !== undefined && !anchors(name === '' ? text : readFileSync(linked, 'utf8')).has(anchor);
    });
}

for (const file of documents) {
  test(`every link and picture of ${file} leads to a file and a heading that exist`, () => {
    assert.deepEqual(brokenLinks(readFileSync(file, 'utf8'), file), []);
  });
}

test('a link to a missing file, a missing heading or a missing picture is broken', () => {
  const text =
    '# Here\n[a](trace.md) [b](nowhere.md) [c](trace.md#nothing) [d](#here) [e](#there) ![f](../media/none.png) [g](https://example.com)\n```\n[h](code.md)\n```\n`[i](code.md)`\n';
  assert.deepEqual(brokenLinks(text, 'docs/trace.md'), [
    'nowhere.md',
    'trace.md#nothing',
    '#there',
    '../media/none.png',
  ]);
});

test('README.md has fewer than 9,000 bytes and shows a picture', () => {
  assert.ok(statSync('README.md').size < 9_000, `${statSync('README.md').size} bytes`);
  assert.match(readFileSync('README.md', 'utf8'), /^!\[[^\]]+\]\(media\/screenshots\/[\w-]+\.png\)$/m);
});

test('README.md has the two commands to start with', () => {
  const text = readFileSync('README.md', 'utf8');
  for (const command of ['npm install && npm start', 'npm install && npm test'])
    assert.ok(text.includes(command), command);
});

for (const file of pages) {
  test(`docs/${file} has fewer than 8,000 bytes and starts with a heading`, () => {
    const text = readFileSync(path.join('docs', file), 'utf8');
    assert.ok(Buffer.byteLength(text) < 8_000, `${Buffer.byteLength(text)} bytes`);
    assert.match(text, /^# \S/);
  });
}

test('there is a page for each of at least ten tasks, and the contents page lists every page', () => {
  const contents = readFileSync('docs/README.md', 'utf8');
  const listed = pages.filter((file) => file !== 'README.md');
  assert.ok(listed.length >= 10, `${listed.length} pages`);
  assert.deepEqual(
    listed.filter((file) => !contents.includes(`](${file})`)),
    [],
  );
});

test('every picture of the documentation is used and has alternative text', () => {
  const all = documents.map((file) => readFileSync(file, 'utf8')).join('\n');
  assert.deepEqual(
    readdirSync('media/screenshots').filter((file) => !all.includes(`media/screenshots/${file})`)),
    [],
  );
  assert.deepEqual(
    [...all.matchAll(/!\[\s*\]\(/g)].map(([image]) => image),
    [],
  );
});

test('the pages generated from package.json are up to date', () => {
  const { status, stderr } = spawnSync(process.execPath, ['docs.mjs', '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

test('no generated page has a value that is missing', () => {
  for (const file of ['docs/settings.md', 'docs/server-fields.md', 'docs/commands.md'])
    assert.doesNotMatch(readFileSync(file, 'utf8'), /\bundefined\b/, file);
});

test('the page of settings has every setting', () => {
  const text = readFileSync('docs/settings.md', 'utf8');
  const settings = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  assert.deepEqual(
    settings.filter((setting) => !text.includes(`### ${setting}\n`)),
    [],
  );
});

test('a command of MCP Deck has the same name in the documentation as in the palette', () => {
  const named = documents
    .filter((file) => file !== 'CHANGELOG.md')
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\*\*MCP Deck: ([^*]+)\*\*/g)].map(([, title = '']) => ({ file, title })),
    );
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter(({ title }) => !commandTitles.includes(title)),
    [],
  );
});

test('a word in bold is the name of an element of the window, with the same spelling', () => {
  const bundle = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Record<string, string>;
  const ofVsCode = ['Extensions: Install from VSIX...', 'Tasks: Run Task', 'Welcome: Open Walkthrough...'];
  const ofBuiltInServer = [
    'workspace',
    'Find Files',
    'Read File',
    'Diagnostics',
    'Document Symbols',
    'Workspace Symbols',
    'Pattern',
  ];
  const known = new Set([...Object.values(nls), ...Object.keys(bundle), ...ofVsCode, ...ofBuiltInServer]);
  const named = ['README.md', ...pages.map((file) => `docs/${file}`)].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\*\*([^*\n]+)\*\*/g)].map(([, name = '']) => ({
      file,
      name: name.replace(/^MCP Deck: /, ''),
    })),
  );
  assert.ok(named.length > 100, `${named.length} names`);
  assert.deepEqual(
    named.filter(({ name }) => !known.has(name)),
    [],
  );
});

test('a command or setting that the documentation names by its id exists', () => {
  const known = new Set([
    ...contributes.commands.map(({ command }) => command),
    ...contributes.configuration.flatMap(({ properties }) => Object.keys(properties)),
  ]);
  const named = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bmcpDeck\.[A-Za-z][\w.]*\w/g)].map(([id]) => ({ file, id })),
  );
  assert.deepEqual(
    named.filter(({ id }) => !known.has(id)),
    [],
  );
});

test('every help link of the product opens a page that exists', () => {
  const links = Object.values(nls).flatMap((text) =>
    [...text.matchAll(/command:mcpDeck\.openDocumentation\?([^)]+)\)/g)].map(
      ([, query = '']) => (JSON.parse(decodeURIComponent(query)) as { page: string }).page,
    ),
  );
  assert.ok(links.length >= 9, `${links.length} links`);
  assert.deepEqual(
    links.filter((page) => !pages.includes(`${page}.md`)),
    [],
  );
});

test('every page that "Learn More" in a question opens exists', () => {
  const [, names = ''] =
    /type DocumentationPage =([^;]+);/.exec(readFileSync('src/vscode/ui/confirm.ts', 'utf8')) ?? [];
  const learned = [...names.matchAll(/'([\w-]+)'/g)].map(([, page]) => page);
  assert.ok(learned.length >= 5, names);
  assert.deepEqual(
    learned.filter((page) => !pages.includes(`${page}.md`)),
    [],
  );
});

test('the packaged documentation shows no picture and has no link out of it', () => {
  const shipped = [
    ['dist/readme.md', 'README.md'],
    ...pages.map((file) => [`dist/docs/${file}`, `docs/${file}`]),
  ] as const;
  for (const [file = '', source = ''] of shipped) {
    const text = prose(readFileSync(file, 'utf8'));
    const relative = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(https:|#)/.test(target));
    assert.doesNotMatch(text, /!\[/, file);
    assert.deepEqual(
      relative.filter((target) => file === 'dist/readme.md' || !pages.includes(target.split('#')[0] ?? '')),
      [],
      file,
    );
    const headings = (one: string) => [...one.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    const left = file === 'dist/readme.md' ? ['Try it', 'Install', 'Contributing'] : [];
    assert.deepEqual([...headings(text), ...left].sort(), headings(prose(readFileSync(source, 'utf8'))).sort(), file);
  }
});

test('each file that the map of the code names exists', () => {
  const files = ['src', 'test'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map(
      (file) => `/${root}/${file.split(path.sep).join('/')}`,
    ),
  );
  const named = [...readFileSync('src/README.md', 'utf8').matchAll(/`([\w./-]+\.(?:ts|mjs|css|json))`/g)].map(
    ([, name = '']) => name,
  );
  assert.ok(named.length > 100);
  assert.deepEqual(
    named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)) && !existsSync(name)),
    [],
  );
});
