import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerPicks, pressing } from '../support/dialogs.js';
import { WorkspaceFile, command, drawn, failureOf, textOf, until } from '../support/host.js';

const file = new WorkspaceFile('.vscode/mcp-deck.json');
const presets = {
  review: { description: 'Look only', servers: ['demo'], tools: { demo: ['echo'] } },
  nothing: { servers: [] },
};

suite('presets and tool switches', () => {
  beforeAll(async () => {
    await file.write({ presets });
    await command('mcpDeck.startServer', { server: 'demo' });
    await until('the preset is read', () => command('mcpDeck.switchPreset', { preset: 'review' }).then(() => true));
  });
  afterEach(async () => {
    await pressing('Turn Off', () => command('mcpDeck.switchPreset', { preset: null }));
    await file.write({ presets });
  });
  afterAll(async () => {
    await command('mcpDeck.stopServer', { server: 'demo' });
    await file.restore();
  });

  test('the list of presets shows what the tools of each preset cost in a request to a model', async () => {
    await file.write({ presets: { all: { servers: ['demo'] }, ...presets } });
    const tokens = async () => {
      let shown: readonly vscode.QuickPickItem[] = [];
      const picks = answerPicks((items) => void (shown = items));
      await Promise.resolve(vscode.commands.executeCommand('mcpDeck.switchPreset')).catch(() => undefined);
      picks.restore();
      return ['all', 'review', 'nothing'].map((name) => {
        const { detail = '' } = shown.find(({ label }) => label === name) ?? {};
        const [, count] = / · about ([\d,]+) tokens in each request to a model$/.exec(detail) ?? [];
        return count === undefined ? undefined : Number(count.replace(',', ''));
      });
    };
    // The list does not wait longer than a second for the first count.
    const [all = 0, review = 0, nothing] = await until('the tokens are counted', async () => {
      const found = await tokens();
      return found[0] === undefined ? undefined : found;
    });
    assert.ok(review > 10 && all > 2 * review, `${all} tokens of all tools, ${review} of one`);
    assert.equal(nothing, undefined);
  });

  test('a preset hides the tools that it does not name, and their calls are refused with the reason', async () => {
    await command('mcpDeck.switchPreset', { preset: 'review' });
    assert.match(await drawn('demo'), /\(circle-slash\) Get Sum Tool {2}not in the preset/);
    assert.equal(
      textOf(await command('mcpDeck.runTool', { server: 'demo', tool: 'echo', arguments: { message: 'hi' } })),
      'Echo: hi',
    );
    const error = await failureOf(
      command('mcpDeck.runTool', { server: 'demo', tool: 'get-sum', arguments: { a: 1, b: 2 } }),
    );
    assert.match(error.message, /the active preset does not include it/);
  });

  test('[N3] an edit of the file disables tools at once but enables tools only after the user agrees; a broken file changes nothing', async () => {
    await command('mcpDeck.switchPreset', { preset: 'review' });
    await file.write({ presets: { review: { servers: ['demo'], tools: { demo: ['get-sum'] } } } });
    await until('echo is off', async () => /Echo Tool {2}not in the preset/.test(await drawn('demo')));
    assert.match(await drawn('demo'), /Get Sum Tool {2}not in the preset/);
    await pressing('Switch Preset', () => command('mcpDeck.switchPreset', { preset: 'review' }));
    await until('get-sum is on', async () => !/Get Sum Tool {2}not in the preset/.test(await drawn('demo')));
    await file.write('{ "presets": ');
    await until('the problem is shown', () =>
      vscode.languages.getDiagnostics(file.uri).some(({ message }) => message.includes('not valid JSON')),
    );
    assert.match(await drawn('demo'), /Echo Tool {2}not in the preset/);
  });

  test('a list of tools for an unknown server is marked', async () => {
    await file.write('{\n  "presets": { "x": { "servers": ["*"], "tools": { "dmo": ["echo"] } } }\n}');
    const found = await until('it is reported', () =>
      vscode.languages
        .getDiagnostics(file.uri)
        .find(({ message }) => message.includes('No server in this window is named "dmo"')),
    );
    assert.equal(found.range.start.line, 1);
  });

  test('a problem is shown at its position', async () => {
    await file.write('{\n  "presets": { "x": { "tols": {} } }\n}');
    const found = await until('it is reported', () =>
      vscode.languages.getDiagnostics(file.uri).find(({ message }) => message.includes('"tols"')),
    );
    assert.deepEqual([found.range.start.line, found.source], [1, 'MCP Deck']);
  });

  test('a tool that the user disables stays so in every preset, until it is enabled', async () => {
    await command('mcpDeck.disableTool', { server: 'demo', tool: 'echo' });
    await command('mcpDeck.switchPreset', { preset: 'review' });
    const error = await failureOf(
      command('mcpDeck.runTool', { server: 'demo', tool: 'echo', arguments: { message: 'x' } }),
    );
    assert.match(error.message, /you disabled it/);
    const refused = await pressing('Cancel', () =>
      failureOf(command('mcpDeck.enableTool', { server: 'demo', tool: 'echo' })),
    );
    assert.deepEqual(
      [refused.value.name, refused.asked[0]?.message],
      ['Canceled', 'Enable the tool "echo" of "demo"?'],
    );
    assert.match(await drawn('demo'), /Echo Tool {2}disabled/);
    await pressing('Enable Tool', () => command('mcpDeck.enableTool', { server: 'demo', tool: 'echo' }));
    assert.equal(
      textOf(await command('mcpDeck.runTool', { server: 'demo', tool: 'echo', arguments: { message: 'x' } })),
      'Echo: x',
    );
  });

  test('[N3] a command with arguments narrows without a question, and widens when the user agrees', async () => {
    await command('mcpDeck.switchPreset', { preset: 'review' });
    assert.equal(await command('mcpDeck.switchPreset', { preset: 'nothing' }), 'nothing');
    const back = await pressing('Cancel', () => failureOf(command('mcpDeck.switchPreset', { preset: 'review' })));
    assert.deepEqual(
      [back.value.name, back.asked.map(({ message }) => message)],
      ['Canceled', ['Switch to the preset "review"?']],
    );
    const off = await pressing('Cancel', () => failureOf(command('mcpDeck.switchPreset', { preset: null })));
    assert.deepEqual([off.value.name, off.asked.map(({ message }) => message)], ['Canceled', ['Turn off the preset?']]);
    assert.match(off.asked[0]?.detail ?? '', /"nothing" is active\.[^]*A command with arguments requested this/);
    assert.match(await drawn('demo'), /Echo Tool {2}not in the preset/);
    const { value } = await pressing('Switch Preset', () => command('mcpDeck.switchPreset', { preset: 'review' }));
    assert.equal(value, 'review');
  });

  test('an unknown preset is refused', async () => {
    assert.match(
      (await failureOf(command('mcpDeck.switchPreset', { preset: 'none' }))).message,
      /There is no preset "none"/,
    );
  });
});
