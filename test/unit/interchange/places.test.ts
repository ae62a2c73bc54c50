/** The configuration files of the apps on three systems, and the servers found there. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { AppPaths } from '../../../src/core/interchange/appFiles.js';
import { appPlaces, guessApp } from '../../../src/core/interchange/appFiles.js';
import type { AppId } from '../../../src/core/interchange/appFormats.js';
import { appFormats } from '../../../src/core/interchange/appFormats.js';
import { appFilesAt, readFoundFile } from '../../../src/core/interchange/foundApps.js';

/** The user's file locations by app, without those of the project. */
function userPlaces(
  surroundings: Partial<AppPaths> & Pick<AppPaths, 'platform' | 'userHome'>,
): Record<string, string[]> {
  const { files, folders } = appPlaces({ env: {}, folders: [], ...surroundings });
  const places: Record<string, string[]> = {};
  for (const { app, path: place } of [...files, ...folders]) (places[app] ??= []).push(place);
  return places;
}

const cline = 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
const roo = 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json';
const editors = ['Code', 'Code - Insiders', 'VSCodium'];

describe('the file locations of the user', () => {
  const posix = (home: string, config: string, zed: string, opencode = `${home}/.config`) => ({
    'claude-desktop': [`${config}/Claude/claude_desktop_config.json`],
    'claude-code': [`${home}/.claude.json`],
    cursor: [`${home}/.cursor/mcp.json`],
    windsurf: [`${home}/.codeium/windsurf/mcp_config.json`, `${home}/.codeium/mcp_config.json`],
    cline: [
      ...editors.map((name) => `${config}/${name}/User/${cline}`),
      `${home}/.cline/data/settings/cline_mcp_settings.json`,
      `${home}/.cline/mcp.json`,
    ],
    roo: editors.map((name) => `${config}/${name}/User/${roo}`),
    continue: [`${home}/.continue/config.yaml`, `${home}/.continue/mcpServers`],
    zed: [`${zed}/settings.json`],
    'copilot-cli': [`${home}/.copilot/mcp-config.json`],
    codex: [`${home}/.codex/config.toml`],
    gemini: [`${home}/.gemini/settings.json`],
    opencode: [`${opencode}/opencode/opencode.json`, `${opencode}/opencode/opencode.jsonc`],
    kiro: [`${home}/.kiro/settings/mcp.json`],
    junie: [`${home}/.junie/mcp/mcp.json`],
    vscode: editors.map((name) => `${config}/${name}/User/mcp.json`),
  });

  test('on Linux', () => {
    assert.deepEqual(
      userPlaces({ platform: 'linux', userHome: '/home/me' }),
      posix('/home/me', '/home/me/.config', '/home/me/.config/zed'),
    );
  });

  test('on Linux, with a custom configuration folder', () => {
    assert.deepEqual(
      userPlaces({ platform: 'linux', userHome: '/home/me', env: { XDG_CONFIG_HOME: '/conf' } }),
      posix('/home/me', '/conf', '/conf/zed', '/conf'),
    );
  });

  test('on macOS', () => {
    const home = '/Users/me';
    assert.deepEqual(
      userPlaces({ platform: 'darwin', userHome: home }),
      posix(home, `${home}/Library/Application Support`, `${home}/.config/zed`),
    );
  });

  test('on Windows', () => {
    const home = String.raw`C:\Users\me`;
    const roaming = String.raw`D:\Roaming`;
    const backslashes = (text: string) => text.replaceAll('/', '\\');
    const expected = {
      'claude-desktop': [String.raw`D:\Roaming\Claude\claude_desktop_config.json`],
      'claude-code': [String.raw`C:\Users\me\.claude.json`],
      cursor: [String.raw`C:\Users\me\.cursor\mcp.json`],
      windsurf: [
        String.raw`C:\Users\me\.codeium\windsurf\mcp_config.json`,
        String.raw`C:\Users\me\.codeium\mcp_config.json`,
      ],
      cline: [
        ...editors.map((name) => backslashes(`${roaming}/${name}/User/${cline}`)),
        String.raw`C:\Users\me\.cline\data\settings\cline_mcp_settings.json`,
        String.raw`C:\Users\me\.cline\mcp.json`,
      ],
      roo: editors.map((name) => backslashes(`${roaming}/${name}/User/${roo}`)),
      continue: [String.raw`C:\Users\me\.continue\config.yaml`, String.raw`C:\Users\me\.continue\mcpServers`],
      zed: [String.raw`D:\Roaming\Zed\settings.json`],
      'copilot-cli': [String.raw`C:\Users\me\.copilot\mcp-config.json`],
      codex: [String.raw`C:\Users\me\.codex\config.toml`],
      gemini: [String.raw`C:\Users\me\.gemini\settings.json`],
      opencode: ['opencode.json', 'opencode.jsonc'].map(
        (name) => String.raw`C:\Users\me\.config\opencode` + `\\${name}`,
      ),
      kiro: [String.raw`C:\Users\me\.kiro\settings\mcp.json`],
      junie: [String.raw`C:\Users\me\.junie\mcp\mcp.json`],
      vscode: editors.map((name) => backslashes(`${roaming}/${name}/User/mcp.json`)),
    };
    assert.deepEqual(userPlaces({ platform: 'win32', userHome: home, env: { APPDATA: roaming } }), expected);
    assert.deepEqual(userPlaces({ platform: 'win32', userHome: home })['claude-desktop'], [
      String.raw`C:\Users\me\AppData\Roaming\Claude\claude_desktop_config.json`,
    ]);
  });

  test('in this VS Code first, and in the configured folders of Cline, Copilot CLI and Codex', () => {
    const places = userPlaces({
      platform: 'linux',
      userHome: '/h',
      vsCodeUserFolder: '/portable/User',
      env: { CLINE_MCP_SETTINGS_PATH: '/x/cline.json' },
    });
    const agents = userPlaces({
      platform: 'linux',
      userHome: '/h',
      env: { COPILOT_HOME: '/copilot', CODEX_HOME: '/codex' },
    });
    assert.deepEqual([agents['copilot-cli'], agents['codex']], [['/copilot/mcp-config.json'], ['/codex/config.toml']]);
    assert.deepEqual(
      [places['vscode']?.[0], places['roo']?.[0], places['cline']?.includes('/x/cline.json')],
      ['/portable/User/mcp.json', `/portable/User/${roo}`, true],
    );
    const usual = userPlaces({ platform: 'linux', userHome: '/h', vsCodeUserFolder: '/h/.config/Code/User' });
    assert.deepEqual(
      usual['vscode'],
      editors.map((name) => `/h/.config/${name}/User/mcp.json`),
    );
  });
});

test('the file locations of each open folder', () => {
  const { files, folders } = appPlaces({ platform: 'linux', userHome: '/h', env: {}, folders: ['/w/a', '/w/b'] });
  const own = (folder: string) =>
    [...files, ...folders]
      .filter((file) => file.folder === folder)
      .map(({ app, path: place }) => [app, place.slice(folder.length)]);
  const expected = [
    ['cursor', '/.cursor/mcp.json'],
    ['roo', '/.roo/mcp.json'],
    ['zed', '/.zed/settings.json'],
    ['claude-code', '/.mcp.json'],
    ['codex', '/.codex/config.toml'],
    ['gemini', '/.gemini/settings.json'],
    ['opencode', '/opencode.json'],
    ['opencode', '/opencode.jsonc'],
    ['kiro', '/.kiro/settings/mcp.json'],
    ['junie', '/.junie/mcp/mcp.json'],
    ['vscode', '/.vscode/mcp.json'],
    ['continue', '/.continue/mcpServers'],
  ];
  assert.deepEqual([own('/w/a'), own('/w/b')], [expected, expected]);
});

describe('a home folder with the files of all apps', () => {
  let home: string;
  let project: string;
  const fixtures: readonly (readonly [AppId, string, readonly string[]])[] = [
    ['claude-desktop', 'claude_desktop_config.json', ['.config', 'Claude', 'claude_desktop_config.json']],
    ['claude-code', 'claude.json', ['.claude.json']],
    ['cursor', 'cursor.json', ['.cursor', 'mcp.json']],
    ['windsurf', 'windsurf_mcp_config.json', ['.codeium', 'windsurf', 'mcp_config.json']],
    ['cline', 'cline_mcp_settings.json', ['.config', 'Code', 'User', ...cline.split('/')]],
    ['roo', 'roo_mcp.json', ['.config', 'Code', 'User', ...roo.split('/')]],
    ['continue', 'continue.yaml', ['.continue', 'mcpServers', 'team.yaml']],
    ['continue', 'continue.json', ['.continue', 'mcpServers', 'other.json']],
    ['zed', 'zed_settings.json', ['.config', 'zed', 'settings.json']],
    ['vscode', 'vscode_mcp.json', ['.config', 'Code', 'User', 'mcp.json']],
    ['copilot-cli', 'copilot_mcp-config.json', ['.copilot', 'mcp-config.json']],
    ['codex', 'codex_config.toml', ['.codex', 'config.toml']],
    ['gemini', 'gemini_settings.json', ['.gemini', 'settings.json']],
    ['opencode', 'opencode.jsonc', ['.config', 'opencode', 'opencode.jsonc']],
    ['kiro', 'kiro_mcp.json', ['.kiro', 'settings', 'mcp.json']],
    ['junie', 'junie_mcp.json', ['.junie', 'mcp', 'mcp.json']],
  ];

  const copy = async (file: string, to: string) => {
    await mkdir(path.dirname(to), { recursive: true });
    await copyFile(path.join('test', 'fixtures', 'hosts', file), to);
  };

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'home-'));
    project = path.join(home, 'project');
    for (const [, file, place] of fixtures) await copy(file, path.join(home, ...place));
    await copy('roo_mcp.json', path.join(project, '.roo', 'mcp.json'));
    await copy('continue.yaml', path.join(project, '.continue', 'mcpServers', 'a.yml'));
    await writeFile(path.join(home, '.continue', 'mcpServers', 'notes.txt'), 'no servers');
    await writeFile(path.join(home, '.codeium', 'mcp_config.json'), '{ "mcpServers": ');
  });
  after(() => rm(home, { recursive: true, force: true }));

  const found = async () =>
    (
      await Promise.all(
        (await appFilesAt({ platform: 'linux', userHome: home, env: {}, folders: [project] })).map(readFoundFile),
      )
    ).flat();

  test('shows the servers of each, those of a project separately, and unreadable files with the reason', async () => {
    const lines = (await found()).map((one) => {
      const where = path.relative(home, one.file.path);
      return 'problem' in one
        ? `${one.title} ${where}: ${one.problem}`
        : `${one.title} ${where}${one.group.project === undefined ? '' : ` of ${one.group.project}`}: ${one.imported.servers.map(({ name }) => name).join(' ')}`;
    });
    assert.deepEqual(lines.sort(), [
      'Claude Code .claude.json of /home/me/shop: db tracker',
      'Claude Code .claude.json of C:\\work\\site: db',
      'Claude Code .claude.json: github live',
      'Claude Desktop .config/Claude/claude_desktop_config.json: filesystem weather',
      `Cline .config/Code/User/${cline}: local hosted old new`,
      'Codex .codex/config.toml: files with.dot',
      'Continue .continue/mcpServers/other.json: sqlite search',
      'Continue .continue/mcpServers/team.yaml: SQLite Search',
      'Continue project/.continue/mcpServers/a.yml: SQLite Search',
      'Cursor .cursor/mcp.json: everything docs crm',
      'Gemini CLI .gemini/settings.json: python http events',
      'GitHub Copilot CLI .copilot/mcp-config.json: local some http',
      'JetBrains Junie .junie/mcp/mcp.json: files',
      'Kiro .kiro/settings/mcp.json: local remote',
      `Roo Code .config/Code/User/${roo}: builder remote`,
      'Roo Code project/.roo/mcp.json: builder remote',
      'VS Code .config/Code/User/mcp.json: perplexity fetch github socket',
      'Windsurf .codeium/mcp_config.json: The file is not valid JSON.',
      'Windsurf .codeium/windsurf/mcp_config.json: figma postgres',
      'Zed .config/zed/settings.json: local remote signed-in older',
      'opencode .config/opencode/opencode.jsonc: local remote',
    ]);
    assert.deepEqual(
      (await found()).filter(({ file }) => file.folder !== undefined).map(({ file }) => file.folder),
      [project, project],
    );
  });

  test('names the app of each file by its location alone', async () => {
    const all = await found();
    assert.deepEqual(
      all.map(({ file }) => guessApp(file.path)),
      all.map(({ file }) => file.app),
    );
    assert.deepEqual(new Set(all.map(({ file }) => file.app)), new Set(Object.keys(appFormats)));
  });

  test('is empty without any of these files', async () => {
    const files = await appFilesAt({
      platform: 'linux',
      userHome: path.join(home, 'nobody'),
      env: {},
      folders: [path.join(home, 'nowhere')],
    });
    assert.deepEqual((await Promise.all(files.map(readFoundFile))).flat(), []);
  });
});
