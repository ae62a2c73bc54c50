/** `mcp-deck test` as a process: the format in both eras, its reports, its exit codes, and its mistakes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';

const json = (text: string): any => JSON.parse(text);
const server = `server: { command: '${process.execPath}', args: ['${counter}'] }\n`;

/** One test for each kind of request and expectation. All pass. */
const whole = `${server}protocol: [legacy, 2026-07-28]
answers:
  elicitation: { color: blue }
  sampling: [{ text: "42", model: small }, second]
  roots: [/project]
setup:
  - { call: create, arguments: { name: first }, save: { first: $.structuredContent.id } }
teardown:
  - { call: find, arguments: { id: "\${first}" } }
tests:
  - name: adds
    call: add
    arguments: { a: 2, b: 3 }
    expect:
      structured: { sum: 5 }
      equals: { sum: 5 }
      text: { contains: "5", not: { contains: "6" } }
      result: { structuredContent: { sum: 5 } }
      schema: output
      within: 1m
      $.content[0].type: text
      $.structuredContent.sum: { above: 4, below: 6, type: integer }
  - name: \${a} and \${b}
    each: [{ a: 1, b: 2, sum: 3 }, { a: 2, b: 2, sum: 4 }]
    call: add
    arguments: { a: "\${a}", b: "\${b}" }
    expect: { structured: { sum: "\${sum}" } }
  - { name: tool error, call: add, expect: { isError: true, text: { matches: "(?i)^number" } } }
  - { name: refusal, call: wrong, expect: { error: { code: -32602, message: { contains: wrong } } } }
  - { name: tools, list: tools, expect: { count: { min: 5 }, snapshot: true, ignore: ["$..description"] } }
  - { name: resources, list: resources, expect: { count: 1, "$.resources[0].uri": "counter://guide" } }
  - name: steps
    tags: [slow]
    steps:
      - { call: create, save: { id: $.structuredContent.id } }
      - { call: find, arguments: { id: "\${id}" }, expect: { text: "found \${id}" } }
      - { call: find, arguments: { id: "\${first}" }, expect: { structured: { tags: [new, red] } } }
  - name: progress and logs
    call: slow
    arguments: { steps: 3 }
    expect:
      progress: { min: 3, max: 3 }
      logs: [{ level: info, text: { contains: half } }]
      notifications: [{ method: notifications/message, params: { data: half done } }]
  - { name: form, call: ask, expect: { text: { contains: blue }, asked: [elicitation] } }
  - { name: declined, call: ask, answers: { elicitation: decline }, expect: { text: { contains: decline } } }
  - { name: model, call: sample, expect: { text: { contains: ["42", small] } } }
  - { name: roots, call: folders, expect: { text: { contains: file:///project } } }
  - { name: reads, read: "counter://guide", expect: { text: Count up. } }
  - { name: gets, get: greet, arguments: { who: Ada }, expect: { text: { contains: Hello Ada } } }
  - { name: completes, complete: { prompt: greet, argument: who, value: A }, expect: { equals: [Ada, Alan] } }
  - { name: later, skip: not ready, call: add }
`;

test('a file runs in both eras, and its snapshots are stored by --update only', async (t) => {
  const folder = folderWith(t, { 'a.mcptest.yaml': whole });
  const first = await runCli(['test', '--yes', '--json'], { folder });
  assert.equal(first.code, 1, first.stderr);
  assert.deepEqual(
    json(first.stdout)
      .cases.filter(({ status }: any) => status === 'failed')
      .map(({ name, failures }: any) => [name, failures[0].message]),
    Array(2).fill([
      'tools',
      'snapshot: There is no snapshot. To store one, run the tests with --update, or select "Update Snapshot" on this message in VS Code.',
    ]),
  );
  assert.equal(existsSync(path.join(folder, 'a.snap.json')), false);
  const update = await runCli(['test', '--yes', '--update'], { folder });
  assert.equal(update.code, 0, update.stdout);
  const again = await runCli(['test', '--yes', '--json'], { folder });
  const { ok, passed, failed, skipped } = json(again.stdout);
  assert.deepEqual([again.code, ok, passed, failed, skipped], [0, true, 32, 0, 2]);
  const snapshots = json(readFileSync(path.join(folder, 'a.snap.json'), 'utf8'));
  assert.deepEqual(Object.keys(snapshots), ['tools']);
  assert.doesNotMatch(JSON.stringify(snapshots), /"description"/);
  // A test that does not reach its snapshot does not lose it.
  writeFileSync(path.join(folder, 'a.mcptest.yaml'), whole.replace(server, 'server: { command: no-such-program }\n'));
  assert.equal((await runCli(['test', '--yes', '--update'], { folder })).code, 2);
  assert.deepEqual(Object.keys(json(readFileSync(path.join(folder, 'a.snap.json'), 'utf8'))), ['tools']);
});

const failing = `${server}tests:
  - name: wrong sum
    call: add
    arguments: { a: 2, b: 3 }
    expect:
      structured:
        sum: 6
      text: { contains: "seven" }
  - { name: crash, call: crash }
  - { name: right sum, call: add, arguments: { a: 1, b: 1 } }
`;

test('a failure is at the line of its expectation in every report, with the expected and the actual value', async (t) => {
  const folder = folderWith(t, { 'f.mcptest.yaml': failing });
  const report = await runCli(['test', '--yes', '--json'], { folder });
  assert.equal(report.code, 1);
  const [wrong, crash, right] = json(report.stdout).cases;
  assert.deepEqual(
    wrong.failures.map(({ line, column, expected, actual }: any) => [line, column, expected, actual]),
    [
      [7, 7, '{\n  "sum": 6\n}', '{\n  "sum": 5\n}'],
      [9, 7, 'contains: seven', 'The sum is 5.'],
    ],
  );
  assert.match(crash.failures[0].message, /exited with code 3: The disk is full\./);
  assert.equal(right.status, 'passed', 'the server starts again after a crash');
  const pretty = await runCli(['test', '--yes'], { folder });
  assert.match(pretty.stdout, /✗ wrong sum.*\n {4}f\.mcptest\.yaml:7:7\n/);
  assert.match(pretty.stdout, /2 failed, 1 passed/);
  const summary = path.join(folder, 'summary.md');
  const github = await runCli(['test', '--yes', '--reporter', 'github'], {
    folder,
    env: { GITHUB_STEP_SUMMARY: summary },
  });
  assert.match(github.stdout, /^::error file=f\.mcptest\.yaml,line=7,col=7,title=wrong sum::structured: /m);
  assert.match(readFileSync(summary, 'utf8'), /1 of 3 passed[^]*\| wrong sum \| f\.mcptest\.yaml:7 \|/);
  const file = path.join(folder, 'report.xml');
  const junit = await runCli(['test', '--yes', '--reporter', 'junit', '--output', file], { folder });
  assert.equal(junit.code, 1);
  const xml = readFileSync(file, 'utf8');
  assert.match(xml, /<testsuites name="mcp-deck" tests="3" failures="2" skipped="0"/);
  assert.match(xml, /<testcase name="wrong sum"[^>]*><failure message="structured: [^"]*">f\.mcptest\.yaml:7: /);
  assert.match(xml, /<system-err>[^]*The disk is full\.[^]*<\/system-err>/);
});

test('--bail stops after the first failure, --name and --tag choose tests, and --retry repeats them', async (t) => {
  const folder = folderWith(t, { 'f.mcptest.yaml': failing, 'g.mcptest.yaml': whole });
  const names = async (...args: string[]) =>
    json((await runCli(['test', '--yes', '--json', ...args], { folder })).stdout).cases.map((one: any) => [
      one.name,
      one.attempts,
    ]);
  assert.deepEqual(await names('--bail'), [['wrong sum', 1]]);
  assert.deepEqual(await names('f.mcptest.yaml', '--name', 'sum', '--retry', '2'), [
    ['wrong sum', 3],
    ['right sum', 1],
  ]);
  assert.deepEqual(await names('--tag', 'slow'), [
    ['steps', 1],
    ['steps', 1],
  ]);
});

test('every file is in exactly one shard', async (t) => {
  const files = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [`${name}.mcptest.yaml`, `${server}tests: [{ name: ${name}, call: create }]\n`]),
  );
  const folder = folderWith(t, files);
  const run = async (shard: string) =>
    json((await runCli(['test', '--yes', '--json', '--shard', shard], { folder })).stdout).cases.map(
      ({ name }: any) => name,
    );
  assert.deepEqual([...(await run('1/2')), ...(await run('2/2'))].sort(), ['a', 'b', 'c']);
});

test('every mistake of a file is reported with its line and the nearest known key, and nothing runs', async (t) => {
  const folder = folderWith(t, {
    'good.mcptest.yaml': `${server}tests: [{ call: crash }]\n`,
    'bad.mcptest.yaml': `server: counter
protocl: legacy
tests:
  - call: add
    expect: { tex: 5, within: soon, text: { matches: "(" }, $x: 1 }
  - { name: a, call: x, arguments: { id: "\${nope}" } }
  - { name: a, call: x, read: y }
`,
  });
  const { code, stdout, stderr } = await runCli(['test', '--yes'], { folder });
  assert.deepEqual([code, stdout], [2, '']);
  assert.deepEqual(
    stderr.split('\n').map((line) => line.replace(/^(.{75}).*/, '$1')),
    [
      'bad.mcptest.yaml:2:1: The key "protocl" is not known here. Did you mean "protocol"?',
      'bad.mcptest.yaml:5:15: The key "tex" is not known here. Did you mean "text"?',
      'bad.mcptest.yaml:5:31: "within" must be a duration, such as 200ms, 10s, or 2m.',
      'bad.mcptest.yaml:5:54: This is not a regular expression.',
      'bad.mcptest.yaml:5:61: $x is not a path of JSONPath (RFC 9535), such as $.a.b[0].',
      'bad.mcptest.yaml:6:5: No step before this one saves "nope". Save it, add it to "each", or write $${ for a literal ${.',
      'bad.mcptest.yaml:7:5: A step must have exactly one of: call, read, get, list, complete.',
      'bad.mcptest.yaml:7:5: The name "a" is used twice in this file. Rename one of the tests.',
      'No test ran.',
      '',
    ].map((line) => line.replace(/^(.{75}).*/, '$1')),
  );
  const report = json((await runCli(['test', '--yes', '--json'], { folder })).stdout);
  assert.deepEqual([report.ok, report.error.code, report.error.problems.length], [false, 'invalid-tests', 8]);
});

const notStarting: [string, string, RegExp][] = [
  [
    'a server that does not start',
    `{ command: '${process.execPath}', args: [nowhere.mjs] }`,
    /nowhere\.mjs does not exist/,
  ],
  ['a server that is not configured', 'countr', /"countr" is not configured\. Did you mean "counter"\?/],
];
for (const [what, written, message] of notStarting) {
  test(`${what} fails its tests with the reason, and the exit code is 2`, async (t) => {
    const folder = folderWith(t, {
      '.mcp.json': { mcpServers: { counter: { command: 'x' } } },
      'a.mcptest.yaml': `server: ${written}\ntests: [{ name: one, call: add }]\n`,
    });
    const { code, stdout } = await runCli(['test', '--yes', '--json'], { folder });
    const [one] = json(stdout).cases;
    assert.deepEqual([code, one.failures[0].line], [2, 1]);
    assert.match(one.failures[0].message, message);
  });
}

test('[CLI1] the command of a test file is shown and does not run without --yes', async (t) => {
  const folder = folderWith(t, { 'a.mcptest.yaml': `${server}tests: [{ call: add }]\n` });
  const { code, stdout, stderr } = await runCli(['test', '--json'], { folder, env: { CI: 'true' } });
  assert.deepEqual([code, json(stdout).error.code], [2, 'needs-approval']);
  assert.ok(stderr.includes(counter), stderr);
});

test('a server of mcp.json and values of the environment can be used by name', async (t) => {
  const folder = folderWith(t, {
    '.vscode/mcp.json': {
      servers: { counter: { command: process.execPath, args: [counter], env: { TOKEN: '${input:token}' } } },
      inputs: [{ id: 'token', type: 'promptString', password: true }],
    },
    'a.mcptest.yaml': `server: counter
tests:
  - { call: environment, arguments: { name: TOKEN }, expect: { text: "\${env:EXPECTED}" } }
`,
  });
  const env = { TOKEN: 'secret', EXPECTED: 'secret' };
  const { code, stdout } = await runCli(['test', '--yes'], { folder, env });
  assert.equal(code, 0, stdout);
});

test('suites of mcp-assert run unchanged', async (t) => {
  const target = `server: { command: '${process.execPath}', args: ['${counter}'] `;
  const folder = folderWith(t, {
    'suite/sum.yaml': `name: sum\n${target}}\nassert: { tool: add, args: { a: 2, b: 3 }, expect: { not_error: true, contains: ["5"], matches_regex: ['is \\d'], in_order: [The, "5"] } }\ntimeout: 20s\n`,
    'suite/deep/form.yaml': `name: form\n${target}, client_capabilities: { elicitation: { content: { color: red } } } }\nassert: { tool: ask, args: {}, expect: { json_path: { $.content.color: red } } }\n`,
    'suite/model.yaml': `name: model\n${target}}\nassert_sampling: { tool: sample, args: {}, mock_text: Paris, expect: { contains_any: [Paris] } }\n`,
    'suite/progress.yaml': `name: progress\n${target}}\nassert: { tool: slow, args: { steps: 4 }, capture_progress: true, expect: { min_progress: 4 } }\n`,
    'suite/log.yaml': `name: log\n${target}}\nassert_logging: { set_level: debug, tool: slow, args: {}, expect: { min_messages: 1, contains_data: [half] } }\n`,
    'suite/file.yaml': `name: file\n${target}}\nassert: { tool: find, args: { id: "{{fixture}}/a.txt" }, expect: { contains: ["a.txt"], file_contains: { "{{fixture}}/a.txt": hello }, file_unchanged: ["{{fixture}}/a.txt"] } }\n`,
    'suite/order.yaml': `name: order\ntrace: [{ tool: a }, { tool: b }]\ntrajectory: [{ type: order, tools: [a, b] }, { type: absence, tools: [c] }]\n`,
    'suite/skip.yaml': `name: skip\n${target}}\nskip_unless_env: NOT_SET_ANYWHERE\nassert: { tool: crash, expect: {} }\n`,
    'suite/wrong.yaml': `name: wrong\n${target}}\nassert:\n  tool: add\n  args: { a: 1, b: 1 }\n  expect:\n    not_error: true\n    contains: [three]\n`,
    'suite/other.yaml': 'a: 1\n',
    'files/a.txt': 'hello',
  });
  const { code, stdout } = await runCli(['test', 'suite', '--fixture', 'files', '--yes', '--json'], { folder });
  const { cases } = json(stdout);
  assert.deepEqual(
    Object.fromEntries(cases.map(({ name, status }: any) => [name, status])),
    {
      file: 'passed',
      form: 'passed',
      log: 'passed',
      model: 'passed',
      order: 'passed',
      progress: 'passed',
      skip: 'skipped',
      sum: 'passed',
      wrong: 'failed',
    },
    stdout,
  );
  assert.equal(cases.find(({ name }: any) => name === 'wrong').failures[0].line, 8);
  assert.equal(code, 1);
});

test('known failures of a baseline do not fail a run, new ones do, and --update writes the baseline', async (t) => {
  const failing = (name: string) =>
    `  - { name: ${name}, call: add, arguments: { a: 1, b: 1 }, expect: { text: x } }\n`;
  const folder = folderWith(t, { 'a.mcptest.yaml': `${server}tests:\n${failing('old')}` });
  const run = (...more: string[]) => runCli(['test', '--yes', '--baseline', 'known.json', ...more], { folder });
  assert.equal((await run()).code, 2);
  assert.equal((await run('--update')).code, 0);
  assert.deepEqual(json(readFileSync(path.join(folder, 'known.json'), 'utf8')), {
    version: 1,
    failures: ['a.mcptest.yaml › old'],
  });
  const known = await run();
  assert.equal(known.code, 0, known.stdout);
  assert.match(known.stdout, /– old \(known failure\)/);
  writeFileSync(path.join(folder, 'a.mcptest.yaml'), `${server}tests:\n${failing('old')}${failing('new')}`);
  assert.equal((await run()).code, 1);
  writeFileSync(
    path.join(folder, 'a.mcptest.yaml'),
    `${server}tests:\n  - { name: old, call: add, arguments: { a: 1, b: 1 } }\n`,
  );
  assert.match((await run()).stderr, /passes now: a\.mcptest\.yaml › old/);
  writeFileSync(path.join(folder, 'known.json'), '{"version":2,"failures":[]}');
  assert.match((await run()).stderr, /newer version/);
});
