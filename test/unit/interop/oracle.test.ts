import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InteropOracle } from '../../support/interopOracle.js';

// Tests that the oracle of the other tests finds faults.
const meta = (more: object = {}) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  },
  ...more,
});
const headers = (method: string) => ({ 'mcp-method': method, 'mcp-protocol-version': '2026-07-28' });

const cases: { name: string; revision: string; message: object; finds?: RegExp; headers?: Record<string, string> }[] = [
  {
    name: 'accepts a valid request',
    revision: '2025-11-25',
    message: { id: 1, method: 'tools/call', params: { name: 'x', arguments: {} } },
  },
  {
    name: 'accepts a valid modern request',
    revision: '2026-07-28',
    message: { id: 1, method: 'tools/list', params: meta() },
    headers: headers('tools/list'),
  },
  {
    name: 'finds a parameter of the wrong type',
    revision: '2025-11-25',
    message: { id: 1, method: 'tools/call', params: { name: 7 } },
    finds: /params\.name/,
  },
  {
    name: 'finds an unknown method',
    revision: '2025-11-25',
    message: { id: 1, method: 'tools/cal', params: {} },
    finds: /no revision knows/,
  },
  {
    name: 'finds a request of the other era',
    revision: '2026-07-28',
    message: { id: 1, method: 'ping', params: meta() },
    headers: headers('ping'),
    finds: /legacy era/,
  },
  {
    name: 'finds a missing _meta',
    revision: '2026-07-28',
    message: { id: 1, method: 'tools/list', params: {} },
    headers: headers('tools/list'),
    finds: /protocol version in _meta/,
  },
  {
    name: 'finds a wrong header',
    revision: '2026-07-28',
    message: { id: 1, method: 'tools/list', params: meta() },
    headers: headers('tools/call'),
    finds: /Mcp-Method/,
  },
  {
    name: 'finds a feature that the revision does not have',
    revision: '2025-03-26',
    message: { id: 1, method: 'tools/call', params: { name: 'x', task: { ttl: 1 } } },
    finds: /without that/,
  },
  {
    name: 'finds an answer to nothing',
    revision: '2025-11-25',
    message: { id: 1, result: {} },
    finds: /answers nothing/,
  },
  {
    name: 'finds an unknown notification',
    revision: '2025-11-25',
    message: { method: 'initialized' },
    finds: /no revision knows/,
  },
];

for (const { name, revision, message, finds, headers: sent } of cases) {
  test(`the oracle ${name}`, () => {
    const oracle = new InteropOracle();
    oracle.revision = revision;
    oracle.outgoing(
      { text: JSON.stringify({ jsonrpc: '2.0', ...message }), ...(sent ? { headers: sent } : {}) },
      'http',
    );
    if (finds) assert.match(oracle.problems.join('\n'), finds);
    else assert.deepEqual(oracle.problems, []);
  });
}
