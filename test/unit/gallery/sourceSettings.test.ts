import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  filledHeaders,
  headersOfFile,
  inputsOfHeaders,
  readSources,
} from '../../../src/core/gallery/sourceSettings.js';

const places = (settings: Partial<Parameters<typeof readSources>[0]>) =>
  readSources({ own: [], vsCode: undefined, isExclusive: false, ...settings }).sources.map(({ place }) => place);

describe('the sources of the settings', () => {
  test('a source is a URL, a folder, a file, or an object with one of them', () => {
    const own = ['https://a.example/v0.1', '/srv/servers', { location: 'file:///srv/team.json', name: ' Team ' }];
    assert.deepEqual(readSources({ own, vsCode: '', isExclusive: false }), {
      sources: [
        { place: 'https://a.example/v0.1', name: 'a.example', headers: {} },
        { place: '/srv/servers', name: 'servers', headers: {} },
        { place: 'file:///srv/team.json', name: 'Team', headers: {} },
      ],
      unusable: [],
    });
  });

  test('a value that is no source is reported, and the others still count', () => {
    const own = ['servers', 'ftp://a.example', 'https://', { location: '/srv', headers: { A: 1 } }, 7, '/srv/a'];
    const read = readSources({ own, vsCode: undefined, isExclusive: false });
    assert.deepEqual([read.sources.map(({ place }) => place), read.unusable.length], [['/srv/a'], 5]);
  });

  test("the registry of VS Code's settings comes first, and each place counts once", () => {
    assert.deepEqual(places({ own: ['https://a.example', 'https://b.example'], vsCode: 'https://b.example' }), [
      'https://b.example',
      'https://a.example',
    ]);
  });

  test('[C27] if only the registry of the company is allowed, all other sources are ignored', () => {
    const own = ['https://a.example'];
    assert.deepEqual(places({ own, vsCode: 'https://company.example', isExclusive: true }), [
      'https://company.example',
    ]);
    assert.deepEqual(places({ own, isExclusive: true }), []);
  });
});

test('headers get the values of their inputs, and are incomplete without one of them', () => {
  const headers = { Authorization: 'Bearer ${input:token}', 'X-Team': 'a' };
  assert.deepEqual(inputsOfHeaders(headers), ['token']);
  assert.equal(filledHeaders(headers, new Map()), undefined);
  assert.deepEqual(filledHeaders(headers, new Map([['token', '$&${input:token}']])), {
    Authorization: 'Bearer $&${input:token}',
    'X-Team': 'a',
  });
});

test('the headers of a registry are sent with a file of the same origin only', () => {
  const headers = { authorization: 'Bearer x' };
  const source = { place: 'https://registry.example.com/team', headers };
  assert.deepEqual(headersOfFile(source, 'https://registry.example.com/files/a.mcpb'), headers);
  for (const file of [
    'https://example.com/a.mcpb',
    'http://registry.example.com/a.mcpb',
    'https://registry.example.com:444/a',
    'x',
  ])
    assert.equal(headersOfFile(source, file), undefined, file);
  assert.equal(headersOfFile({ place: '/srv/list', headers }, '/srv/list/a.mcpb'), undefined);
});
