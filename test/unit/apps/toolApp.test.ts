import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appResourceOf } from '../../../src/core/apps/appResource.js';
import { appUriOf, isForApps, isForModel } from '../../../src/core/apps/toolApp.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { modelTools } from '../../../src/core/present/chat/modelTools.js';
import type { ResourceContents } from '../../../src/core/protocol/mcp.js';
import { serverView } from '../../support/serverViews.js';

const uri = 'ui://a/b';
const mimeType = 'text/html;profile=mcp-app';

describe('the app of a tool', () => {
  test('the app is named by either key, the newer one first', () => {
    assert.equal(appUriOf({ _meta: { ui: { resourceUri: uri } } }), uri);
    assert.equal(appUriOf({ _meta: { 'ui/resourceUri': uri } }), uri);
    assert.equal(appUriOf({ _meta: { ui: { resourceUri: uri }, 'ui/resourceUri': 'ui://old' } }), uri);
    assert.equal(appUriOf({ _meta: { ui: { visibility: ['app'] }, 'ui/resourceUri': uri } }), uri);
  });

  test('only addresses of apps count', () => {
    for (const other of [
      'https://a.example',
      'file:///etc/passwd',
      'javascript:alert(1)',
      '',
      5,
      null,
      {},
      `ui://${'x'.repeat(5_000)}`,
    ]) {
      assert.equal(appUriOf({ _meta: { ui: { resourceUri: other } } }), undefined);
    }
    assert.equal(appUriOf({}), undefined);
    assert.equal(appUriOf({ _meta: { ui: null } }), undefined);
  });

  test('every caller may call a tool unless the server restricts the callers', () => {
    const of = (visibility: unknown) => [
      isForModel({ _meta: { ui: { visibility } } }),
      isForApps({ _meta: { ui: { visibility } } }),
    ];
    assert.deepEqual(
      [of(undefined), of('app'), of(['model', 'app']), of(['app']), of(['model']), of([])],
      [
        [true, true],
        [true, true],
        [true, true],
        [false, true],
        [true, false],
        [false, false],
      ],
    );
  });

  test('a model does not see tools that are for apps only', () => {
    const inputSchema = { type: 'object' };
    const view = serverView('s', {
      features: {
        tools: [
          { name: 'a', inputSchema },
          { name: 'b', inputSchema, _meta: { ui: { visibility: ['app'] } } },
          { name: 'c', inputSchema, _meta: { ui: { visibility: ['model'] } } },
        ],
      },
    });
    assert.deepEqual(
      modelTools([view]).map(({ tool }) => tool.name),
      ['a', 'c'],
    );
  });
});

describe('the resource of an app', () => {
  const read = (content: Partial<ResourceContents>, listed?: object) =>
    appResourceOf({ contents: [{ uri, ...content }] }, uri, listed);
  const code = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      return error instanceof HostError ? error.code : String(error);
    }
    return 'none';
  };

  test('comes as text or as a blob', () => {
    assert.equal(read({ mimeType, text: '<p>ü</p>' }).html, '<p>ü</p>');
    assert.equal(
      read({ mimeType: 'text/html; profile="mcp-app"', blob: Buffer.from('<p>ü</p>').toString('base64') }).html,
      '<p>ü</p>',
    );
  });

  test('[V8] is HTML of an app, and within the size limit', () => {
    assert.equal(
      code(() => read({ mimeType: 'text/html', text: '' })),
      'invalid-message',
    );
    assert.equal(
      code(() => read({ text: '<p>' })),
      'invalid-message',
    );
    assert.equal(
      code(() => read({ mimeType: 'text/uri-list;profile=mcp-app', text: 'https://a.example' })),
      'invalid-message',
    );
    assert.equal(
      code(() => read({ mimeType })),
      'invalid-message',
    );
    assert.equal(
      code(() => appResourceOf({ contents: [] }, uri)),
      'invalid-message',
    );
    assert.equal(
      code(() => read({ mimeType, text: 'x'.repeat(8 * 1024 * 1024 + 1) })),
      'too-large',
    );
    assert.equal(
      code(() => read({ mimeType, blob: 'x'.repeat(12 * 1024 * 1024) })),
      'too-large',
    );
  });

  test('takes its declarations from its contents, otherwise from the list', () => {
    const listed = { _meta: { ui: { csp: { connectDomains: ['https://listed.example'] }, prefersBorder: true } } };
    assert.deepEqual(read({ mimeType, text: '' }, listed).declared.domains.connect, ['https://listed.example']);
    assert.equal(read({ mimeType, text: '' }, listed).prefersBorder, true);
    const own = read(
      {
        mimeType,
        text: '',
        _meta: {
          ui: {
            csp: { connectDomains: ['https://own.example'] },
            permissions: { camera: {}, constructor: {}, other: {} },
          },
        },
      },
      listed,
    );
    assert.deepEqual(
      [own.declared.domains.connect, own.prefersBorder, own.permissions],
      [['https://own.example'], undefined, ['camera']],
    );
  });
});
