import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** A folder may import itself and folders of a lower rank (table of folders in src/README.md). */
const rank: Record<string, number> = {
  shared: 0,
  'core/base': 0,
  'core/schema': 1,
  'core/protocol': 1,
  'core/auth': 2,
  'core/consent': 2,
  'core/config': 2,
  'core/trace': 2,
  'core/debug': 3,
  'core/transport': 3,
  'core/stats': 4,
  'core/registry': 3,
  'core/interchange': 4,
  'core/presets': 4,
  'core/requests': 4.1,
  'core/serving': 4,
  'core/workspaceServer': 5,
  'core/connection': 4,
  'core/session': 5,
  'core/skills': 6,
  'core/apps': 6,
  'core/catalog': 7,
  'core/present/text': 8,
  'core/present/failure': 8.1,
  'core/present/server': 8.2,
  'core/present/result': 8.2,
  'core/present/form': 8.3,
  'core/present/gallery': 8.3,
  'core/present/questions': 8.3,
  'core/present/tree': 8.4,
  'core/present/documents': 8.5,
  'core/present/chat': 8.5,
  // Above everything that it draws: results, forms, and the lines of its records.
  'core/runs': 8.6,
  'core/chat': 9,
  'core/resources': 9,
  'core/doctor': 9,
  'core/details': 9,
  'core/host': 10,
  'core/gateway': 10.5,
  'core/testing': 10.5,
  'core/search': 1,
  // The HTTP client and the words of the search are below.
  'core/gallery': 4,
  core: 11,
  cli: 12,
  vscode: 12,
  webview: 1,
  src: 13,
};

/** Folders of `src/vscode`, lowest first. Features are on the same level: none imports another. */
const extensionFolders = ['adapters', 'ui', 'builtin', 'features'];

function folderOf(file: string): string {
  const relative = path.relative('src', file).split(path.sep);
  if (relative[0] === 'core' && relative[1] === 'present') return relative.slice(0, 3).join('/');
  if (relative[0] === 'core') return relative.length > 2 ? `core/${relative[1]}` : 'core';
  return relative.length > 1 ? (relative[0] ?? '') : 'src';
}

test('imports only go from higher folders to lower ones', () => {
  const offences: string[] = [];
  for (const entry of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) continue;
    const file = path.join('src', entry);
    const from = folderOf(file);
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const to = folderOf(path.join(path.dirname(file), target ?? ''));
      if (from === to) continue;
      const fromRank = rank[from];
      const toRank = rank[to];
      if (fromRank === undefined || toRank === undefined)
        offences.push(`${file}: no rank for ${fromRank === undefined ? from : to}`);
      else if (toRank >= fromRank) offences.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(offences, []);
});

test('in src/vscode adapters are below helpers, helpers below features, and features do not import each other', () => {
  const placeOf = (file: string): { rank: number; feature: string | undefined } => {
    const [folder = '', name, rest] = path.relative('src/vscode', file).split(path.sep);
    const isFolder = name !== undefined;
    return {
      rank: isFolder ? extensionFolders.indexOf(folder) : extensionFolders.length,
      feature: folder === 'features' && rest !== undefined ? name : undefined,
    };
  };
  const offences: string[] = [];
  for (const entry of readdirSync('src/vscode', { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) continue;
    const file = path.join('src/vscode', entry);
    const from = placeOf(file);
    if (from.rank < 0) offences.push(`${file} is in a folder without a rank`);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const imported = path.join(path.dirname(file), target);
      // The manifest is data: ids of commands, settings and views.
      if (!imported.startsWith(path.join('src', 'vscode')) || imported === path.join('src', 'vscode', 'manifest.js'))
        continue;
      const to = placeOf(imported);
      if (
        to.rank > from.rank ||
        (to.feature !== undefined && from.feature !== undefined && to.feature !== from.feature)
      )
        offences.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(offences, []);
});

test('no source file imports itself through others', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((entry) => /^(?:cli|core|vscode|webview|shared)[\\/].*\.ts$/.test(entry))
    .map((entry) => path.join('src', entry));
  const targetsOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target]) =>
      path.join(path.dirname(file), target ?? '').replace(/\.js$/, '.ts'),
    );
  let left = new Map(files.map((file) => [file, targetsOf(file)]));
  // A file without remaining imports cannot be part of a cycle.
  for (let before = -1; before !== left.size;) {
    before = left.size;
    const known = left;
    left = new Map([...known].filter(([, targets]) => targets.some((target) => known.has(target))));
  }
  assert.deepEqual(
    [...left.keys()].filter((file) => [...left.values()].some((targets) => targets.includes(file))),
    [],
  );
});

test('pages import only shared, and shared imports no other folder', () => {
  const reach = (folder: string, allowed: readonly string[]) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((entry) => entry.endsWith('.ts'))
      .flatMap((entry) => {
        const file = path.join('src', folder, entry);
        const targets = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target]) =>
          folderOf(path.join(path.dirname(file), target ?? '')),
        );
        return targets.filter((target) => !allowed.includes(target)).map((target) => `${file} imports ${target}`);
      });
  assert.deepEqual([...reach('webview', ['webview', 'shared']), ...reach('shared', ['shared'])], []);
});

test('nothing in the core imports vscode', () => {
  const offences = readdirSync('src/core', { recursive: true, encoding: 'utf8' })
    .filter((entry) => entry.endsWith('.ts'))
    .filter((entry) =>
      /from 'vscode'|import\('vscode'\)|require\('vscode'\)/.test(readFileSync(path.join('src/core', entry), 'utf8')),
    );
  assert.deepEqual(offences, []);
});

test('[V3] one module shows messages and input fields, and no text there is a link', () => {
  const direct =
    /\bwindow\s*\.\s*(?:show(?:Information|Warning|Error)Message|withProgress|showInputBox|createInputBox)\b/;
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  // A start that failed before anything is loaded shows its own message.
  const exempt = new Set(['extension.ts', path.join('vscode', 'adapters', 'userMessages.ts')]);
  const offences = files.filter(
    (file) => !exempt.has(file) && direct.test(readFileSync(path.join('src', file), 'utf8')),
  );
  assert.deepEqual(offences, []);
});
