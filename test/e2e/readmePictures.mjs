/**
 * Renews the pictures of the README from what the scenarios photographed last:
 *
 *   npm run package && node test/e2e/run.mjs --theme=dark && node test/e2e/readmePictures.mjs
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repoRoot, screenshotsRoot } from '../harness/paths.mjs';
import { smallPng } from './smallPng.mjs';

/** File in `media/screenshots`: screenshot of a scenario. */
const pictures = {
  'servers.png': 'dark-tree-everything',
  'result.png': 'dark-newcomer-3-result',
  'tool-panel.png': 'dark-panel-result',
  'prompt.png': 'dark-prompt-messages',
  'request.png': 'dark-request-page-everything',
  'runs.png': 'dark-runs-view',
  'sign-in.png': 'dark-sign-in-question',
};

for (const [picture, screenshot] of Object.entries(pictures)) {
  const source = path.join(screenshotsRoot, `${screenshot}.png`);
  if (!existsSync(source)) throw new Error(`There is no ${screenshot}: run its scenario first.`);
  writeFileSync(path.join(repoRoot, 'media', 'screenshots', picture), smallPng(readFileSync(source)));
}
