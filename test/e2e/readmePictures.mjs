/**
 * Updates the pictures of README.md and docs/ from the latest screenshots of the scenarios:
 *
 *   npm run package && node test/e2e/run.mjs --theme=dark && node test/e2e/readmePictures.mjs
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repoRoot, screenshotsRoot } from '../harness/paths.mjs';
import { smallPng } from './smallPng.mjs';

/**
 * Maps a file in `media/screenshots` to a scenario's screenshot and, optionally, the number of pixel rows to keep. The
 * cut removes empty areas and paths of this machine.
 */
const pictures = {
  'app.png': ['dark-app'],
  'chat.png': ['dark-chat-run'],
  'debug.png': ['dark-debug-paused'],
  'details.png': ['dark-details-running', 665],
  'import.png': ['dark-manage-import-servers', 160],
  'preset.png': ['dark-manage-preset'],
  'prompt.png': ['dark-prompt-messages'],
  'request.png': ['dark-request-page-everything'],
  'result.png': ['dark-newcomer-3-result'],
  'runs.png': ['dark-runs-view'],
  'servers.png': ['dark-tree-everything'],
  'sign-in.png': ['dark-sign-in-question'],
  'skill.png': ['dark-skills-open', 460],
  'table.png': ['dark-result-table-sorted'],
  'tool-panel.png': ['dark-panel-result'],
  'trace.png': ['dark-trace-details'],
  'trust.png': ['dark-trust-question'],
};

for (const [picture, [screenshot, maxHeight]] of Object.entries(pictures)) {
  const source = path.join(screenshotsRoot, `${screenshot}.png`);
  if (!existsSync(source)) throw new Error(`${screenshot} does not exist. Run its scenario first.`);
  writeFileSync(path.join(repoRoot, 'media', 'screenshots', picture), smallPng(readFileSync(source), maxHeight));
}
