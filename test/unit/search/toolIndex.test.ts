import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIndex, createIndexInTurns } from '../../../src/core/search/createIndex.js';
import { stemOf, wordsOf } from '../../../src/core/search/words.js';

const tools = [
  { server: 'files', name: 'list_directory', description: 'Lists the files of a directory.' },
  { server: 'files', name: 'readFile', description: 'Returns the content of a file. Works with large files.' },
  { server: 'git', name: 'git_branch', description: 'Lists, creates or deletes branches.' },
  { server: 'git', name: 'git_commit', description: 'Records changes.' },
  { server: 'browser', name: 'take_screenshot', title: 'Take a picture', description: 'Captures the page.' },
  {
    server: 'weather',
    name: 'forecast',
    description: 'Returns the forecast.',
    inputSchema: { type: 'object', properties: { cityName: { type: 'string', description: 'A place on earth' } } },
  },
  { server: 'cook', name: 'getRecipe', description: '查询菜谱的做法' },
];

function first(query: string): string | undefined {
  return createIndex(tools).search(query, 1)[0]?.name;
}

test('a tool is found by the words of its name, title, description, server and parameters', () => {
  assert.equal(first('read file'), 'readFile');
  assert.equal(first('picture'), 'take_screenshot');
  assert.equal(first('records'), 'git_commit');
  assert.equal(first('weather'), 'forecast');
  assert.equal(first('city name'), 'forecast');
  assert.equal(first('earth'), 'forecast');
});

test('words with the same meaning find a tool, and the exact word ranks it higher', () => {
  assert.equal(first('show me what is in this folder'), 'list_directory');
  const index = createIndex([
    { server: 's', name: 'remove_item' },
    { server: 's', name: 'delete_item' },
  ]);
  assert.deepEqual(
    index.search('delete').map(({ name }) => name),
    ['delete_item', 'remove_item'],
  );
});

test('a mistyped, unfinished or foreign word finds the tool', () => {
  assert.equal(first('brnach'), 'git_branch');
  assert.equal(first('screnshot'), 'take_screenshot');
  assert.equal(first('comit'), 'git_commit');
  assert.equal(first('forec'), 'forecast');
  assert.equal(first('Dateien im Verzeichnis auflisten'), 'list_directory');
  assert.equal(first('菜谱'), 'getRecipe');
});

test('a tool with all words of the query is before a tool that repeats one of them', () => {
  const index = createIndex([
    { server: 's', name: 'invoice', description: 'invoice invoice invoice invoice' },
    { server: 's', name: 'pay_bill', description: 'Pays an invoice.' },
  ]);
  assert.equal(index.search('pay an invoice', 1)[0]?.name, 'pay_bill');
});

test('a tool whose whole name is in the query is before a tool that only contains the same words', () => {
  const list = [
    { server: 'hub', name: 'unprotect_branch', description: 'Removes the protection of a protected branch: protect.' },
    {
      server: 'hub',
      name: 'protect_branch',
      description: 'Sets who can push to it, with access levels for each role.',
    },
    { server: 'hub', name: 'get_protected_branch', description: 'Gets a protected branch.' },
  ];
  assert.equal(createIndex(list).search('protect a branch')[0]?.name, 'protect_branch');
});

test('a query without a known word finds nothing, and the limit is kept', () => {
  const index = createIndex(tools);
  assert.deepEqual(index.search('xyzzyq'), []);
  assert.deepEqual(index.search(''), []);
  assert.deepEqual(index.search('file', 0), []);
  assert.equal(index.search('file list content changes', 2).length, 2);
  assert.deepEqual(createIndex([]).search('file'), []);
});

test('searches do not influence each other', () => {
  const index = createIndex(tools);
  const before = index.search('read a file');
  index.search('branch weather forecast');
  assert.deepEqual(index.search('read a file'), before);
});

test('hostile schemas and texts are read within limits', () => {
  const nested: Record<string, unknown> = { type: 'object' };
  nested['properties'] = { again: nested, __proto__: { type: 'string' } };
  const index = createIndex([
    { server: 's', name: 'constructor', description: '__proto__ '.repeat(100_000), inputSchema: nested },
    { server: 's', name: 'toString', description: 'hasOwnProperty', inputSchema: 'not a schema' },
  ]);
  assert.equal(index.search('constructor', 1)[0]?.name, 'constructor');
  assert.equal(index.search('x '.repeat(100_000)).length, 0);
});

test('[GW16] a search among 100,000 similar words takes no longer than among few, and still corrects a rare one', () => {
  let count = 0;
  const word = () => `abcdefghijklmnopqrstu${(count++).toString(36).padStart(6, 'z')}`;
  const similar = Array.from({ length: 1_000 }, (_, index) => ({
    server: 's',
    name: `t${index}`,
    description: Array.from({ length: 100 }, word).join(' '),
  }));
  const index = createIndex([...similar, ...tools]);
  const query = Array.from({ length: 40 }, (_, at) => `abcdefghijklmnopqrstuzz${'qwertyuiop'[at % 10] ?? ''}${at}zz`);
  const before = process.cpuUsage().user;
  index.search(query.join(' '));
  // About 0.02 s; to compare all words takes minutes.
  assert.ok(process.cpuUsage().user - before < 2_000_000);
  assert.equal(index.search('brnach', 1)[0]?.name, 'git_branch');
});

test('words are split at changes of case, signs and scripts, without accents', () => {
  assert.deepEqual(wordsOf('getHTTPServer_list-all v2 créer'), ['get', 'http', 'server', 'list', 'all', 'v2', 'creer']);
  assert.deepEqual(wordsOf('天气预报'), ['天气', '气预', '预报']);
});

test('forms of one word have one stem', () => {
  for (const forms of [
    ['create', 'creates', 'created', 'creating', 'creation'],
    ['copy', 'copies', 'copied', 'copying'],
    ['stop', 'stops', 'stopped', 'stopping'],
    ['branch', 'branches'],
    ['delete', 'deletion', 'deleting'],
  ])
    assert.equal(new Set(forms.map(stemOf)).size, 1, `${forms.join(' ')}: ${forms.map(stemOf).join(' ')}`);
  for (const word of ['status', 'access', 'analysis']) assert.equal(stemOf(word), word);
});

test('a long list is read in turns, so that other work goes on, and is searched like any other', async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => ({
    server: 's',
    name: `tool_${index}`,
    description: `Word${index} ${'describes what the tool does '.repeat(20)}`,
  }));
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const index = await createIndexInTurns(many);
  clearImmediate(timer);
  assert.ok(turns > 2, `${turns} turns`);
  assert.deepEqual(index.search('word77'), createIndex(many).search('word77'));
});
