import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerNotifications, answerPicks, answerSaveDialog } from '../support/dialogs.js';
import { command, defineServers, folder, until } from '../support/host.js';
import { assertNoCommandLinks } from '../support/links.js';
import type { StandInPage } from '../support/standInPages.js';
import { standInPages } from '../support/standInPages.js';

const request = (tool: string) => ({ method: 'tools/call', params: { name: tool, arguments: {} } });

suite('the page of a tool', () => {
  let panels: ReturnType<typeof standInPages>;
  let undefine: () => Promise<void>;
  beforeAll(async () => {
    undefine = await defineServers({
      results: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/results.mjs'] },
    });
    panels = standInPages();
  });
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  afterAll(async () => {
    panels.restore();
    await command('mcpDeck.stopAllServers');
    await undefine();
  });

  async function open(server: string, tool: string): Promise<StandInPage> {
    await command('mcpDeck.openToolPanel', { server, tool });
    // One page per tool: an open panel is shown again.
    return until('the page received its state', () =>
      panels.pages.find(({ state }) => state?.target.server === server && state.target.id === tool),
    );
  }

  /** The clipboard after a button has written to it. */
  async function copied(press: () => void): Promise<string> {
    await vscode.env.clipboard.writeText('nothing yet');
    press();
    return until('something is copied', async () => {
      const text = await vscode.env.clipboard.readText();
      return text === 'nothing yet' ? undefined : text;
    });
  }

  /** The document that a button opened. */
  async function opened(press: () => void): Promise<vscode.TextDocument> {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    press();
    return (await until('an editor is open', () => vscode.window.activeTextEditor)).document;
  }

  /** The file that a button wrote to the path of the dialog, up to this ending, and the suggested name. */
  async function saved(name: string, end: string, press: () => void): Promise<{ text: string; suggested: string }> {
    const target = vscode.Uri.joinPath(folder().uri, name);
    const dialog = answerSaveDialog(() => target);
    try {
      press();
      // The file is written in pieces.
      const text = await until('the file is written', async () => {
        const content = await readFile(target.fsPath, 'utf8').catch(() => '');
        return content.endsWith(end) ? content : undefined;
      });
      return { text, suggested: path.basename(dialog.asked[0]?.defaultUri?.path ?? '') };
    } finally {
      dialog.restore();
      await vscode.workspace.fs.delete(target).then(undefined, () => undefined);
    }
  }

  test('a table is exported as CSV, and copied with tabs', async () => {
    const page = await open('results', 'table');
    await page.run();
    const place = { source: 'structured', path: ['cities'] } as const;
    const { text, suggested } = await saved('cities.csv', 'https://example.com/249\r\n', () =>
      page.press({ type: 'exportTable', ...place, to: 'file' }),
    );
    const rows = text.split('\r\n');
    assert.deepEqual(
      [rows.length, rows.slice(0, 3), suggested],
      [
        252,
        ['city,people,capital,site', 'City 0,0,true,https://example.com/0', 'City 1,7919,false,https://example.com/1'],
        'table cities.csv',
      ],
    );
    const tabbed = await copied(() => page.press({ type: 'exportTable', ...place, to: 'clipboard' }));
    assert.equal(tabbed.split('\r\n')[1], 'City 0\t0\ttrue\thttps://example.com/0');
  });

  test('the raw exchange is copied and opened as sent over the wire, and the structured output as JSON', async () => {
    const page = await open('results', 'table');
    const { isError } = await page.run();
    assert.equal(isError, false);
    assert.deepEqual(
      JSON.parse(await copied(() => page.press({ type: 'copyRaw', what: 'request' }))),
      request('table'),
    );
    const response = JSON.parse(await copied(() => page.press({ type: 'copyRaw', what: 'response' }))) as {
      structuredContent: { cities: unknown[] };
    };
    assert.equal(response.structuredContent.cities.length, 250);
    const raw = await opened(() => page.press({ type: 'openRaw', what: 'request' }));
    assert.deepEqual(
      [raw.languageId, JSON.parse(raw.getText()), raw.uri.scheme],
      ['json', request('table'), 'mcpdeck-result'],
    );
    const structured = await opened(() => page.press({ type: 'openStructured' }));
    assert.deepEqual(JSON.parse(structured.getText()), response.structuredContent);
  });

  for (const [tool, scheme] of [
    ['commands', 'mcpdeck-result'],
    ['commands-long', 'file'],
    ['commands-page', 'mcpdeck-result'],
    ['commands-page-long', 'file'],
  ] as const)
    test(`[documents.links] no link in the ${scheme === 'file' ? 'saved file' : 'document'} of the result of ${tool} runs a command`, async () => {
      const page = await open('results', tool);
      await page.run();
      const document = await opened(() => page.press({ type: 'openInEditor', part: 0 }));
      assert.equal(document.uri.scheme, scheme);
      await assertNoCommandLinks(document);
      if (scheme !== 'file') return;
      // As VS Code opens it when the window is restored: MCP Deck is not asked.
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.window.showTextDocument(document.uri);
      await assertNoCommandLinks((await until('the file is open', () => vscode.window.activeTextEditor)).document);
    });

  test('the raw exchange of a call that the server refused has the unchanged answer', async () => {
    const page = await open('results', 'refused');
    const { message, raw } = await page.fail();
    const answer = { error: { code: -32050, message: 'The desk is closed', data: { opens: 'Monday' } } };
    assert.match(message, /The desk is closed/);
    assert.deepEqual(
      [JSON.parse(raw.request.text), JSON.parse(raw.response?.text ?? 'null')],
      [request('refused'), answer],
    );
    assert.deepEqual(
      JSON.parse(await copied(() => page.press({ type: 'copyRaw', what: 'request' }))),
      request('refused'),
    );
    const document = await opened(() => page.press({ type: 'openRaw', what: 'response' }));
    assert.deepEqual(JSON.parse(document.getText()), answer);
  });

  test('a value is copied as text or JSON, and its location as a path', async () => {
    const page = await open('results', 'table');
    await page.run();
    const at = (...places: (string | number)[]) => ({ source: 'structured', path: places }) as const;
    assert.equal(
      await copied(() => page.press({ type: 'copyJson', what: 'value', ...at('cities', 1, 'city') })),
      'City 1',
    );
    assert.equal(await copied(() => page.press({ type: 'copyJson', what: 'value', ...at('isTruncated') })), 'false');
    assert.equal(
      await copied(() => page.press({ type: 'copyJson', what: 'path', ...at('cities', 1, 'city') })),
      '$.cities[1].city',
    );
  });

  test('a text is saved and copied unchanged; a result with images becomes a folder', async () => {
    const texts = await open('results', 'markdown');
    await texts.run();
    const copy = await copied(() => texts.press({ type: 'copy', part: 0 }));
    const { text, suggested } = await saved('weather.md', copy, () => texts.press({ type: 'saveAs' }));
    assert.deepEqual(
      [copy === text, text.startsWith('# Weather in Oslo\n\n**Sunny** with'), suggested],
      [true, true, 'markdown - result.md'],
    );
    const pictures = await open('results', 'picture');
    await pictures.run();
    const original = vscode.window.showOpenDialog;
    const target = vscode.Uri.joinPath(folder().uri, 'saved results');
    await vscode.workspace.fs.createDirectory(target);
    vscode.window.showOpenDialog = () => Promise.resolve([target]);
    try {
      pictures.press({ type: 'saveAs' });
      const names = await until('the last file is written', async () => {
        const [made] = await readdir(target.fsPath);
        const files = made === undefined ? [] : await readdir(path.join(target.fsPath, made));
        return files.some((name) => name.endsWith('.wav')) ? files : undefined;
      });
      assert.deepEqual(names.map((name) => path.extname(name)).sort(), ['.png', '.txt', '.wav'], names.join(', '));
    } finally {
      vscode.window.showOpenDialog = original;
      await vscode.workspace.fs.delete(target, { recursive: true });
    }
  });

  test('a result that is no longer stored is reported, and nothing is copied', async () => {
    const page = await open('results', 'counter');
    const notes = answerNotifications();
    try {
      page.press({ type: 'copy' });
      assert.deepEqual(await until('it is said', () => (notes.messages.length > 0 ? notes.messages : undefined)), [
        'This result is no longer available, because a window keeps only the latest results. Run the tool again.',
      ]);
    } finally {
      notes.restore();
    }
  });

  test('a field offers the selected text and the open files, and accepts them', async () => {
    const file = vscode.Uri.joinPath(folder().uri, 'src', 'main.ts');
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
    const word = editor.document.getText().slice(0, 6);
    editor.selection = new vscode.Selection(0, 0, 0, 6);
    const [elsewhere, inside] = [await open('results', 'counter'), await open('workspace', 'read_file')];
    await until(
      'the selection is known',
      async () => (await elsewhere.channel.request('editorText', { source: 'selection' })).text === word,
    );
    const fileOf = async (page: StandInPage) => (await page.channel.request('editorText', { source: 'file' })).text;
    assert.deepEqual(
      [await fileOf(elsewhere), await fileOf(inside)],
      [file.fsPath, 'src/main.ts'],
      'a server of the workspace takes relative paths',
    );
    const offered = await inside.channel.request('suggest', {
      text: '',
      isPath: true,
      isMultiline: false,
      path: '/path',
    });
    assert.deepEqual(offered, [
      { value: word, detail: 'selected text' },
      { value: 'src/main.ts', detail: 'open file' },
    ]);
    assert.deepEqual(
      await inside.channel.request('suggest', { text: 'MAIN', isPath: true, isMultiline: false, path: '/path' }),
      [{ value: 'src/main.ts', detail: 'open file' }],
    );
    assert.deepEqual(
      await inside.channel.request('suggest', { text: '', isPath: false, isMultiline: false, path: '/text' }),
      [{ value: word, detail: 'selected text' }],
    );
    editor.selection = new vscode.Selection(0, 0, editor.document.lineCount, 0);
    const whole = editor.document.getText();
    await until(
      'all is selected',
      async () => (await elsewhere.channel.request('editorText', { source: 'selection' })).text === whole,
    );
    const ask = (isMultiline: boolean) =>
      inside.channel.request('suggest', { text: '', isPath: false, isMultiline, path: '/text' });
    const [first = ''] = whole.split('\n');
    assert.deepEqual(
      [await ask(false), await ask(true)],
      [[], [{ value: whole, label: `${first}…`, detail: `selected text, ${whole.split('\n').length} lines` }]],
      'several lines are for fields of several lines',
    );
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await until(
      'nothing is selected',
      async () => (await elsewhere.channel.request('editorText', { source: 'selection' })).text === undefined,
    );
  });

  test('files and folders are picked from the workspace, or from elsewhere', async () => {
    const [elsewhere, inside] = [await open('results', 'counter'), await open('workspace', 'read_file')];
    let lines: string[] = [];
    let wanted = '';
    const picks = answerPicks((items) => {
      lines = items.map(({ label, description }) => (description ? `${description}/${label}` : label));
      return items.find(({ label }) => label === wanted);
    });
    const original = vscode.window.showOpenDialog;
    const asked: vscode.OpenDialogOptions[] = [];
    vscode.window.showOpenDialog = (options = {}) => {
      asked.push(options);
      return Promise.resolve([vscode.Uri.file('/elsewhere/one')]);
    };
    try {
      wanted = 'greetings.md';
      assert.deepEqual(await inside.channel.request('pick', { kind: 'file' }), { path: 'docs/greetings.md' });
      assert.deepEqual([lines.includes('src/main.ts'), lines.includes('docs')], [true, false]);
      wanted = 'docs';
      assert.deepEqual(await elsewhere.channel.request('pick', { kind: 'folder' }), {
        path: path.join(folder().uri.fsPath, 'docs'),
      });
      assert.deepEqual([lines.includes('src/main.ts'), lines.includes('src')], [false, true]);
      wanted = 'Browse…';
      assert.deepEqual(await inside.channel.request('pick', { kind: 'folder' }), { path: '/elsewhere/one' });
      assert.deepEqual([asked[0]?.canSelectFiles, asked[0]?.canSelectFolders], [false, true]);
      wanted = 'nothing of this name';
      assert.deepEqual(await inside.channel.request('pick', { kind: 'any' }), {});
    } finally {
      vscode.window.showOpenDialog = original;
      picks.restore();
    }
  });
});
