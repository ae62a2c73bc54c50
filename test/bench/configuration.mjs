// Measures a configuration of 500 servers, from the text of the file to the list that the tree is drawn from: parsed
// with positions for problems, checked, hashed and given ids. Prints the first run in a fresh process, which is the
// user's wait, and the median of warm runs, which is the cost of each save. The list is read, so that no work can be
// optimized away.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { median } from './median.mjs';

const self = fileURLToPath(import.meta.url);
const core = () => import(pathToFileURL(path.resolve('dist/headless.mjs')).href);
const count = 500;

function largeConfiguration() {
  const servers = {};
  for (let index = 0; index < count; index++) {
    servers[`server-${index}`] =
      index % 2 === 0
        ? {
            type: 'stdio',
            command: 'npx',
            args: ['-y', `@scope/server-${index}@1.2.3`, '--root', '${workspaceFolder}'],
            env: { API_TOKEN: `\${input:key-${index % 20}}`, LOG_LEVEL: 'info' },
            cwd: '${workspaceFolder}/packages',
          }
        : {
            type: 'http',
            url: `https://mcp-${index}.example.com/mcp`,
            headers: { Authorization: 'Bearer ${env:TOKEN}', 'X-Team': 'blue' },
            timeoutMs: 30_000,
          };
  }
  const inputs = Array.from({ length: 20 }, (_, index) => ({
    id: `key-${index}`,
    type: 'promptString',
    password: true,
  }));
  return JSON.stringify({ servers, inputs }, null, 2);
}

function timed({ parseConfigText, ServerRegistry }, text) {
  const before = performance.now();
  const source = { id: 'vscode:file:///w', kind: 'vscode', label: '.vscode/mcp.json', folderPath: '/w' };
  const registry = new ServerRegistry();
  registry.setSource(source, parseConfigText(text, source));
  if (registry.entries.length !== count || registry.problems(source.id).length > 0)
    throw new Error('not everything was read');
  return performance.now() - before;
}

if (process.argv[2] === 'first') console.log(timed(await core(), largeConfiguration()));

export async function printConfiguration(rounds) {
  const text = largeConfiguration();
  const loaded = await core();
  const first = Array.from({ length: rounds }, () =>
    Number(execFileSync(process.execPath, [self, 'first'], { encoding: 'utf8' })),
  );
  const warm = Array.from({ length: 30 }, () => timed(loaded, text));
  console.log(
    `${`configuration ${count} servers`.padEnd(28)} first     ${median(first).toFixed(2)} ms   warm ${median(warm).toFixed(2)} ms   ${(text.length / 1000).toFixed(0)} kB`,
  );
}
