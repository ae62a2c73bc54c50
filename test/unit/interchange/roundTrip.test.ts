/** What goes in and out again is the same, but for what the report names; and what a file has besides stays in it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse as parseYaml, stringify as yamlText } from 'yaml';
import { readJson } from '../../../src/core/config/jsonEdit.js';
import { parseConfigText } from '../../../src/core/config/parseConfig.js';
import { serverTypeOf } from '../../../src/core/config/readServer.js';
import type { AppId } from '../../../src/core/interchange/appFormats.js';
import { appFormats, ownFormats } from '../../../src/core/interchange/appFormats.js';
import type { CarriedServer, Loss } from '../../../src/core/interchange/carried.js';
import { leavesOf, valueAt } from '../../../src/core/interchange/carried.js';
import { carriedDefinition } from '../../../src/core/interchange/carriedDefinition.js';
import { exportToFile } from '../../../src/core/interchange/exportFile.js';
import { formatOf, importServers, readAppFile } from '../../../src/core/interchange/importFile.js';

const files: Record<AppId, string> = {
  'claude-desktop': 'claude_desktop_config.json',
  'claude-code': 'claude.json',
  cursor: 'cursor.json',
  windsurf: 'windsurf_mcp_config.json',
  cline: 'cline_mcp_settings.json',
  roo: 'roo_mcp.json',
  continue: 'continue.yaml',
  zed: 'zed_settings.json',
  vscode: 'vscode_mcp.json',
};
const apps = Object.keys(files) as AppId[];
const fixture = (app: AppId) => readFileSync(`test/fixtures/hosts/${files[app]}`, 'utf8');
const known = { workspaceFolder: '/w/shop', userHome: '/home/me', pathSeparator: '/' };

/** Into our own file and read back from there, as the user has it. */
function throughOurs(servers: readonly CarriedServer[], inputs: unknown, losses: Loss[]): CarriedServer[] {
  const written = exportToFile(ownFormats.vscode, '', servers, known);
  losses.push(...written.losses);
  const source = { id: 's', kind: 'vscode', label: 'mcp.json', folderPath: '/w/shop' } as const;
  const { servers: parsed, problems } = parseConfigText(JSON.stringify({ ...(readJson(written.text) as object), inputs }), source);
  assert.deepEqual(problems.filter(({ severity }) => severity === 'error'), []);
  return parsed.map(({ name, definition, isDisabled }) => carriedDefinition({ name, definition, source, isEnabled: !isDisabled }));
}

/** Entries as an app means them: other spellings of one thing made alike. */
function meant(app: AppId, entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { transport, ...rest } = entry as Record<string, unknown>;
  let fields: Record<string, unknown> = app === 'cline' && typeof transport === 'object' && transport !== null ? { ...transport, ...rest } : { ...(entry) };
  const type = serverTypeOf(fields['type']);
  if (type !== undefined) fields['type'] = type;
  // Without a type that is what it is.
  if (fields['type'] === 'stdio' || (fields['type'] === 'http' && appFormats[app].types.http === undefined)) delete fields['type'];
  if (app === 'windsurf' && typeof fields['url'] === 'string' && (fields['serverUrl'] ?? undefined) === undefined && (type === undefined ? (fields['command'] ?? undefined) === undefined : type !== 'stdio')) fields = { ...fields, serverUrl: fields['url'], url: undefined };
  if (app === 'zed' && typeof fields['command'] === 'object' && fields['command'] !== null && !Array.isArray(fields['command'])) {
    const { path, args, env } = fields['command'] as Record<string, unknown>;
    fields = { ...fields, command: path, args: args ?? fields['args'], env: env ?? fields['env'] };
  }
  if (app === 'zed') delete fields['source'];
  // Either switch is enough, and Zed's own is written.
  if (app === 'zed' && fields['disabled'] === true) fields = { ...fields, disabled: undefined, enabled: false };
  // Switched on is what all are.
  if (fields['disabled'] === false) delete fields['disabled'];
  if (fields['enabled'] === true) delete fields['enabled'];
  return fields;
}

function missing(app: AppId, before: unknown, after: unknown, losses: readonly Loss[]): string[] {
  const from = meant(app, before);
  const to = meant(app, after);
  return leavesOf(from)
    .filter((leaf) => {
      const value = valueAt(from, leaf);
      const isEmpty = value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
      const same = JSON.stringify(value) === JSON.stringify(valueAt(to, leaf)) || ((typeof value === 'number' || typeof value === 'boolean') && String(value) === valueAt(to, leaf));
      const isNamed = losses.some(({ field }) => field === '' || leaf.join('.').startsWith(field));
      return !isEmpty && !same && !isNamed;
    })
    .map((leaf) => `${leaf.join('.')}: ${JSON.stringify(valueAt(from, leaf))} became ${JSON.stringify(valueAt(to, leaf))}`);
}

function roundTrip(app: AppId, text: string): string[] {
  const read = readAppFile(app, text);
  assert.ok('groups' in read, JSON.stringify(read));
  const format = formatOf(app, text);
  return read.groups.flatMap((group) => {
    const { servers, inputs, losses, unusable } = importServers(format, group);
    const all: Loss[] = [...losses];
    const exported = exportToFile(format, '', throughOurs(servers, inputs, all), known);
    all.push(...exported.losses);
    const back = readAppFile(app, exported.text);
    const after = 'groups' in back ? back.groups[0]?.servers : undefined;
    return group.servers
      .filter(({ name }) => !unusable.some((one) => one.name === name))
      .flatMap(({ name, raw }) => missing(app, raw, after?.find((one) => one.name === name)?.raw, all.filter(({ server }) => server === name)).map((line) => `${name}: ${line}`));
  });
}

for (const app of apps) {
  test(`the documented file of ${appFormats[app].title} loses nothing on the way through ours that the report does not name`, () => {
    assert.deepEqual(roundTrip(app, fixture(app)), []);
  });
}

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const text = fc.oneof(fc.string(), fc.constantFrom('${env:A}', '${B}', '${C:-d}', '${workspaceFolder}/x', '${{ secrets.K }}', '${input:i}', '${unknown}', 'x${', '${userHome}', '${}', 'plain'));
const anyField = fc.oneof(scalar, text, fc.array(text, { maxLength: 3 }), fc.dictionary(fc.string(), scalar, { maxKeys: 3 }));
const names = fc.constantFrom(...new Set(apps.flatMap((app) => appFormats[app].rules.map(({ theirs }) => theirs[0] ?? ''))), 'autoApprove', 'alwaysAllow', 'metadata', 'trust', 'toString', 'unknown');
const sensible = fc.record(
  {
    type: fc.constantFrom('stdio', 'http', 'sse', 'streamable-http', 'streamableHttp', 'odd'),
    command: text,
    args: fc.array(text, { maxLength: 3 }),
    env: fc.dictionary(fc.constantFrom('A', 'B_TOKEN', '__proto__'), fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
    url: fc.constantFrom('https://h.example/mcp', 'https://${env:HOST}/mcp', 'unix:///run/x.sock'),
    serverUrl: fc.constantFrom('https://s.example/mcp'),
    headers: fc.dictionary(fc.constantFrom('X-A', 'Authorization'), text, { maxKeys: 2 }),
    timeout: fc.oneof(fc.integer(), fc.integer({ min: 1, max: 100_000 }).map((tenths) => tenths / 10), fc.string()),
    disabled: fc.oneof(fc.boolean(), fc.string()),
    enabled: fc.oneof(fc.boolean(), fc.string()),
    auth: fc.record({ CLIENT_ID: text, scopes: fc.array(fc.string(), { maxLength: 2 }) }, { requiredKeys: [] }),
    requestOptions: fc.record({ headers: fc.dictionary(fc.constantFrom('X-A'), text), proxy: text }, { requiredKeys: [] }),
    apiKey: text,
    transport: fc.record({ type: fc.constantFrom('streamableHttp', 'sse'), url: fc.constantFrom('https://t.example/mcp') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const entry = fc.tuple(sensible, fc.dictionary(names, anyField, { maxKeys: 3 })).map(([fields, odd]) => ({ ...odd, ...fields }));
const serverName = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name.trim() !== '' && !/[\p{Cc}\p{Cf}]/u.test(name) && !['__proto__', 'constructor', 'prototype'].includes(name));

for (const app of apps) {
  test(`whatever a file of ${appFormats[app].title} holds, nothing is lost that the report does not name`, () => {
    const { key, syntax } = appFormats[app];
    fc.assert(
      fc.property(fc.dictionary(serverName, entry, { maxKeys: 3 }), (servers) => {
        const file = syntax === 'yaml' ? yamlText({ mcpServers: Object.entries(servers).map(([name, fields]) => ({ name, ...Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'name')) })) }) : JSON.stringify({ [key]: servers });
        assert.deepEqual(roundTrip(app, file), []);
      }),
      { numRuns: 300 },
    );
  });

  test(`export into a file of ${appFormats[app].title} keeps what it has besides, comments too`, () => {
    const before = fixture(app);
    const format = formatOf(app, before);
    const read = readAppFile(app, before);
    assert.ok('groups' in read);
    const [group] = read.groups;
    assert.ok(group);
    const { servers } = importServers(format, group);
    const { text: after } = exportToFile(format, before, servers, known, group.path);
    const valuesOf = (file: string) => (format.syntax === 'yaml' ? parseYaml(file) : readJson(file)) as unknown;
    const comments = (file: string) => [...file.matchAll(/(?:^|\s)(?:\/\/|#) .*$/gm)].map(([comment]) => comment.trim());
    assert.deepEqual({ gone: leavesOf(valuesOf(before)).filter((leaf) => valueAt(valuesOf(after), leaf) === undefined && valueAt(valuesOf(before), leaf) !== undefined).map((leaf) => leaf.join('.')), comments: comments(after) }, { gone: app === 'zed' ? ['context_servers.older.command.path', 'context_servers.older.command.args', 'context_servers.older.command.env.A'] : [], comments: comments(before) });
  });
}
