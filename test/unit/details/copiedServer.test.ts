import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServerDefinition } from '../../../src/core/config/serverDefinition.js';
import { copiedJson, copiedLine } from '../../../src/core/details/copiedServer.js';
import { readPasted } from '../../../src/core/interchange/pasted/readPasted.js';
import { serverView } from '../../support/serverViews.js';

const entryOf = (definition: ServerDefinition) => serverView('acme', { definition }).entry;
const jsonOf = (definition: ServerDefinition, secrets: readonly string[] = []) =>
  JSON.parse(copiedJson(entryOf(definition), secrets)) as {
    servers: Record<string, unknown>;
    inputs?: readonly { id: string; password: boolean }[];
  };

describe('a copied server', () => {
  test('[copy.secrets] contains no secret: each becomes an input', () => {
    const { servers, inputs } = jsonOf({
      type: 'stdio',
      command: 'npx',
      args: [
        '-y',
        'acme-mcp',
        '--token=hunter2',
        '--api-key',
        'short',
        'ghp_0123456789012345678901234567',
        '--header',
        'Authorization: Bearer abc',
        'https://user:pw@acme.test/mcp?mode=all&key=k1',
        '--mode=fast',
      ],
      env: { ACME_TOKEN: 'x', LOG_LEVEL: 'debug', DB_PASSWORD: '${input:db}' },
    });
    assert.deepEqual(servers, {
      acme: {
        command: 'npx',
        args: [
          '-y',
          'acme-mcp',
          '--token=${input:acme-token}',
          '--api-key',
          '${input:acme-api-key}',
          '${input:acme-argument}',
          '--header',
          'Authorization: ${input:acme-authorization}',
          'https://acme.test/mcp?mode=all&key=${input:acme-key}',
          '--mode=fast',
        ],
        env: { ACME_TOKEN: '${input:acme-acme-token}', LOG_LEVEL: 'debug', DB_PASSWORD: '${input:db}' },
      },
    });
    assert.equal(inputs?.length, 6);
    assert.ok(inputs.every(({ password }) => password));
  });

  test('[copy.secrets] has a URL and headers without secrets', () => {
    const definition: ServerDefinition = {
      type: 'http',
      url: 'https://me:pw@acme.test/s/0123456789abcdef0123456789abcdef/mcp?a=1&token=t#f',
      headers: { Authorization: 'Bearer abc', 'X-Mode': 'fast', 'X-Api-Key': '${input:key}' },
    };
    assert.deepEqual(jsonOf(definition).servers['acme'], {
      type: 'http',
      url: 'https://acme.test/s/${input:acme-url}/mcp?a=1&token=${input:acme-token}',
      headers: {
        Authorization: 'Bearer ${input:acme-authorization}',
        'X-Mode': 'fast',
        'X-Api-Key': '${input:key}',
      },
    });
    const line = copiedLine(entryOf(definition), []) ?? '';
    assert.match(line, /^https:\/\/acme\.test\/s\/\$\{input:acme-url\}\/mcp\?/);
    assert.doesNotMatch(line, /pw|=t\b/);
  });

  test('[copy.secrets] masks stored values of inputs, wherever the definition repeats them', () => {
    const definition: ServerDefinition = { type: 'stdio', command: 'run', args: ['plain-stored-value'], env: {} };
    assert.ok(!copiedJson(entryOf(definition), ['plain-stored-value']).includes('plain-stored-value'));
    assert.ok(!(copiedLine(entryOf(definition), ['plain-stored-value']) ?? '').includes('plain-stored-value'));
  });

  test('can be pasted into Add Server…', () => {
    const definition: ServerDefinition = {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'acme-mcp', '--path', '/my files/a', 'say "hi"'],
      env: {},
    };
    for (const text of [copiedJson(entryOf(definition), []), copiedLine(entryOf(definition), []) ?? '']) {
      const pasted = readPasted(text);
      assert.ok('servers' in pasted, text);
      const fields = pasted.servers[0]?.fields ?? {};
      assert.deepEqual([fields['command'], fields['args']], [definition.command, definition.args]);
    }
  });
});
