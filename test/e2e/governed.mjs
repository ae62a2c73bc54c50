/** A window for governance scenarios: a server that changes, calls from tasks, presets, and servers of another app. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../harness/paths.mjs';

const changing = {
  command: process.execPath,
  args: [path.join(fixturesRoot, 'servers', 'changing.mjs')],
  restartOnCrash: false,
};
const library = {
  command: process.execPath,
  args: [path.join(fixturesRoot, 'servers', 'library.mjs')],
  autoApprove: ['change'],
};

export const governedWindow = {
  workspace: 'sample',
  settings: { 'mcpDeck.servers': { changing }, 'editor.minimap.enabled': false },
};

const task = (label, tool, values) => ({
  type: 'mcpDeck',
  label,
  server: 'changing',
  tool,
  arguments: values,
  problemMatcher: [],
  presentation: { reveal: 'never' },
});

/** Writes the files of such a window into its folder. */
export function writeGoverned(workspace) {
  const write = (content, ...parts) => {
    mkdirSync(path.dirname(workspace.file(...parts)), { recursive: true });
    writeFileSync(workspace.file(...parts), JSON.stringify(content, null, 2));
  };
  write(
    {
      version: '2.0.0',
      tasks: [task('guide', 'lookup', { word: 'docs/guide.md' }), task('notes', 'lookup', { word: 'docs/notes.md' })],
    },
    '.vscode',
    'tasks.json',
  );
  write(
    {
      presets: {
        review: { description: 'Look, change nothing', servers: ['changing'], tools: { changing: ['lookup'] } },
      },
    },
    '.vscode',
    'mcp-deck.json',
  );
  write({ mcpServers: { library, spare: { ...library, autoApprove: [] } } }, '.cursor', 'mcp.json');
}
