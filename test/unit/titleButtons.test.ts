import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { queryWith, TitleButtons } from '../../src/vscode/ui/titleButtons.js';

const uriOf = (query: string) => ({ query }) as vscode.Uri;
const item = { server: 'bank', tool: 'pay' };

test('[C20] the button of a document works once, for its command and its item', () => {
  const buttons = new TitleButtons();
  const uri = uriOf(queryWith({ server: 'other' }, buttons.issue(['mcpDeck.acceptChange'], item)));
  assert.equal(buttons.claim(uri, 'mcpDeck.enableServer'), undefined);
  assert.deepEqual(buttons.claim(uri, 'mcpDeck.acceptChange')?.target, item);
  assert.equal(buttons.claim(uri, 'mcpDeck.acceptChange'), undefined);
});

test('[C20] a button whose command failed works again', () => {
  const buttons = new TitleButtons();
  const uri = uriOf(queryWith({}, buttons.issue(['mcpDeck.acceptChange'], item)));
  buttons.claim(uri, 'mcpDeck.acceptChange')?.giveBack();
  assert.deepEqual(buttons.claim(uri, 'mcpDeck.acceptChange')?.target, item);
});

test('[C20] an address without our token proves nothing', () => {
  const buttons = new TitleButtons();
  const token = buttons.issue(['mcpDeck.acceptChange'], item);
  buttons.withdraw(token);
  for (const query of [
    '',
    'null',
    '[]',
    '{',
    JSON.stringify(item),
    queryWith(item, ''),
    queryWith(item, 'guessed'),
    queryWith(item, token),
  ])
    assert.equal(buttons.claim(uriOf(query), 'mcpDeck.acceptChange'), undefined, query);
});

test('the number of tokens is limited: the oldest expires first', () => {
  const buttons = new TitleButtons();
  const tokens = Array.from({ length: 501 }, () => buttons.issue(['mcpDeck.acceptChange'], item));
  const counts = (token = '') => buttons.claim(uriOf(queryWith({}, token)), 'mcpDeck.acceptChange') !== undefined;
  assert.deepEqual([counts(tokens[0]), counts(tokens[1]), counts(tokens.at(-1))], [false, true, true]);
});
