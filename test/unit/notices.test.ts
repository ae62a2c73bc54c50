import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const folder = path.join('src', 'vscode');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file: path.join(folder, file), text: readFileSync(path.join(folder, file), 'utf8') }));

test('[C20] no file that shows messages gives their buttons the proof of the user: any program can press them', () => {
  const shows = /\b(?:showInformation|showWarning|showError|showUntil)\(|\bfunnel\.tell\(|\bthis\.tell\(/;
  const showing = files.filter(({ text }) => shows.test(text));
  assert.ok(showing.length > 20);
  assert.deepEqual(
    showing.filter(({ text }) => text.includes('userChoice(')).map(({ file }) => file),
    [],
  );
});

test('[C20] only the file of the messages calls those of VS Code', () => {
  assert.deepEqual(
    files
      .filter(({ text }) => /window\.show(?:Information|Warning|Error)Message\(/.test(text))
      .map(({ file }) => path.basename(file)),
    [],
  );
});
