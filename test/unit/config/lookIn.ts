/** Shared by the tests of starts: examines a start in a workspace with given files. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';

/** The warnings, and the hash, for a start in a folder of the workspace with these files and links. */
export async function lookIn(
  files: Record<string, string | { link: string }>,
  parts: Partial<StdioDefinition> | ((folder: string) => Partial<StdioDefinition>),
  kind: 'user' | 'vscode' = 'vscode',
): Promise<{ hash: string; warnings: string[]; isInfluenced: boolean }> {
  const parent = await realpath(await mkdtemp(path.join(os.tmpdir(), 'launchers-')));
  const folder = path.join(parent, 'w');
  try {
    await mkdir(folder);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      if (typeof text === 'string') await writeFile(path.join(folder, name), text);
      else await symlink(text.link, path.join(folder, name));
    }
    const source: ConfigSource =
      kind === 'user'
        ? { id: 's', kind, label: 'User settings' }
        : { id: 's', kind, label: '.vscode/mcp.json', folderPath: folder };
    const given = typeof parts === 'function' ? parts(folder) : parts;
    const definition: StdioDefinition = { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: {}, ...given };
    const {
      facts,
      warnings,
      isInfluencedByWorkspace = false,
    } = await inspectStart(
      { id: 'a', definition, source, values: new Map() },
      {
        ...inspectionContext(kind === 'user' ? os.homedir() : folder, [folder], {}),
        folderPath: source.folderPath,
      },
    );
    const launcherFiles = Object.fromEntries(
      Object.entries(facts.launcherFiles ?? {}).map(([file, kept]) => [path.relative(folder, file), kept]),
    );
    return {
      hash: definitionHash(definition, { folderPath: '/w' }, { ...facts, launcherFiles }),
      warnings,
      isInfluenced: isInfluencedByWorkspace,
    };
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
