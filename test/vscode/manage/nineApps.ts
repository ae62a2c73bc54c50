import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { parse as parseYaml } from 'yaml';
import type { InterchangeReport } from '../../../src/core/present/documents/interchangeReport.js';
import { interchangeText } from '../../../src/core/present/documents/interchangeReport.js';
import { readJson } from '../../../src/core/config/jsonEdit.js';
import { agreeingToAll, answerModals } from '../support/dialogs.js';
import { WorkspaceFile, command, deckExtension, findServer, until } from '../support/host.js';

const vscodeFile = new WorkspaceFile('.vscode/mcp.json');
const hosts = path.join(deckExtension().extensionPath, 'test', 'fixtures', 'hosts');
const settings = () => vscode.workspace.getConfiguration();
const userValue = (key: string): unknown => settings().inspect(key)?.globalValue;
const fixture = (file: string) => readFile(path.join(hosts, file), 'utf8');

interface Group {
  project?: string;
  servers: Record<string, Record<string, unknown>>;
  inputs: unknown[];
  losses: string[];
  unusable: string[];
}

const apps: readonly (readonly [app: string, file: string, key: string])[] = [
  ['claude-desktop', 'claude_desktop_config.json', 'mcpServers'],
  ['claude-code', 'claude.json', 'mcpServers'],
  ['cursor', 'cursor.json', 'mcpServers'],
  ['windsurf', 'windsurf_mcp_config.json', 'mcpServers'],
  ['cline', 'cline_mcp_settings.json', 'mcpServers'],
  ['roo', 'roo_mcp.json', 'mcpServers'],
  ['continue', 'continue.yaml', 'mcpServers'],
  ['zed', 'zed_settings.json', 'context_servers'],
  ['vscode', 'vscode_mcp.json', 'servers'],
];
/** Removes empty objects, which mean the same as a missing field. */
const withoutEmpty = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => JSON.stringify(value) !== '{}'));
/** Our settings have no default value for an unset variable, which Claude Code's file has; the report mentions it. */
const variableDefault = /\$\{env:(\w+):-[^}]*\}/g;
const withoutDefaults = (fields: object) =>
  JSON.parse(JSON.stringify(fields).replaceAll(variableDefault, '${env:$1}')) as Record<string, unknown>;
const lostDefaults = ({ servers }: Group) =>
  Object.entries(servers).flatMap(([server, fields]) =>
    [...JSON.stringify(fields['args'] ?? []).matchAll(variableDefault)].map(
      ([, name]) =>
        `${server}: args: The default value of the environment variable ${name} cannot be written in this file. Set the variable.`,
    ),
  );
const linesOf = ({ losses }: InterchangeReport) =>
  losses.map(({ server, field, message }) => `${server}: ${field}: ${message}`);
const isOfPlace = (line: string) =>
  /: (?:cwd|args\.\d+|args|envFile|command): .*(?:ran in|is relative to|\$\{workspaceFolder\} is)|looks like a secret and is written unchanged/.test(
    line,
  );

suite('the files of nine apps', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'nine-'));
  });
  afterEach(() => vscodeFile.restore());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  for (const [app, file] of apps) {
    test(`${file} is imported as documented, with a report of the rest`, async () => {
      const name = file.replace(/\.\w+$/, '');
      const { imported } = JSON.parse(
        await fixture(`expected/${name}${file.endsWith('.yaml') ? '_yaml' : ''}.json`),
      ) as { imported: Group[] };
      for (const group of imported) {
        const before = userValue('mcpDeck.servers');
        const dialogs = answerModals(() => 'Add to User Settings');
        let report: InterchangeReport;
        try {
          report = await command<InterchangeReport>('mcpDeck.importServers', {
            file: path.join(hosts, file),
            app,
            to: 'user',
            secrets: 'keep',
            ...(group.project === undefined ? {} : { project: group.project }),
          });
        } finally {
          dialogs.restore();
        }
        const added = Object.entries(userValue('mcpDeck.servers') as Group['servers']).filter(
          ([server]) => !Object.hasOwn(before as object, server),
        );
        const servers = Object.fromEntries(
          added.map(([server, { type, ...fields }]) => [
            server,
            withoutEmpty(type === 'stdio' || type === undefined ? fields : { type, ...fields }),
          ]),
        );
        const inputs = userValue('mcpDeck.inputs') ?? [];
        await settings().update('mcpDeck.servers', before, vscode.ConfigurationTarget.Global);
        await settings().update('mcpDeck.inputs', undefined, vscode.ConfigurationTarget.Global);
        const text = interchangeText(report);
        assert.deepEqual(
          {
            servers,
            inputs,
            losses: linesOf(report).filter((line) => !isOfPlace(line)),
            unusable: report.unusable.map(({ name: server, reason }) => `${server}: ${reason}`),
          },
          {
            servers: Object.fromEntries(
              Object.entries(group.servers).map(([server, fields]) => [server, withoutDefaults(withoutEmpty(fields))]),
            ),
            inputs: group.inputs,
            losses: [...group.losses, ...lostDefaults(group)],
            unusable: group.unusable,
          },
        );
        assert.deepEqual(
          [...report.servers, ...report.losses.map(({ field }) => `${field}:`)].filter((part) => !text.includes(part)),
          [],
        );
        assert.match(
          report.title,
          new RegExp(
            `^Servers of .* that were written to User settings: ${Object.keys(group.servers).length} of ${Object.keys(group.servers).length}\\.`,
          ),
        );
      }
    });
  }

  test('our servers are exported to each, the rest of the file stays, and a report lists what the format cannot express', async () => {
    const expected = JSON.parse(await fixture('expected/exported.json')) as Record<
      string,
      { written: Record<string, unknown> | { name: string }[]; losses: string[] }
    >;
    await vscodeFile.write(await fixture('ours.json'));
    await until('they are there', async () => (await findServer('rich')) && (await findServer('live')));
    const workspace = path.dirname(path.dirname(vscodeFile.path));
    for (const [app, file, key] of apps) {
      const target = path.join(folder, file);
      await copyFile(path.join(hosts, file), target);
      const report = await agreeingToAll('Export Servers', () =>
        command<InterchangeReport>('mcpDeck.exportServers', { servers: ['rich', 'far', 'live'], file: target, app }),
      );
      const text = await readFile(target, 'utf8');
      const root = (file.endsWith('.yaml') ? parseYaml(text) : readJson(text)) as Record<string, unknown>;
      const before = await fixture(file);
      const old = ((file.endsWith('.yaml') ? parseYaml(before) : readJson(before)) as Record<string, unknown>)[key];
      const { written, losses } = expected[app] ?? assert.fail(app);
      const local = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(workspace, '/w/shop')) as unknown;
      assert.deepEqual(
        local(root[key]),
        Array.isArray(written) ? [...(old as object[]), ...written] : { ...(old as object), ...written },
        app,
      );
      const refused = report.unusable.map(({ name, reason }) => `${name}: : ${reason}`);
      assert.deepEqual(
        [...linesOf(report), ...refused].map((line) => line.replaceAll(workspace, '/w/shop')).sort(),
        [...losses].sort(),
        app,
      );
      assert.ok(report.title.endsWith(`: ${3 - refused.length} of 3.`), report.title);
      if (app === 'vscode')
        assert.deepEqual(
          (root['inputs'] as { id: string }[]).map(({ id }) => id),
          ['perplexity-key', 'api-key'],
        );
    }
  });
});
