import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromPageGuards, savedTarget } from '../../../src/shared/toolPanel.js';

const { notices, requests } = fromPageGuards;

describe('messages of the tool panel', () => {
  test('[V5] bodies that match their contract are accepted', () => {
    assert.deepEqual(
      [
        notices.ready({}),
        notices.run({ arguments: { a: 1 } }),
        notices.cancel({}),
        notices.use({ use: 'save', arguments: { a: 'b' } }),
        notices.act({ action: 'showLog' }),
        notices.keep({ draft: { state: { kind: 'absent' }, at: 1 } }),
        notices.favourite({ arguments: {} }),
        notices.useRun({ id: 'x' }),
        notices.result({ request: { type: 'openInEditor', id: 'x' } }),
        requests.check({ arguments: null }),
        requests.suggest({ text: '', isPath: true, isMultiline: false, path: '/a' }),
        requests.address({ arguments: {} }),
        requests.editorText({ source: 'selection' }),
        requests.pick({ kind: 'folder' }),
      ],
      new Array(14).fill(true),
    );
  });

  test('[V5] a page cannot name a command, a server, a tool or a file', () => {
    assert.deepEqual(
      [
        notices.run({ arguments: [] }),
        notices.run({ server: 'other', tool: 'other' }),
        notices.act({ action: 'workbench.action.quit' }),
        notices.act({ action: 'constructor' }),
        notices.act({ action: ['showLog'] }),
        notices.result({ request: { type: 'openLink', id: 'x', href: 7 } }),
        notices.result({ request: { type: 'executeCommand', id: 'x' } }),
        notices.use({ use: 'delete', arguments: {} }),
        notices.use({ use: 'save', uri: 'file:///etc/passwd' }),
        requests.address({ arguments: 'x' }),
        requests.check({}),
        requests.suggest({ text: 1, isPath: true, isMultiline: false, path: '/a' }),
        requests.editorText({ source: '/etc/passwd' }),
        requests.pick({ kind: '../..' }),
        notices.ready(null),
        notices.keep({ draft: { state: 'x', at: 1 } }),
        notices.favourite({ arguments: [] }),
        notices.useRun({ id: 1 }),
      ],
      new Array(18).fill(false),
    );
  });

  test('a saved page names its target, anything else does not', () => {
    assert.deepEqual(savedTarget({ target: { server: 's', tool: 't', more: 1 } }), { server: 's', tool: 't' });
    for (const state of [
      undefined,
      null,
      'x',
      [],
      {},
      { target: 's' },
      { target: { server: 's' } },
      { target: { server: 1, tool: 't' } },
    ])
      assert.equal(savedTarget(state), undefined);
  });
});
