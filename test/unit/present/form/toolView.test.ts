import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import { serverLine, toolTitle, toolView } from '../../../../src/core/present/form/toolView.js';
import { needsTrust, serverView } from '../../../support/serverViews.js';

const schema = { type: 'object' };

describe('toolView', () => {
  test('a title comes first, and the name is shown too', () => {
    const { title, name } = toolView({ name: 'read_file', title: 'Read File', inputSchema: schema });
    assert.deepEqual({ title, name }, { title: 'Read File', name: 'read_file' });
  });

  test('without a title the name is the title, and is shown once', () => {
    const view = toolView({ name: 'read_file', inputSchema: schema });
    assert.deepEqual([view.title, 'name' in view], ['read_file', false]);
  });

  test('[X2] the title alone is that of the view, and the schema is not read for it', () => {
    const tools = [
      { name: 'read_file', title: 'Read\nFile' },
      { name: 'read_file', annotations: { title: 'Read File' } },
      { name: 'read\u200b', title: ' ' },
    ];
    for (const tool of tools) {
      const unread = Object.defineProperty({ ...tool, inputSchema: schema }, 'inputSchema', {
        get: () => assert.fail('the schema was read'),
      });
      assert.equal(toolTitle(unread), toolView({ ...tool, inputSchema: schema }).title);
    }
  });

  test('hidden characters in texts become visible, and a title is one line', () => {
    const { title, description } = toolView({
      name: 'x',
      title: 'a\u202eb\nc',
      description: 'safe\u{e0041}',
      inputSchema: schema,
    });
    assert.doesNotMatch(`${title}${description}`, /[\u202e\n\u{e0041}]/u);
  });

  const badges = (annotations: object) =>
    toolView({ name: 'x', annotations, inputSchema: schema }).badges.map(({ text, kind }) => `${text} ${kind}`);

  test('[L2] hidden characters anywhere in the server texts are counted in a warning', () => {
    const {
      badges: [first],
    } = toolView({
      name: 'x',
      description: 'a\u200bb',
      inputSchema: { type: 'object', description: '\u202e\u{e0041}' },
    });
    assert.deepEqual([first?.text, first?.kind], ['3 hidden characters', 'warning']);
  });

  test('hints are badges; only that of a destructive tool means danger', () => {
    assert.deepEqual(badges({ readOnlyHint: true, openWorldHint: true }), ['read-only plain', 'open world plain']);
    assert.deepEqual(badges({ destructiveHint: true, idempotentHint: true }), [
      'destructive danger',
      'idempotent plain',
    ]);
    assert.deepEqual(badges({ readOnlyHint: true, destructiveHint: true }), ['read-only plain']);
    assert.deepEqual(badges({ destructiveHint: 'yes' }), []);
  });
});

describe('serverLine', () => {
  const drawn = (view: Parameters<typeof serverLine>[1]) => {
    const { state, text, actions } = serverLine('s', view, 0);
    return `${state}: ${text} [${actions.map(({ action }) => action).join(' ')}]`;
  };

  test('each state has its text and actions', () => {
    assert.deepEqual(
      [
        drawn(serverView('s')),
        drawn(serverView('s', { isEnabled: false })),
        drawn(serverView('s', { state: needsTrust })),
        drawn(serverView('s', { state: { kind: 'starting', since: 0, attempt: 1 } })),
        drawn(serverView('s', { state: { kind: 'failed', error: new HostError('exited', 'It ended.'), at: 0 } })),
        drawn(undefined),
      ],
      [
        'stopped: stopped · stdio · .vscode/mcp.json [startServer]',
        'stopped: disabled []',
        'stopped: needs your approval (.mcp.json) [reviewTrust]',
        'waiting: starting, 0 s [showLog]',
        'failed: It ended [restartServer showLog]',
        'failed: is no longer configured []',
      ],
    );
  });
});
