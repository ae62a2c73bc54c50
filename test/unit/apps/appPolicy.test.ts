import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  allDomains,
  appPolicy,
  declaredDomains,
  holdsFrameDocuments,
  noDomains,
} from '../../../src/core/apps/appPolicy.js';
import { appDocument } from '../../../src/webview/app/appDocument.js';

const directives = (policy: string) =>
  Object.fromEntries(
    policy.split('; ').map((directive) => [directive.split(' ')[0] ?? '', directive.split(' ').slice(1).join(' ')]),
  );

describe('the content security policy of an app', () => {
  test('[V8] an app that declares nothing reaches nothing', () => {
    assert.deepEqual(directives(appPolicy(noDomains)), {
      'default-src': "'none'",
      'script-src': "'unsafe-inline'",
      'style-src': "'unsafe-inline'",
      'font-src': 'data:',
      'img-src': 'data: blob:',
      'media-src': 'data: blob:',
      'connect-src': "'none'",
      'frame-src': "'none'",
      'base-uri': "'none'",
      'worker-src': 'blob:',
      'object-src': "'none'",
      'form-action': "'none'",
    });
  });

  test('[V8] declared origins are only in the directives that they are declared for', () => {
    const { domains, refused } = declaredDomains({
      connectDomains: ['https://api.example.com', 'wss://live.example.com:8443'],
      resourceDomains: ['https://*.example.org'],
      frameDomains: ['https://player.example.net'],
      baseUriDomains: ['https://base.example.com'],
    });
    assert.deepEqual(refused, []);
    const policy = directives(appPolicy(domains));
    assert.equal(policy['connect-src'], 'https://api.example.com wss://live.example.com:8443');
    for (const kind of ['script', 'style', 'font', 'img', 'media'])
      assert.match(policy[`${kind}-src`] ?? '', / https:\/\/\*\.example\.org$/);
    assert.equal(policy['frame-src'], 'https://player.example.net');
    assert.equal(policy['base-uri'], 'https://base.example.com');
    assert.equal(allDomains(domains).length, 5);
  });

  for (const text of [
    'http://example.com',
    'https://example.com/path',
    'https://example.com; script-src *',
    "https://example.com 'unsafe-eval'",
    "'self'",
    '*',
    'https:',
    'https://*',
    'https://*.com',
    'https://a.*.com',
    'data:',
    'blob:',
    'https://user@example.com',
    'https://example.com\n',
    'https://exämple.com',
    'https://-example.com',
    'https://example.com:99999999',
    'https://example.com"><script>',
    '',
  ]) {
    test(`[V8] ${JSON.stringify(text)} is not an origin that can be granted`, () => {
      const { domains, refused } = declaredDomains({
        connectDomains: [text],
        resourceDomains: [text],
        frameDomains: [text],
        baseUriDomains: [text],
      });
      assert.deepEqual(domains, noDomains);
      assert.equal(refused.length, 4);
    });
  }

  test('[V8] no text of a server adds a directive, a source of another kind, or an end to the attribute', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'https://',
        'wss://',
        'a.b',
        '*.',
        ';',
        "'",
        '"',
        ' ',
        ',',
        '\n',
        '\t',
        'script-src',
        "'unsafe-eval'",
        ':443',
        '/',
        '<',
        '>',
        '&',
        '\\',
        '%3b',
      ),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const list = fc.array(text, { maxLength: 6 });
    const plain = Object.keys(directives(appPolicy(noDomains)));
    fc.assert(
      fc.property(
        fc.record({ connectDomains: list, resourceDomains: list, frameDomains: list, baseUriDomains: list }),
        (csp) => {
          const policy = appPolicy(declaredDomains(csp).domains);
          assert.deepEqual(
            policy.split(';').map((directive) => directive.trim().split(/\s/)[0]),
            plain,
          );
          for (const source of policy.split(/[; ]+/).filter((one) => /:\/\//.test(one)))
            assert.match(source, /^(https|wss):\/\/(\*\.)?[a-zA-Z0-9.-]+(:\d+)?$/);
          assert.doesNotMatch(policy, /["<>&,\n]|unsafe-eval|'self'/);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('an invalid declaration counts as an empty one', () => {
    for (const csp of [
      undefined,
      null,
      [],
      'x',
      { connectDomains: 'https://a.example' },
      { connectDomains: [5] },
      { __proto__: { connectDomains: ['https://a.example'] } },
    ])
      assert.deepEqual(declaredDomains(csp).domains.resource, []);
    assert.equal(
      declaredDomains({ connectDomains: Array.from({ length: 1_000 }, (_, index) => `https://a${index}.example`) })
        .domains.connect.length,
      64,
    );
  });

  for (const isClosed of [true, false]) {
    test(`[V8] the policy and the guard precede all content of the server, in ${isClosed ? 'a closed app' : 'an app with declared origins'}`, () => {
      const html =
        '<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src *"></head>';
      const text = appDocument({ html, policy: appPolicy(noDomains), isClosed });
      assert.ok(
        text.startsWith(`<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${appPolicy(noDomains)}">`),
      );
      assert.ok(text.endsWith(html));
      assert.equal(text.includes("require-trusted-types-for 'script'; trusted-types default"), isClosed);
    });
  }

  for (const [html, isFound] of [
    ['<iframe srcdoc="x">', true],
    ['<IFRAME\nSrcDoc=x>', true],
    ['<iframe title=""srcdoc>', true],
    ['<iframe/srcdoc', true],
    ['<iframe src="https://a.example">', false],
    ['<p srcdoc="x"></p><iframe></iframe>', false],
    ['<p title="srcdocument">', false],
  ] as const) {
    test(`[V9] ${JSON.stringify(html)} ${isFound ? 'may contain' : 'contains no'} document for a frame`, () =>
      assert.equal(holdsFrameDocuments(html), isFound));
  }

  test('a text with countless mentions of frames is scanned once', () => {
    assert.equal(holdsFrameDocuments(`${'<iframe '.repeat(200_000)}`), false);
  });
});
