import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallQuestion } from '../../../../src/core/consent/callConsent.js';
import { callDocument, callQuestion } from '../../../../src/core/present/questions/callQuestion.js';
import { definitionText } from '../../../../src/core/present/documents/definitionText.js';
import { hiddenInTool, hiddenWords } from '../../../../src/core/present/text/hiddenText.js';
import { toolTooltip } from '../../../../src/core/present/tree/itemTooltips.js';
import { ruleNodes } from '../../../../src/core/present/tree/ruleNodes.js';
import { readRules } from '../../../../src/core/consent/readRules.js';

const question: CallQuestion = {
  server: 'srv',
  tool: { name: 'echo', inputSchema: {}, description: 'Says it again. And more.', annotations: { readOnlyHint: true } },
  arguments: { a: 1 },
  caller: 'model',
  isAfterLoss: false,
  hasSecrets: false,
};

test('[C7] the question names server, tool, caller and arguments; claims of the server are marked as unverified', () => {
  assert.deepEqual(callQuestion(question), {
    message: 'Call the tool "echo" of the server "srv"?',
    detail:
      'The language model requests this call.\n\nThe server\'s annotations of the tool, which are not verified: only reads.\n\nArguments:\n{\n  "a": 1\n}\n\nThe server\'s description of the tool: “Says it again”\n\n"Allow for Session" and "Always…": Only for calls by language models.',
    isCut: false,
  });
});

test('[C7] the question of a command names its reason once: the rule, or that others can run the command', () => {
  const own = { ...question, caller: 'script' as const, asksAtOnce: 'command' as const, arguments: {} };
  const lines = (one: CallQuestion) => callQuestion(one).detail.split('\n\n');
  const before = [
    "The server's annotations of the tool, which are not verified: only reads.",
    'No arguments.',
    "The server's description of the tool: “Says it again”",
  ];
  const after =
    '"Allow for Session" and "Always…": Only for calls by commands, such as keybindings and other extensions.';
  assert.deepEqual(lines(own), [
    ...before,
    'MCP Deck asks because not only you, but also a task or another extension can run this command.',
    after,
  ]);
  assert.deepEqual(lines({ ...own, asksAtOnce: 'chat' }), [
    ...before,
    'MCP Deck asks because another extension can send a message to the chat in your name.',
    '"Allow for Session" and "Always…": Only for "/run" in the chat and calls by commands.',
  ]);
  assert.deepEqual(lines({ ...own, rule: 'ask "echo"' }), [...before, 'Rule: ask "echo"', after]);
});

test('[C7] arguments that are too long for a dialog are marked as such, and can be read in full', () => {
  const long = { ...question, arguments: { a: `${'x'.repeat(9_000)}end` } };
  const { detail, isCut } = callQuestion(long);
  assert.equal(isCut, true);
  assert.match(detail, /Arguments, the first 1500 of 9016 characters:/);
  assert.match(callDocument(long), /x{9000}end/);
});

test('[C7] white space that would hide other text is shown as dots, or as a count', () => {
  const padded = {
    ...question,
    arguments: {
      path: 'a  b   c',
      command: `ls${' '.repeat(400)}; rm`,
      end: 'x\n    y',
      ['k    ']: '\u2003\u2003\u2003',
    },
  };
  const text = callDocument(padded).split('\n\n').slice(1).join('\n\n');
  assert.equal(
    text,
    '{\n  "path": "a  b···c",\n  "command": "ls⟨400 spaces⟩; rm",\n  "end": "x\\n····y",\n  "k····": "···"\n}\n',
  );
  assert.match(callQuestion(padded).detail, /ls⟨400 spaces⟩; rm/);
});

test('[C7, L2] hidden characters in the arguments and in the tool are counted at the start, and escaped', () => {
  const { detail } = callQuestion({
    ...question,
    arguments: { a: 'x\u202ey' },
    tool: { name: 'e', description: 'a\u200bb\u{e0041}', inputSchema: {} },
  });
  assert.match(
    detail,
    /^The arguments contain 1 hidden character, shown as \\u\{…\}\.\n\nThe server's description of the tool contains 2 hidden characters/,
  );
  assert.match(detail, /"x\\u202ey"|x\\u\{202e\}y/);
  assert.doesNotMatch(detail, /[\u202e\u200b]/);
});

test('[L2] hidden characters of a tool are counted in every place', () => {
  const tool = {
    name: 'n\u200b',
    title: '\u001b[31m',
    description: '\u{e0041}',
    inputSchema: { properties: { 'a\u202e': { description: '\u2066' } } },
    annotations: { title: '\ufeff' },
  };
  assert.equal(hiddenInTool(tool), 6);
  assert.equal(hiddenInTool({ name: 'plain', description: 'two\nlines\tand a tab', inputSchema: {} }), 0);
  assert.deepEqual([hiddenWords(1), hiddenWords(3)], ['1 hidden character', '3 hidden characters']);
  assert.match(toolTooltip(tool), /6 hidden characters in the server's description/);
});

test('[C6, L2] a definition has the same text for any order of keys, with hidden characters as escapes and counted', () => {
  const text = definitionText({ name: 'e', inputSchema: { b: 1, a: 2 }, description: 'x\u200by' });
  assert.match(
    text,
    /^\/\/ Warning: the definition contains 1 hidden character, shown as escapes\n\{\n {2}"description": "x\\u200by"/,
  );
  assert.equal(text, definitionText({ description: 'x\u200by', inputSchema: { a: 2, b: 1 }, name: 'e' }));
  assert.match(definitionText(undefined), /was not stored/);
});

test('the Rules view shows the effect, scope and lifetime of a rule, and its problems', () => {
  const rules = [
    ...readRules(
      [
        { effect: 'allow', tool: 'read_*' },
        { effect: 'deny', sever: 'x' },
      ],
      'always',
    ),
    ...readRules([{ effect: 'ask', server: 'db' }], 'session'),
  ];
  const nodes = ruleNodes(
    rules.map((placed) => ({ placed })),
    0,
    'en',
  );
  assert.deepEqual(
    nodes.map(({ label, description, icon }) => `${icon?.name} ${label} (${description})`),
    [
      'warning Deny: any tool (does not apply as written: "sever" is not a field of a rule)',
      'question Ask: any tool (db · in this session)',
      'check Allow: read_* (any server · always)',
    ],
  );
});

test('rules about one tool differ in their lines by arguments and callers', () => {
  const rules = readRules(
    [
      { effect: 'allow', tool: 'read', arguments: { '/path': { wildcard: 'docs/*' }, '/mode': { matches: 'a|b' } } },
      { effect: 'allow', tool: 'read', callers: ['model', 'app'] },
    ],
    'always',
  );
  assert.deepEqual(
    ruleNodes(
      rules.map((placed) => ({ placed })),
      0,
      'en',
    ).map(({ description }) => description),
    ['path: docs/* · mode: /a|b/ · any server · always', 'for the language model, an MCP App · any server · always'],
  );
});
