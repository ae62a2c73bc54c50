/** Import and export keep everything except for what the report names, and keep other content of a file. */
import assert from 'node:assert/strict';
import { valueAt } from '../../../src/core/base/guards.js';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse as parseYaml, stringify as yamlText } from 'yaml';
import { readJson } from '../../../src/core/config/jsonEdit.js';
import { parseConfigValue, parseConfigText } from '../../../src/core/config/parseConfig.js';
import { serverTypeOf } from '../../../src/core/config/fieldNames.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import type { AppFormat, AppId, OwnFile } from '../../../src/core/interchange/appFormats.js';
import { appFormats, ownFormats } from '../../../src/core/interchange/appFormats.js';
import type { PortableServer, Loss } from '../../../src/core/interchange/portableServer.js';
import { leavesOf } from '../../../src/core/interchange/portableServer.js';
import { readToml, withTomlTable } from '../../../src/core/config/toml.js';
import { portableDefinition } from '../../../src/core/interchange/portableDefinition.js';
import { exportToFile } from '../../../src/core/interchange/exportFile.js';
import { formatOf, importServers, readAppFile } from '../../../src/core/interchange/importFile.js';

/** For each file, the expected import and report are in `expected/`, written from the documentation. */
const files: readonly (readonly [AppId, string])[] = [
  ['claude-desktop', 'claude_desktop_config.json'],
  ['claude-code', 'claude.json'],
  ['cursor', 'cursor.json'],
  ['windsurf', 'windsurf_mcp_config.json'],
  ['cline', 'cline_mcp_settings.json'],
  ['roo', 'roo_mcp.json'],
  ['continue', 'continue.yaml'],
  ['continue', 'continue.json'],
  ['zed', 'zed_settings.json'],
  ['vscode', 'vscode_mcp.json'],
  ['copilot-cli', 'copilot_mcp-config.json'],
  ['codex', 'codex_config.toml'],
  ['gemini', 'gemini_settings.json'],
  ['opencode', 'opencode.jsonc'],
  ['kiro', 'kiro_mcp.json'],
  ['junie', 'junie_mcp.json'],
];
const apps = Object.keys(appFormats) as AppId[];
const ownFiles: readonly OwnFile[] = ['user', 'vscode', 'portable'];
const fixture = (file: string) => readFileSync(`test/fixtures/hosts/${file}`, 'utf8');
const known = { workspaceFolder: '/w/shop', userHome: '/home/me', pathSeparator: '/' };

/** Writes a server into one of our own files and reads it back, as the user would. */
function throughOurs(
  kind: OwnFile,
  servers: readonly PortableServer[],
  inputs: unknown,
  losses: Loss[],
): PortableServer[] {
  const format = ownFormats[kind];
  const written = exportToFile(format, '', servers, known);
  losses.push(...written.losses);
  const source: ConfigSource = {
    id: 's',
    kind,
    label: 'a file',
    ...(kind === 'user' ? {} : { folderPath: '/w/shop' }),
  };
  const content = readJson(written.text) as Record<string, unknown>;
  const { servers: parsed, problems } =
    kind === 'user'
      ? parseConfigValue(content[format.key] ?? {}, source, inputs)
      : parseConfigText(JSON.stringify({ ...content, ...(kind === 'vscode' ? { inputs } : {}) }), source);
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  return parsed.map(({ name, definition, isDisabled }) =>
    portableDefinition({ name, definition, source, isEnabled: !isDisabled }),
  );
}

/** The app's name for one of our fields. */
function theirName(format: AppFormat, field: string): string {
  const parts = field.split('.');
  const rule = format.rules.find(
    ({ ours, isReadOnly }) => !isReadOnly && ours.length > 0 && ours.every((part, index) => part === parts[index]),
  );
  return rule ? [...rule.theirs, ...parts.slice(rule.ours.length)].join('.') : field;
}

/** Entries with equivalent notations normalized. */
function meant(app: AppId, entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  let fields = split(app, entry as Record<string, unknown>);
  const type = serverTypeOf(fields['type']);
  if (type !== undefined) fields['type'] = type;
  // Without a type, this is the type. opencode has one type for all remote servers.
  if (
    fields['type'] === 'stdio' ||
    (app === 'opencode' && type !== undefined) ||
    (fields['type'] === 'http' && appFormats[app].types.http === undefined)
  )
    delete fields['type'];
  if (
    app === 'windsurf' &&
    typeof fields['url'] === 'string' &&
    (fields['serverUrl'] ?? undefined) === undefined &&
    (type === undefined ? (fields['command'] ?? undefined) === undefined : type !== 'stdio')
  )
    fields = { ...fields, serverUrl: fields['url'], url: undefined };
  if (
    app === 'zed' &&
    typeof fields['command'] === 'object' &&
    fields['command'] !== null &&
    !Array.isArray(fields['command'])
  ) {
    const { path, args, env } = fields['command'] as Record<string, unknown>;
    fields = { ...fields, command: path, args: args ?? fields['args'], env: env ?? fields['env'] };
  }
  if (app === 'zed') delete fields['source'];
  // Either switch is enough, and the app's own is written.
  if (appFormats[app].rules.some(({ theirs }) => theirs[0] === 'enabled') && fields['disabled'] === true)
    fields = { ...fields, disabled: undefined, enabled: false };
  // The list of disabled tools has another name in the app, which is written.
  const list = appFormats[app].rules.find(({ ours }) => ours[0] === 'disabledTools')?.theirs[0];
  if (
    list !== undefined &&
    list !== 'disabledTools' &&
    fields[list] === undefined &&
    fields['disabledTools'] !== undefined
  )
    fields = { ...fields, disabledTools: undefined, [list]: fields['disabledTools'] };
  // Enabled is the default.
  if (fields['disabled'] === false) delete fields['disabled'];
  if (fields['enabled'] === true) delete fields['enabled'];
  return fields;
}

function missing(app: AppId, before: unknown, after: unknown, named: ReadonlySet<string>): string[] {
  const from = meant(app, before);
  const to = meant(app, after);
  return [...leavesOf(from)]
    .filter((leaf) => {
      const value = valueAt(from, leaf);
      const isEmpty =
        value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
      const same =
        JSON.stringify(value) === JSON.stringify(valueAt(to, leaf)) ||
        ((typeof value === 'number' || typeof value === 'boolean') && String(value) === valueAt(to, leaf));
      // A loss names the field or a parent of it; without a field it means the whole server, which must then be absent.
      const isNamed =
        leaf.some((_, index) => named.has(leaf.slice(0, index + 1).join('.'))) ||
        (named.has('') && after === undefined);
      return !isEmpty && !same && !isNamed;
    })
    .map(
      (leaf) => `${leaf.join('.')}: ${JSON.stringify(valueAt(from, leaf))} became ${JSON.stringify(valueAt(to, leaf))}`,
    );
}

/** Losses without a report, and reports without a loss. */
function roundTrip(app: AppId, text: string, kind: OwnFile): string[] {
  const read = readAppFile(app, text);
  assert.ok('groups' in read, JSON.stringify(read));
  const format = formatOf(app, text);
  return read.groups.flatMap((group) => {
    const { servers, inputs, losses, unusable } = importServers(format, group);
    const later: Loss[] = [];
    const exported = exportToFile(format, '', throughOurs(kind, servers, inputs, later), known);
    later.push(...exported.losses);
    const back = readAppFile(app, exported.text);
    const after = 'groups' in back ? back.groups[0]?.servers : undefined;
    return group.servers
      .filter(({ name }) => !unusable.some((one) => one.name === name))
      .flatMap(({ name, raw }) => {
        const named = losses.filter(({ server }) => server === name).map(({ field }) => field);
        const namedLater = later.filter(({ server }) => server === name).map(({ field }) => theirName(format, field));
        const lost = missing(
          app,
          raw,
          after?.find((one) => one.name === name)?.raw,
          new Set([...named, ...namedLater]),
        );
        const written = [...leavesOf(split(app, raw as Record<string, unknown>))].map((leaf) => leaf.join('.'));
        const invented = named.filter(
          (field) => !written.some((leaf) => leaf === field || leaf.startsWith(`${field}.`)),
        );
        return [
          ...lost.map((line) => `${name}: ${line}`),
          ...invented.map((field) => `${name}: ${field} is named and was not there`),
        ];
      });
  });
}

function split(app: AppId, entry: Record<string, unknown>): Record<string, unknown> {
  return appFormats[app].split?.(entry) ?? { ...entry };
}

/** The complete import, in the order of the file. */
function importedFrom(app: AppId, text: string): unknown {
  const read = readAppFile(app, text);
  assert.ok('groups' in read, JSON.stringify(read));
  return read.groups.map((group) => {
    const { servers, inputs, losses, unusable } = importServers(formatOf(app, text), group);
    return {
      ...(group.project === undefined ? {} : { project: group.project }),
      servers: Object.fromEntries(servers.map(({ name, fields }) => [name, fields])),
      inputs,
      losses: losses.map(({ server, field, message }) => `${server}: ${field}: ${message}`),
      unusable: unusable.map(({ name, reason }) => `${name}: ${reason}`),
    };
  });
}

for (const [app, file] of files) {
  test(`the import of ${file} gives exactly these definitions and this report`, () => {
    const expected = JSON.parse(
      fixture(`expected/${file.replace(/\.\w+$/, '')}${file.endsWith('.yaml') ? '_yaml' : ''}.json`),
    ) as { imported: unknown };
    assert.deepEqual(importedFrom(app, fixture(file)), expected.imported);
  });

  for (const kind of ownFiles) {
    test(`${file} loses nothing in a round trip through ${kind === 'user' ? 'the user settings' : ownFormats[kind].key === 'servers' ? 'our file' : '.mcp.json'} that the report does not name`, () => {
      assert.deepEqual(roundTrip(app, fixture(file), kind), []);
    });
  }
}

const parsed = (format: AppFormat, content: string): unknown =>
  format.syntax === 'yaml' ? parseYaml(content) : format.syntax === 'toml' ? readToml(content) : readJson(content);

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '${env:A}',
    '${B}',
    '${C:-d}',
    '${workspaceFolder}/x',
    '${{ secrets.K }}',
    '${input:i}',
    '${unknown}',
    'x${',
    '${userHome}',
    '${}',
    'plain',
  ),
);
const anyField = fc.oneof(
  scalar,
  text,
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.string(), scalar, { maxKeys: 3 }),
);
const names = fc.constantFrom(
  ...new Set(apps.flatMap((app) => appFormats[app].rules.map(({ theirs }) => theirs[0] ?? ''))),
  'autoApprove',
  'alwaysAllow',
  'metadata',
  'trust',
  'toString',
  'unknown',
);
const sensible = fc.record(
  {
    type: fc.constantFrom('stdio', 'http', 'sse', 'ws', 'socket', 'streamable-http', 'streamableHttp', 'odd'),
    command: text,
    args: fc.array(text, { maxLength: 3 }),
    env: fc.dictionary(fc.constantFrom('A', 'B_TOKEN', '__proto__'), fc.oneof(text, fc.integer(), fc.constant(null)), {
      maxKeys: 3,
    }),
    url: fc.constantFrom(
      'https://h.example/mcp',
      'wss://h.example/mcp',
      'https://${env:HOST}/mcp',
      'unix:///run/x.sock',
    ),
    serverUrl: fc.constantFrom('https://s.example/mcp'),
    headers: fc.dictionary(fc.constantFrom('X-A', 'Authorization'), text, { maxKeys: 2 }),
    timeout: fc.oneof(
      fc.integer(),
      fc.integer({ min: 1, max: 100_000 }).map((tenths) => tenths / 10),
      fc.string(),
    ),
    disabled: fc.oneof(fc.boolean(), fc.string()),
    enabled: fc.oneof(fc.boolean(), fc.string()),
    oauth: fc.record(
      {
        clientId: text,
        client_id: text,
        client_secret: text,
        scopes: fc.oneof(fc.constantFrom('a b', 'a', ' a', ''), fc.array(fc.constantFrom('a', 'b'))),
        callbackPort: fc.constantFrom(8080, 0, 70_000, '1'),
      },
      { requiredKeys: [] },
    ),
    auth: fc.record({ CLIENT_ID: text, scopes: fc.array(fc.string(), { maxLength: 2 }) }, { requiredKeys: [] }),
    requestOptions: fc.record(
      { headers: fc.dictionary(fc.constantFrom('X-A'), text), proxy: text },
      { requiredKeys: [] },
    ),
    apiKey: text,
    transport: fc.record(
      { type: fc.constantFrom('streamableHttp', 'sse'), url: fc.constantFrom('https://t.example/mcp') },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const entry = fc
  .tuple(sensible, fc.dictionary(names, anyField, { maxKeys: 3 }))
  .map(([fields, odd]) => ({ ...odd, ...fields }));
const serverName = fc
  .string({ minLength: 1, maxLength: 12 })
  .filter(
    (name) =>
      name.trim() !== '' && !/[\p{Cc}\p{Cf}]/u.test(name) && !['__proto__', 'constructor', 'prototype'].includes(name),
  );

for (const app of apps) {
  test(`for any file of ${appFormats[app].title}, the report names everything that is lost`, () => {
    const { key, syntax } = appFormats[app];
    fc.assert(
      fc.property(fc.dictionary(serverName, entry, { maxKeys: 3 }), fc.constantFrom(...ownFiles), (servers, kind) => {
        const file =
          syntax === 'yaml'
            ? yamlText({
                mcpServers: Object.entries(servers).map(([name, fields]) => ({
                  name,
                  ...Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'name')),
                })),
              })
            : syntax === 'toml'
              ? Object.entries(servers).reduce((toml, [name, fields]) => withTomlTable(toml, [key, name], fields), '')
              : JSON.stringify({ [key]: servers });
        assert.deepEqual(roundTrip(app, file, kind), []);
      }),
      { numRuns: 300 },
    );
  });
}

for (const [app, file] of files) {
  const before = fixture(file);
  const read = readAppFile(app, before);
  assert.ok('groups' in read);
  for (const group of read.groups) {
    test(`export into ${file}${group.project === undefined ? '' : `, of ${group.project},`} keeps its other content, including comments`, () => {
      const format = formatOf(app, before);
      const { servers } = importServers(format, group);
      const { text: after } = exportToFile(format, before, servers, known, group.path);
      const valuesOf = (text: string) => parsed(format, text);
      const comments = (text: string) =>
        [...text.matchAll(/(?:^|\s)(?:\/\/|#) .*$/gm)].map(([comment]) => comment.trim());
      const gone = [...leavesOf(valuesOf(before))].filter(
        (leaf) => valueAt(valuesOf(after), leaf) === undefined && valueAt(valuesOf(before), leaf) !== undefined,
      );
      const others = [...leavesOf(valuesOf(before))].filter(
        (leaf) => !group.path.every((part, index) => part === leaf[index]),
      );
      assert.deepEqual(
        others.map((leaf) => [leaf, valueAt(valuesOf(after), leaf)]),
        others.map((leaf) => [leaf, valueAt(valuesOf(before), leaf)]),
      );
      // Zed's older shape is written in the newer one.
      assert.deepEqual(
        { gone: gone.map((leaf) => leaf.join('.')), comments: comments(after) },
        {
          gone: app === 'zed' ? ['path', 'args', 'env.A'].map((name) => `context_servers.older.command.${name}`) : [],
          comments: comments(before),
        },
      );
    });
  }
}
