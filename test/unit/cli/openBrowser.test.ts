import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openerOf } from '../../../src/cli/openBrowser.js';
import { folderWith } from '../../support/cliProcess.js';
import { onlyPosix } from '../../support/platform.js';

test('[CLI4] the program that opens the browser is that of the system, also on Windows and macOS', () => {
  assert.equal(openerOf('win32', {})?.[0], 'C:\\Windows\\System32\\rundll32.exe');
  assert.equal(openerOf('darwin', {})?.[0], '/usr/bin/open');
});

test(
  '[CLI4] a program of the project on PATH does not open the browser',
  onlyPosix('names and PATH are those of POSIX'),
  (t) => {
    const folder = folderWith(t, {});
    const programs = ['node_modules/.bin', 'own'].map((name) => path.join(folder, name));
    for (const one of programs) {
      mkdirSync(one, { recursive: true });
      writeFileSync(path.join(one, 'xdg-open'), '#!/bin/sh\n');
      chmodSync(path.join(one, 'xdg-open'), 0o755);
    }
    const [ofProject = '', own = ''] = programs;
    const opener = (...folders: string[]) => openerOf('linux', { DISPLAY: ':0', PATH: folders.join(path.delimiter) });
    assert.deepEqual(opener('node_modules/.bin', ofProject, own), [path.join(own, 'xdg-open')]);
    assert.equal(opener(ofProject, '.'), undefined);
    assert.equal(openerOf('linux', { PATH: own }), undefined, 'there is no display');
  },
);
