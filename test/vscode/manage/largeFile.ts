import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { afterAll, report, suite, test } from '../runner.js';
import { WorkspaceFile, until } from '../support/host.js';

const portable = new WorkspaceFile('.mcp.json');
const mebibyte = 1024 * 1024;
const sampleMs = 20;

const problems = () =>
  vscode.languages
    .getDiagnostics(portable.uri)
    .filter(({ source }) => source === 'MCP Deck')
    .map(({ message }) => message);

suite('[K2] a configuration file of 200 MB', () => {
  afterAll(() => rm(portable.path, { force: true }));

  test('is reported as a problem by its size alone: its content is not loaded into memory', async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const samples = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), sampleMs);
    try {
      await writeFile(portable.path, '{');
      await truncate(portable.path, 200_000_000);
      await until('it is a problem', () =>
        problems().some((message) => message.includes('larger than 5 MiB and was not read')),
      );
    } finally {
      clearInterval(samples);
    }
    const grown = Math.round((peak - before) / mebibyte);
    report(`memory of the extension host grew by ${grown} MiB when a configuration file of 200 MB was found`);
    assert.ok(grown < 150, `it grew by ${grown} MiB`);
    await rm(portable.path);
    await until('the problem is gone with the file', () => problems().length === 0);
  });
});
