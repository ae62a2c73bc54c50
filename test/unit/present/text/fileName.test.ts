import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileNameOf, withTilde } from '../../../../src/core/present/text/fileName.js';

test('[D1] any text gives a name that is valid on every system', () => {
  const cases: [string, string][] = [
    ['echo - result', 'echo - result'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['a\0b:c*d\u202e', 'a_b_c_d_'],
    ['-rf', 'rf'],
    ['.hidden', 'hidden'],
    ['CON', '_CON'],
    ['aux.txt', '_aux.txt'],
    ['...', 'result'],
    ['', 'result'],
    ['name. . ', 'name'],
  ];
  assert.deepEqual(
    cases.map(([text]) => fileNameOf(text)),
    cases.map(([, name]) => name),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const name = fileNameOf(text);
      return (
        name.length > 0 &&
        Buffer.byteLength(name) <= 250 &&
        !/[\u0000-\u001f<>:"/\\|?*]|^[-.]|[. ]$/.test(name) &&
        !/\p{Cs}/u.test(name)
      );
    }),
  );
});

test('a path below the home folder begins with a tilde, and a folder with a longer name does not', () => {
  const shown = (file: string) => withTilde(file, '/home/al');
  assert.deepEqual(['/home/al', '/home/al/mcp.json', '/home/alice/mcp.json', '/etc/mcp.json'].map(shown), [
    '~',
    '~/mcp.json',
    '/home/alice/mcp.json',
    '/etc/mcp.json',
  ]);
  assert.equal(withTilde('C:\\Users\\al\\mcp.json', 'C:\\Users\\al'), '~\\mcp.json');
});
