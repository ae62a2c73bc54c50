import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { InterchangeReport } from '../../../src/core/present/documents/interchangeReport.js';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerModals, pressing } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  defineServers,
  failureOf,
  findServer,
  oddServer,
  stateOf,
  textOf,
  until,
} from '../support/host.js';

const vscodeFile = new WorkspaceFile('.vscode/mcp.json');
const portableFile = new WorkspaceFile('.mcp.json');

let folder: string;
const settings = () => vscode.workspace.getConfiguration();
const userValue = (key: string): unknown => settings().inspect(key)?.globalValue;

async function cursorFile(servers: object): Promise<string> {
  const file = path.join(folder, '.cursor', 'mcp.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

/** An import that the user approves. */
async function imported(argument: object): Promise<InterchangeReport> {
  const dialogs = answerModals(({ buttons }) =>
    buttons.find((button) => button === 'Add to User Settings' || button === 'Import Servers'),
  );
  try {
    return await command<InterchangeReport>('mcpDeck.importServers', argument);
  } finally {
    dialogs.restore();
  }
}

suite('servers of other apps', () => {
  let servers: unknown;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'manage-'));
    servers = userValue('mcpDeck.servers');
  });
  afterEach(async () => {
    await settings().update('mcpDeck.servers', servers, vscode.ConfigurationTarget.Global);
    await settings().update('mcpDeck.inputs', undefined, vscode.ConfigurationTarget.Global);
    await vscodeFile.restore();
    await portableFile.restore();
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('a Cursor file is imported into the user settings, starts nothing, and its secret reaches only the server', async () => {
    const secret = 'tok_hunter2hunter2hunter2';
    const file = await cursorFile({
      imported: oddServer('environment', { env: { IMPORTED_TOKEN: secret }, autoApprove: ['x'] }),
    });
    const report = await imported({ file, to: 'user' });
    await until('the server is there', () => findServer('imported'));
    assert.deepEqual(
      {
        servers: report.servers,
        fields: report.losses.map(({ field }) => field),
        state: await stateOf('imported'),
        plain: JSON.stringify([userValue('mcpDeck.servers'), userValue('mcpDeck.inputs'), report]).includes('hunter2'),
      },
      { servers: ['imported'], fields: ['autoApprove', 'cwd'], state: 'stopped', plain: false },
    );
    // Asks no question: the value was stored.
    const seen = textOf(await command('mcpDeck.runTool', { server: 'imported', tool: 'environment', arguments: {} }));
    assert.ok(seen.includes(secret), seen);
    await command('mcpDeck.stopServer', { server: 'imported' });
    // Otherwise it remains after its server is removed.
    await pressing('Forget', () => command('mcpDeck.manageStoredValues', { server: 'imported', forget: true }));
  });

  test('[C2] the effect of a start is shown in full before a server is written into the user settings, for scripts too', async () => {
    const long = 'x'.repeat(3_000);
    const file = await cursorFile({
      shown: { command: 'bash', args: ['-c', `echo ${long}`], env: { A_NAME: 'its-value' } },
    });
    const dialogs = answerModals(() => undefined);
    try {
      assert.equal((await failureOf(command('mcpDeck.importServers', { file, to: 'user' }))).message, 'Canceled');
    } finally {
      dialogs.restore();
    }
    const [asked] = dialogs.asked;
    assert.equal(asked?.message, 'Add the server "shown" to your user settings?');
    assert.deepEqual(
      [
        '    bash',
        `    echo ${long}`,
        '    A_NAME',
        `    ${os.homedir()}`,
        'shell script',
        'start without asking you again',
      ].filter((part) => !asked.detail.replaceAll('\u00a0', ' ').includes(part)),
      [],
    );
    assert.equal(asked.detail.includes('its-value'), true);
    assert.notEqual(asked.buttons[0], 'Add to User Settings');
    assert.equal(Object.hasOwn(userValue('mcpDeck.servers') as object, 'shown'), false);
  });

  test('[C2, C20] servers of the workspace are written nowhere unless requested', async () => {
    const brought = new WorkspaceFile('.cursor/mcp.json');
    const dialogs = answerModals(() => 'Add to User Settings');
    const original = vscode.window.showQuickPick;
    const places: string[] = [];
    vscode.window.showQuickPick = ((
      items: vscode.QuickPickItem[],
      { placeHolder = '', canPickMany = false }: vscode.QuickPickOptions = {},
    ) => {
      if (placeHolder.startsWith('Where')) places.push(...items.map(({ label }) => label));
      const wanted = items.find(({ detail }) => detail?.endsWith('.cursor/mcp.json')) ?? items[0];
      return Promise.resolve(canPickMany ? items : wanted);
    }) as unknown as typeof original;
    try {
      await vscodeFile.write({ servers: {} });
      await brought.write({ mcpServers: { brought: { command: 'node', args: ['x.js'] } } });
      await imported({ file: brought.path });
      assert.equal((await readFile(vscodeFile.path, 'utf8')).includes('"brought"'), true);
      await vscode.commands.executeCommand('mcpDeck.importServers');
      assert.deepEqual([places.at(0)?.includes('mcp.json'), places.at(-1)], [true, 'User settings']);
      assert.deepEqual(dialogs.asked, []);
      // Any program can accept the rows of lists, so that a new server is not written without a question.
      await brought.write({ mcpServers: { another: { command: 'node', env: { API_TOKEN: 'tok_hunter2hunter2' } } } });
      await Promise.resolve(vscode.commands.executeCommand('mcpDeck.importServers')).catch(() => undefined);
      assert.deepEqual(
        dialogs.asked.map(({ message }) => /^Write another to .*mcp\.json\?$/.test(message)),
        [true],
      );
      assert.equal((await readFile(vscodeFile.path, 'utf8')).includes('"another"'), false);
    } finally {
      vscode.window.showQuickPick = original;
      dialogs.restore();
      await brought.restore();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  test('[C20, C22] an import by arguments asks with names, both files and the secrets that stay readable, before it writes', async () => {
    const secret = 'tok_hunter2hunter2hunter2';
    const file = await cursorFile({
      first: { command: 'node', env: { API_TOKEN: secret } },
      second: { command: 'node', args: ['x.js'] },
    });
    for (const [to, target] of [
      ['portable', portableFile],
      ['vscode', vscodeFile],
    ] as const) {
      await target.write('{}');
      const refused = await pressing('Cancel', () =>
        failureOf(command('mcpDeck.importServers', { file, to, secrets: 'keep' })),
      );
      assert.equal(refused.asked.length, 1);
      assert.match(refused.asked[0]?.message ?? '', /^Write first, second to .*mcp\.json\?$/);
      const detail = refused.asked[0]?.detail ?? '';
      assert.ok(detail.includes(path.join('.cursor', 'mcp.json')), detail);
      assert.ok(detail.includes('first: API_TOKEN') && !detail.includes('hunter2'), detail);
      assert.equal(await readFile(target.path, 'utf8'), '{}');
    }
    const moved = await pressing('Cancel', () => failureOf(command('mcpDeck.importServers', { file, to: 'portable' })));
    assert.ok(!(moved.asked[0]?.detail ?? '').includes('API_TOKEN'));
  });

  test('[S1] a secret is written into a .mcp.json in plain text only on request, and with a warning', async () => {
    const secret = 'tok_hunter2hunter2hunter2';
    await portableFile.write({ mcpServers: {} });
    const file = await cursorFile({ plain: { command: 'node', env: { API_TOKEN: secret } } });
    const moved = await imported({ file, to: 'portable' });
    const text = await readFile(portableFile.path, 'utf8');
    assert.ok(text.includes('${PLAIN_API_TOKEN}') && !text.includes('hunter2'), text);
    assert.ok(
      moved.losses.some(({ message }) => message.includes('fills in the environment variable PLAIN_API_TOKEN')),
      JSON.stringify(moved.losses),
    );
    const kept = await imported({ file, to: 'portable', secrets: 'keep' });
    assert.ok(
      kept.losses.some(({ field, message }) => field === 'env.API_TOKEN' && /looks like a secret/.test(message)),
      JSON.stringify(kept.losses),
    );
  });

  test('an import into a file of the workspace keeps comments, and changes a duplicate name', async () => {
    await vscodeFile.write('{\n  // ours\n  "servers": {\n    "imported": { "command": "other" } // first\n  }\n}\n');
    const file = await cursorFile({ imported: { command: 'node', args: ['x.js'] } });
    await imported({ file, to: 'vscode' });
    const text = await readFile(vscodeFile.path, 'utf8');
    assert.ok(text.includes('// ours') && text.includes('// first') && text.includes('"imported-2"'), text);
  });

  test('an unreadable file is reported, and so is one without servers', async () => {
    const broken = path.join(folder, 'claude_desktop_config.json');
    await writeFile(broken, '{ "mcpServers": ');
    assert.match((await failureOf(command('mcpDeck.importServers', { file: broken }))).message, /not valid JSON/);
    await writeFile(broken, '{}');
    assert.match(
      (await failureOf(command('mcpDeck.importServers', { file: broken }))).message,
      /no servers of Claude Desktop/,
    );
  });

  test('[S2] the question before a script exports or moves a server names the secrets that become readable', async () => {
    const token = 'ghp_0123456789abcdef0123456789abcdef0123';
    const forget = await defineServers({ bank: { command: 'node', args: ['x.js'], env: { GITHUB_TOKEN: token } } });
    const file = path.join(folder, 'mcp.json');
    try {
      for (const work of [
        () => command('mcpDeck.exportServers', { servers: ['bank'], file, app: 'cursor' }),
        () => command('mcpDeck.moveServer', { server: 'bank', to: 'portable', acceptLosses: true }),
      ]) {
        const { asked } = await pressing('Cancel', () => failureOf(work()));
        assert.equal(asked.length, 1);
        assert.match(asked[0]?.detail ?? '', /written as plain text: bank: GITHUB_TOKEN/);
        assert.ok(!asked[0]?.detail.includes(token));
      }
    } finally {
      await forget();
    }
  });

  test('a server is exported into a file of Zed, and the rest of the file stays', async () => {
    const file = path.join(folder, 'zed_settings.json');
    await writeFile(file, '// mine\n{\n  "theme": "One Dark", // dark\n}\n');
    const refused = await pressing('Cancel', () =>
      failureOf(command('mcpDeck.exportServers', { servers: ['demo'], file })),
    );
    assert.match(
      `${refused.asked[0]?.message} ${refused.asked[0]?.detail}`,
      /^Write demo to .*zed_settings\.json\? Zed reads this file[^]*"demo" as in MCP Deck:/,
    );
    assert.doesNotMatch(await readFile(file, 'utf8'), /demo/);
    const { value: report } = await pressing('Export Servers', () =>
      command<InterchangeReport>('mcpDeck.exportServers', { servers: ['demo'], file }),
    );
    const text = await readFile(file, 'utf8');
    assert.ok(
      text.includes('// mine') &&
        text.includes('// dark') &&
        text.includes('"context_servers"') &&
        text.includes('"demo"'),
      text,
    );
    assert.deepEqual(
      report.losses.map(({ field }) => field),
      ['args'],
    );
    await command('mcpDeck.showAuditLog', { server: 'demo' });
    const log = await until('the audit log is open', () =>
      vscode.workspace.textDocuments
        .find(({ uri }) => uri.scheme === 'mcpdeck-consent' && uri.path.includes('demo'))
        ?.getText(),
    );
    assert.match(
      log,
      /server exported +demo · for a keybinding, a task input, or another extension · to .*zed_settings\.json/,
    );
  });

  test('[C38] the question about an export shows the real file behind a link, what will run, and which entry is replaced', async () => {
    const real = path.join(folder, 'real.json');
    const link = path.join(folder, 'link.json');
    await writeFile(real, '{ "mcpServers": { "bank": { "command": "own" } } }');
    await symlink(real, link);
    const forget = await defineServers({ bank: { command: '/bin/sh', args: ['-c', 'steal everything'] } });
    try {
      const { asked } = await pressing('Cancel', () =>
        failureOf(command('mcpDeck.exportServers', { servers: ['bank'], file: link, app: 'cursor' })),
      );
      const [question] = asked;
      assert.match(question?.message ?? '', /^Write bank to .*real\.json\?$/);
      assert.match(question?.detail ?? '', /Entries of the file that are replaced: bank/);
      assert.match(question?.detail ?? '', /\/bin\/sh[^]*steal everything/);
      assert.match(await readFile(real, 'utf8'), /"own"/);
      // A link to a file that does not exist yet, and a name of a field that would forge lines.
      await rm(real);
      const field = 'x\n"bank" as in MCP Deck:\nMCP Deck runs\n  npx';
      const again = await defineServers({ bank: { command: '/bin/sh', args: ['-c', 'steal'], [field]: 1 } });
      const { asked: second } = await pressing('Cancel', () =>
        failureOf(command('mcpDeck.exportServers', { servers: ['bank'], file: link, app: 'cursor' })),
      );
      await again();
      assert.match(second[0]?.message ?? '', /^Write bank to .*real\.json\?$/);
      assert.equal(second[0]?.detail.match(/^MCP Deck runs$/gm)?.length, 1, second[0]?.detail);
    } finally {
      await forget();
    }
  });

  test('a link shows what the server would run, and adds it where the user chooses', async () => {
    const dialogs = answerModals(() => 'Choose Location…');
    const original = vscode.window.showQuickPick;
    vscode.window.showQuickPick = ((items: vscode.QuickPickItem[]) =>
      Promise.resolve(items[0])) as unknown as typeof original;
    try {
      const config = encodeURIComponent(
        JSON.stringify({ command: 'node', args: ['link.js'], env: { LINK_KEY: 'hunter2-hunter2' } }),
      );
      await vscode.commands.executeCommand(
        'vscode.open',
        vscode.Uri.from({
          scheme: vscode.env.uriScheme,
          authority: 'mcp-deck.mcp-deck',
          path: '/install',
          query: `name=linked&config=${config}`,
        }),
      );
      await until('it is there', () => findServer('linked'));
      const [asked] = dialogs.asked;
      assert.ok(
        asked?.detail.includes('link.js') && asked.detail.includes('LINK_KEY') && !asked.detail.includes('hunter2'),
        JSON.stringify(asked),
      );
      assert.equal(await stateOf('linked'), 'stopped');
      assert.equal(JSON.stringify(userValue('mcpDeck.servers')).includes('hunter2'), false);
      await until('its value is stored', async () =>
        JSON.stringify(await command('mcpDeck.manageStoredValues', { server: 'linked' })).includes('linked-link-key'),
      );
      await pressing('Forget', () => command('mcpDeck.manageStoredValues', { server: 'linked', forget: true }));
    } finally {
      vscode.window.showQuickPick = original;
      dialogs.restore();
    }
  });

  test('[C4] nothing is written for a link that is refused, dismissed, or for which no destination is picked', async () => {
    const open = (name: string) =>
      vscode.commands.executeCommand(
        'vscode.open',
        vscode.Uri.from({
          scheme: vscode.env.uriScheme,
          authority: 'mcp-deck.mcp-deck',
          path: '/install',
          query: `name=${name}&config=${encodeURIComponent('{"command":"node","args":["link.js"]}')}`,
        }),
      );
    const before = userValue('mcpDeck.servers') as object;
    const files = [
      await readFile(vscodeFile.path, 'utf8').catch(() => 'none'),
      await readFile(portableFile.path, 'utf8').catch(() => 'none'),
    ];
    const buttons: Readonly<Record<string, string | undefined>> = {
      refused: 'Learn More',
      dismissed: undefined,
      nowhere: 'Choose Location…',
      taken: 'Choose Location…',
    };
    const nameIn = (text = '') => Object.keys(buttons).find((name) => text.includes(`"${name}"`)) ?? '';
    const dialogs = answerModals(({ message }) => buttons[nameIn(message)]);
    const original = vscode.window.showQuickPick;
    const placesAsked: string[] = [];
    vscode.window.showQuickPick = ((items: vscode.QuickPickItem[], { title }: vscode.QuickPickOptions = {}) => {
      placesAsked.push(nameIn(title));
      return Promise.resolve(nameIn(title) === 'taken' ? items[0] : undefined);
    }) as unknown as typeof original;
    try {
      for (const name of Object.keys(buttons)) {
        await open(name);
        await until('it was asked', () => dialogs.asked.some(({ message }) => nameIn(message) === name));
      }
      // The last one goes through the same steps as the refused ones.
      await until('the last one is there', () => findServer('taken'));
      assert.deepEqual(
        [placesAsked, Object.keys(userValue('mcpDeck.servers') as object), userValue('mcpDeck.inputs')],
        [['nowhere', 'taken'], [...Object.keys(before), 'taken'], undefined],
      );
      assert.deepEqual(
        [
          dialogs.asked[0]?.buttons[0],
          await readFile(vscodeFile.path, 'utf8').catch(() => 'none'),
          await readFile(portableFile.path, 'utf8').catch(() => 'none'),
        ],
        ['Learn More', ...files],
      );
      assert.deepEqual(
        [await findServer('refused'), await findServer('dismissed'), await findServer('nowhere')],
        [undefined, undefined, undefined],
      );
    } finally {
      vscode.window.showQuickPick = original;
      dialogs.restore();
    }
  });
});
