import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { valueAt } from '../../../src/core/base/guards.js';
import { readJson } from '../../../src/core/config/jsonEdit.js';
import { readToml } from '../../../src/core/config/toml.js';
import {
  agentFile,
  agentIds,
  changedLines,
  doorName,
  isConnected,
  withDoor,
  withoutDoor,
} from '../../../src/core/interchange/agentDoor.js';
import { appPlaces } from '../../../src/core/interchange/appFiles.js';
import type { AppId } from '../../../src/core/interchange/appFormats.js';
import { appFormats } from '../../../src/core/interchange/appFormats.js';

const door = { command: '/home/me/code/global storage/door/mcp-deck-door', args: [] };
const plain = { command: door.command };
const windows = { command: 'cmd', args: ['/c', 'C:\\Users\\me\\door\\mcp-deck-door.cmd'] };
const fixtures: Partial<Record<AppId, string>> = {
  'claude-desktop': 'claude_desktop_config.json',
  'claude-code': 'claude.json',
  cursor: 'cursor.json',
  windsurf: 'windsurf_mcp_config.json',
  cline: 'cline_mcp_settings.json',
  roo: 'roo_mcp.json',
  continue: 'continue.yaml',
  zed: 'zed_settings.json',
  'copilot-cli': 'copilot_mcp-config.json',
  codex: 'codex_config.toml',
  gemini: 'gemini_settings.json',
  opencode: 'opencode.jsonc',
  kiro: 'kiro_mcp.json',
  junie: 'junie_mcp.json',
};
const entries: Partial<Record<AppId, unknown>> = {
  'claude-desktop': { ...plain, args: ['--agent', 'claude-desktop', '--any-window'] },
  'claude-code': { type: 'stdio', ...plain, args: ['--agent', 'claude-code'] },
  cursor: { type: 'stdio', ...plain, args: ['--agent', 'cursor', '--folder', '${workspaceFolder}'] },
  windsurf: { ...plain, args: ['--agent', 'windsurf', '--any-window'] },
  cline: { type: 'stdio', ...plain, args: ['--agent', 'cline', '--any-window'] },
  roo: { type: 'stdio', ...plain, args: ['--agent', 'roo', '--folder', '${workspaceFolder}', '--any-window'] },
  continue: { name: doorName, type: 'stdio', ...plain, args: ['--agent', 'continue', '--any-window'] },
  zed: { ...plain, args: ['--agent', 'zed', '--any-window'] },
  'copilot-cli': { type: 'local', tools: ['*'], ...plain, args: ['--agent', 'copilot-cli'] },
  codex: { ...plain, args: ['--agent', 'codex'] },
  gemini: { ...plain, args: ['--agent', 'gemini'] },
  opencode: { type: 'local', command: [door.command, '--agent', 'opencode'] },
  kiro: { ...plain, args: ['--agent', 'kiro', '--any-window'] },
  junie: { ...plain, args: ['--agent', 'junie', '--any-window'] },
};
const fixture = (app: AppId) => readFileSync(`test/fixtures/hosts/${fixtures[app] ?? assert.fail(app)}`, 'utf8');

function valueOf(app: AppId, text: string): unknown {
  const { syntax } = appFormats[app];
  return syntax === 'yaml' ? parseYaml(text) : syntax === 'toml' ? readToml(text) : readJson(text);
}

function entryIn(app: AppId, text: string): unknown {
  const servers = valueAt(valueOf(app, text), [appFormats[app].key]);
  return Array.isArray(servers)
    ? servers.find((one: { name: string }) => one.name === doorName)
    : valueAt(servers, [doorName]);
}

test('every agent has an expected entry', () => {
  assert.deepEqual(Object.keys(entries).sort(), [...agentIds].sort());
});

for (const app of agentIds) {
  test(`the door is connected to ${appFormats[app].title}, and removed again without a trace`, () => {
    const before = fixture(app);
    assert.equal(isConnected(app, before), false);
    const after = withDoor(app, before, door);
    assert.deepEqual(entryIn(app, after), entries[app]);
    assert.equal(isConnected(app, after), true);
    const removed = withoutDoor(app, after);
    assert.equal(isConnected(app, removed), false);
    assert.deepEqual(valueOf(app, removed), valueOf(app, before));
    const comments = (text: string) =>
      [...text.matchAll(/(?:^|\s)(?:\/\/|#) .*$/gm)].map(([comment]) => comment.trim());
    assert.deepEqual(comments(after), comments(before));
    assert.deepEqual(comments(removed), comments(before));
    if (appFormats[app].syntax !== 'yaml') {
      const kept = before.split('\n').filter((line) => !after.includes(line.replace(/,?\r?$/, '')));
      assert.deepEqual(kept, [], 'lines of other entries are not rewritten');
    }
  });

  test(`the door is connected to ${appFormats[app].title} in a new file, and on Windows`, () => {
    assert.deepEqual(entryIn(app, withDoor(app, '', door)), entries[app]);
    const text = withDoor(app, '', windows);
    assert.ok(text.includes('mcp-deck-door.cmd'));
    assert.equal(isConnected(app, text), true);
    assert.equal(isConnected(app, withoutDoor(app, text)), false);
  });

  test(`a file of ${appFormats[app].title} that is not valid is not changed`, () => {
    const broken = appFormats[app].syntax === 'json' ? '{ "mcpServers": ' : 'a: [b\nc = "';
    assert.throws(() => withDoor(app, broken, door), /not valid/);
    assert.throws(() => withoutDoor(app, broken), /not valid/);
    assert.equal(isConnected(app, broken), false);
  });
}

test('an entry with an address and a token becomes the entry of the door', () => {
  const before = JSON.stringify({
    mcpServers: { [doorName]: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer x' } } },
  });
  for (const app of ['claude-code', 'cursor', 'kiro'] as const)
    assert.deepEqual(entryIn(app, withDoor(app, before, door)), entries[app]);
});

test('the second version of the file of opencode is written in its own place', () => {
  const before = '{\n  // mine\n  "mcp": { "servers": { "a": { "type": "local", "command": ["a"] } } }\n}\n';
  const after = withDoor('opencode', before, door);
  assert.deepEqual(valueAt(readJson(after), ['mcp', 'servers', doorName]), entries.opencode);
  assert.deepEqual(readJson(withoutDoor('opencode', after)), readJson(before));
});

test('the file of an agent is the first that exists, and Continue keeps its models', () => {
  const { files } = appPlaces({ platform: 'linux', userHome: '/h', env: {}, folders: ['/w'] });
  const fileOf = (app: AppId, ...there: string[]) => agentFile(app, files, (file) => there.includes(file));
  assert.equal(fileOf('cursor', '/w/.cursor/mcp.json'), '/h/.cursor/mcp.json');
  assert.equal(fileOf('opencode', '/h/.config/opencode/opencode.jsonc'), '/h/.config/opencode/opencode.jsonc');
  assert.equal(fileOf('opencode'), '/h/.config/opencode/opencode.json');
  assert.equal(fileOf('continue'), '/h/.continue/mcpServers/mcp-deck.yaml');
  assert.equal(fileOf('continue', '/h/.continue/config.yaml'), '/h/.continue/config.yaml');
  assert.equal(fileOf('cline', '/h/.cline/mcp.json'), '/h/.cline/mcp.json');
});

test('the shown change of a JSON file is the entry, without the comma before it', () => {
  const before = '{\n  "mcpServers": {\n    "a": {\n      "command": "a"\n    }\n  }\n}\n';
  const after = withDoor('claude-code', before, door);
  const shown = changedLines(before, after).split('\n');
  assert.equal(shown[0], '+     "mcp-deck": {');
  assert.equal(shown.at(-1), '+     }');
  assert.deepEqual(
    changedLines(after, withoutDoor('claude-code', after)).split('\n'),
    shown.map((line) => line.replace('+', '-')),
  );
});

test('the shown change is exactly the changed lines, without empty lines around them', () => {
  assert.equal(changedLines('m = 1\n', 'm = 1\n\n[a]\nb = 2\n'), '+ [a]\n+ b = 2');
  assert.equal(changedLines('{ "a": 1 }', '{ "a": 2 }'), '- { "a": 1 }\n+ { "a": 2 }');
  assert.equal(changedLines('a\nb\nc\n', 'a\nx\ny\nc\n'), '- b\n+ x\n+ y');
  assert.equal(changedLines('', 'a\n'), '+ a');
  assert.equal(changedLines('a\na\n', 'a\n'), '- a');
  assert.equal(changedLines('', 'l\n'.repeat(50)).split('\n').length, 31);
});

test('an app that would replace a part of the path of the program is not connected', () => {
  const unusual = { command: '/home/a$b/mcp-deck-door', args: [] };
  for (const app of ['gemini', 'copilot-cli', 'kiro'] as const)
    assert.throws(() => withDoor(app, '', unusual), /would replace a part of the path \/home\/a\$b\/mcp-deck-door/);
  assert.match(withDoor('codex', '', unusual), /a\$b/);
});
