import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Version } from '../../../src/core/base/versionRange.js';
import { rangeAllows } from '../../../src/core/base/versionRange.js';

const version = (text: string) => text.split('.').map(Number) as unknown as Version;

test('ranges of npm packages are read', () => {
  const table: [range: string, inside: string[], outside: string[]][] = [
    ['>=18', ['18.0.0', '22.4.1'], ['17.9.9', '16.20.2']],
    ['>= 20.11', ['20.11.0', '21.0.0'], ['20.10.9']],
    [
      '^18.18.0 || ^20.9.0 || >=21.1.0',
      ['18.18.0', '18.99.1', '20.9.0', '21.1.0', '30.0.0'],
      ['18.17.9', '19.0.0', '20.8.9', '21.0.9'],
    ],
    ['>=18 <21', ['18.0.0', '20.99.0'], ['17.0.0', '21.0.0']],
    ['18.x', ['18.0.0', '18.20.1'], ['17.9.0', '19.0.0']],
    ['18', ['18.7.0'], ['19.0.0']],
    ['v20.1', ['20.1.0', '20.1.9'], ['20.2.0']],
    ['=20.1.2', ['20.1.2'], ['20.1.3', '20.1.1']],
    ['~20.1.2', ['20.1.2', '20.1.9'], ['20.2.0', '20.1.1']],
    ['~20', ['20.9.0'], ['21.0.0', '19.0.0']],
    ['18 - 20', ['18.0.0', '20.99.9'], ['17.9.9', '21.0.0']],
    ['>18', ['19.0.0'], ['18.99.0']],
    ['<=20', ['20.99.0'], ['21.0.0']],
    ['^0.12.1', ['0.12.5'], ['0.13.0', '0.12.0']],
    ['*', ['1.0.0', '99.0.0'], []],
    ['', ['1.0.0'], []],
    ['>=20.0.0-0', ['20.0.0'], ['19.9.9']],
  ];
  for (const [range, inside, outside] of table) {
    for (const one of inside) assert.equal(rangeAllows(range, version(one)), true, `${one} in ${range}`);
    for (const one of outside) assert.equal(rangeAllows(range, version(one)), false, `${one} not in ${range}`);
  }
});

test('ranges of Python packages are read', () => {
  const table: [range: string, inside: string[], outside: string[]][] = [
    ['>=3.8', ['3.8.0', '3.13.1'], ['3.7.9']],
    ['>=3.8,<4', ['3.8.0', '3.99.0'], ['4.0.0', '3.7.0']],
    ['>=3.10, !=3.11.*', ['3.10.4', '3.12.0'], ['3.11.0', '3.11.9', '3.9.0']],
    ['~=3.10', ['3.10.0', '3.14.0'], ['4.0.0', '3.9.9']],
    ['~=3.10.2', ['3.10.2', '3.10.9'], ['3.11.0', '3.10.1']],
    ['==3.12.*', ['3.12.7'], ['3.13.0']],
    ['== 3.12', ['3.12.7'], ['3.11.9']],
  ];
  for (const [range, inside, outside] of table) {
    for (const one of inside) assert.equal(rangeAllows(range, version(one)), true, `${one} in ${range}`);
    for (const one of outside) assert.equal(rangeAllows(range, version(one)), false, `${one} not in ${range}`);
  }
});

test('unknown syntax gives no result, and nothing throws', () => {
  for (const range of ['lts/*', 'node', '>=', '>=18 nonsense', '1.2.3.4', '>='.repeat(200)])
    assert.notEqual(rangeAllows(range, [1, 0, 0]), false, range);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.<>=^~!,|x*- v'), maxLength: 30 }), (range) =>
      [true, false, undefined].includes(rangeAllows(range, [20, 1, 2])),
    ),
  );
});
