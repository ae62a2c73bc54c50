import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HostError } from '../../../../src/core/base/hostError.js';
import { countHidden } from '../../../../src/core/base/hostileText.js';
import { judgeRedirect } from '../../../../src/core/transport/http/httpCall.js';
import { judgeEndpoint } from '../../../../src/core/transport/http/legacySseTransport.js';
import type { RemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { baseUrl, parseRemoteAddress, withUrl } from '../../../../src/core/transport/http/remoteAddress.js';
import { redactedHeaders } from '../../../../src/core/transport/http/remoteHeaders.js';

/** Rules of addresses that must hold for any input. */

const scheme = fc.constantFrom(
  'http',
  'https',
  'HTTPS',
  'ws',
  'wss',
  'file',
  'javascript',
  'data',
  'vscode',
  'command',
  'ftp',
  'unix',
  'pipe',
  '',
);
const host = fc.constantFrom(
  'a.example',
  'a.example:8443',
  'A.EXAMPLE.',
  'b.example',
  'a.example@b.example',
  'user:hunter2@a.example',
  '127.0.0.1',
  '0x7f.1',
  '[::1]',
  '169.254.169.254',
  'a.example%2f',
  'ä.example',
  '',
);
const rest = fc.oneof(
  fc.webPath(),
  fc.string({ maxLength: 30 }),
  fc.constantFrom('/x', '\\\\b.example\\x', '/../../x', '/%0d%0aX: 1', '?k=1#f', '/%', '#/%zz'),
);
const anything = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.webUrl(),
  rest,
  fc.tuple(scheme, fc.constantFrom('://', ':///', ':', '//', ':\\\\'), host, rest).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('//', '\\\\', '/\\', '\t//'), host, rest).map((parts) => parts.join('')),
);
const homes = ['https://a.example:8443/mcp?k=1', 'http://127.0.0.1:3000/mcp', 'unix:///run/s.sock#/mcp'].map(
  parseRemoteAddress,
);

/** After each decision, messages must still go to the host of the address that the user entered. */
function assertStaysHome(verdict: { target: URL } | { problem: string }, from: RemoteAddress): void {
  if ('problem' in verdict) {
    assert.equal(countHidden(verdict.problem), 0, verdict.problem);
    assert.ok(verdict.problem.length < 300, verdict.problem);
    return;
  }
  const next = withUrl(from, verdict.target);
  assert.deepEqual({ ...next, path: '', label: '' }, { ...from, path: '', label: '' });
  assert.equal(baseUrl(next).origin, from.origin);
  assert.match(next.path, /^\/[\x21-\x7e]*$/);
}

test('[H4] no redirect of any content leads to another host, scheme or socket', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...homes),
      fc.constantFrom('GET', 'POST', 'DELETE'),
      fc.integer({ min: 300, max: 399 }),
      fc.option(anything, { nil: undefined }),
      (from, method, status, location) => {
        const verdict = judgeRedirect(method, status, location, from);
        assertStaysHome(verdict, from);
        if (method !== 'GET' && status !== 307 && status !== 308)
          assert.ok('problem' in verdict, 'the message would be dropped');
      },
    ),
    { numRuns: 2_000 },
  );
});

test('[E6] no endpoint event of any content leads to another origin', () => {
  fc.assert(
    fc.property(fc.constantFrom(...homes), anything, (from, data) => assertStaysHome(judgeEndpoint(data, from), from)),
    { numRuns: 2_000 },
  );
});

test('[A1] an address is supported or refused, and neither repeats a password', () => {
  fc.assert(
    fc.property(anything, (text) => {
      try {
        const { protocol, path, label, port, socketPath } = parseRemoteAddress(text);
        assert.match(protocol, /^(https?|wss?):$/);
        assert.match(path, /^\/[\x21-\x7e]*$/);
        assert.ok(port > 0 && port < 65_536);
        // The file name of a socket may contain anything, but user information before a host must not be shown.
        if (socketPath === undefined) assert.doesNotMatch(label, /hunter2|\?/);
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        assert.equal(error.code, 'bad-configuration');
        assert.doesNotMatch(`${error.message} ${error.hint ?? ''}`, /:hunter2@/);
        assert.ok(error.message.length < 300);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('[S2] headers in a log have no credential values', () => {
  const name = fc.constantFrom(
    'Authorization',
    'cookie',
    'Set-Cookie',
    'Mcp-Session-Id',
    'Proxy-Authorization',
    'DPoP',
    'X-Api-Key',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.stringMatching(/^[a-z0-9]{12,30}$/))), (headers) => {
      const shown = JSON.stringify(redactedHeaders(Object.fromEntries(headers)));
      for (const [, value] of headers) assert.ok(!shown.includes(value), shown);
    }),
  );
});
