import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  keybindingText,
  linkText,
  readLink,
  readTaskDefinition,
  taskDefinition,
} from '../../../../src/core/present/text/runLinks.js';

const call = fc.record({
  server: fc.string({ minLength: 1, unit: 'grapheme' }),
  tool: fc.string({ minLength: 1, unit: 'grapheme' }),
  arguments: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
});

describe('a call as a link', () => {
  test('is read back from its link unchanged', () => {
    fc.assert(
      fc.property(call, (made) => {
        const link = linkText(made, 'vscode', 'publisher.name');
        if (link === undefined) return;
        const url = new URL(link);
        assert.deepEqual([url.protocol, url.pathname], ['vscode:', '/run']);
        assert.deepEqual(JSON.stringify(readLink(url.search.slice(1))), JSON.stringify(made));
      }),
    );
  });

  test('an invalid link is reported in a sentence', () => {
    const queries = [
      '',
      'server=a',
      'tool=b',
      'server=a&tool=b&arguments=[1]',
      'server=a&tool=b&arguments={',
      `server=a&tool=b&arguments=${'x'.repeat(40_000)}`,
    ];
    assert.deepEqual(
      queries.map((query) => readLink(query)),
      [
        { problem: 'The link does not specify both a server and a tool.' },
        { problem: 'The link does not specify both a server and a tool.' },
        { problem: 'The link does not specify both a server and a tool.' },
        { problem: 'The arguments of the link are not a JSON object.' },
        { problem: 'The arguments of the link are not JSON.' },
        { problem: 'The link is too long.' },
      ],
    );
  });

  test('a call that does not fit into an address has no link', () => {
    assert.equal(
      linkText({ server: 's', tool: 't', arguments: { text: 'x'.repeat(40_000) } }, 'vscode', 'a.b'),
      undefined,
    );
  });
});

describe('a call as a task and a keybinding', () => {
  const made = { server: 's', tool: 't', arguments: { a: 1 } };

  test('is read from its task', () => {
    assert.deepEqual(readTaskDefinition(taskDefinition(made)), made);
    assert.deepEqual(readTaskDefinition({ type: 'mcpDeck', server: 's', tool: 't' }), {
      server: 's',
      tool: 't',
      arguments: {},
    });
    assert.deepEqual(
      [undefined, {}, { server: 's' }, { server: 's', tool: 't', arguments: [] }].map(readTaskDefinition),
      [undefined, undefined, undefined, undefined],
    );
  });

  test('is an entry for keybindings.json', () => {
    assert.deepEqual(JSON.parse(keybindingText(made, 'some.command')), {
      key: '',
      command: 'some.command',
      args: { ...made, show: true },
    });
  });
});
