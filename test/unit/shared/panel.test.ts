import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formRequestGuards } from '../../../src/shared/panel/formRequestPage.js';
import { itemPageGuards } from '../../../src/shared/panel/itemPage.js';
import { savedTarget } from '../../../src/shared/panel/pageTarget.js';
import { samplingGuards } from '../../../src/shared/panel/samplingPage.js';
import { templatePageGuards } from '../../../src/shared/panel/templatePage.js';
import { toolPageGuards } from '../../../src/shared/panel/toolPage.js';

/** The guards of all pages. Common messages have the same guard in each. */
const notices = { ...toolPageGuards.notices, ...templatePageGuards.notices, ...formRequestGuards.notices };
const requests = templatePageGuards.requests;

describe('messages of panels', () => {
  test('[V5] bodies that match their contract are accepted', () => {
    assert.deepEqual(
      [
        notices.ready({}),
        notices.run({ arguments: { a: 1 } }),
        notices.cancel({}),
        notices.submit({ arguments: { a: 1 }, isSecondary: false }),
        notices.leave({ way: 'decline' }),
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
      new Array(16).fill(true),
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
        notices.submit({ arguments: { a: 1 } }),
        notices.submit({ arguments: {}, isSecondary: false, json: 1 }),
        notices.leave({ way: 'accept' }),
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
        notices.showRun({}),
        notices.runAgain({ id: 1 }),
      ],
      new Array(23).fill(false),
    );
  });

  test('[V5] each page has only its own messages', () => {
    const common = ['act', 'cancel', 'keep', 'ready', 'result', 'run', 'typed'];
    const namesOf = (guards: { notices: object }) => Object.keys(guards.notices).sort();
    assert.deepEqual(namesOf(itemPageGuards), common);
    assert.deepEqual(namesOf(toolPageGuards), [...common, 'favourite', 'runAgain', 'showRun', 'useRun'].sort());
    assert.deepEqual(namesOf(templatePageGuards), [...common, 'use'].sort());
    assert.deepEqual(namesOf(formRequestGuards), ['keep', 'leave', 'ready', 'submit']);
    assert.equal('address' in toolPageGuards.requests, false);
  });

  test('[V5] the page of a sampling request can name only parts and its own answer', () => {
    const { notices: own, requests: asks } = samplingGuards;
    const edits = [{ index: 0, text: 'a' }, { index: 1, isRemoved: true }, { index: 2 }];
    const draft = { parts: edits, own: '', model: { id: 'a', edits }, at: 1 };
    assert.deepEqual(
      [
        own.ready({}),
        own.keep({ draft }),
        own.leave({ way: 'cancel' }),
        asks.ask({ edits }),
        asks.send({ edits: [], answer: 'a' }),
        asks.send({ edits }),
      ],
      new Array(6).fill(true),
    );
    assert.deepEqual(
      [
        own.keep({ draft: { ...draft, own: 1 } }),
        own.keep({ draft: { ...draft, model: {} } }),
        own.leave({ way: 'accept' }),
        asks.ask({}),
        asks.ask({ edits: [{ index: 1.5 }] }),
        asks.ask({ edits: [{ index: 0, text: {} }] }),
        asks.ask({ edits: [{ index: 0, isRemoved: false }] }),
        asks.send({ edits: [{}] }),
        asks.send({ edits: [], answer: { role: 'assistant' } }),
      ],
      new Array(9).fill(false),
    );
    assert.deepEqual(Object.keys(own).sort(), ['keep', 'leave', 'ready']);
  });

  test('a saved page names its target', () => {
    const saved = { server: 's', kind: 'prompt', id: 'p' } as const;
    assert.deepEqual(savedTarget({ target: { ...saved, more: 1 } }, 'prompt'), saved);
    assert.equal(savedTarget({ target: saved }, 'tool'), undefined, 'a page of another kind');
    for (const state of [
      undefined,
      null,
      'x',
      [],
      {},
      { target: 's' },
      { target: { server: 's' } },
      { target: { server: 1, id: 't' } },
    ])
      assert.equal(savedTarget(state, 'tool'), undefined);
  });

  test('a page that an earlier version saved names its target', () =>
    assert.deepEqual(savedTarget({ target: { server: 's', tool: 'p' } }, 'prompt'), {
      server: 's',
      kind: 'prompt',
      id: 'p',
    }));
});
