import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject } from '../../../base/guards.js';
import { readSmallFile } from '../../../config/smallFile.js';

/** The official suite, with the version whose output `runSuite.ts` reads. */
const suitePackage = '@modelcontextprotocol/conformance';
const suiteVersion = '0.2.0-alpha.12';

/** The revisions of the protocol for which the suite has a frozen set of scenarios. */
export const suiteRevisions = ['2025-11-25', '2026-07-28'] as const;
export type SuiteRevision = (typeof suiteRevisions)[number];

/** How the suite is started. */
export interface SuiteProgram {
  command: string;
  args: readonly string[];
  /** Whether the package is in the project. Otherwise npx downloads it. */
  isInstalled: boolean;
  version: string;
}

/**
 * The suite of the project: the package in `node_modules` of the folder, or of a folder above it. Without one, npx gets
 * the version that MCP Deck knows.
 * @param node the program that runs the package of the project.
 */
export async function findSuite(folder: string, node: string): Promise<SuiteProgram> {
  for (let place = path.resolve(folder); ; place = path.dirname(place)) {
    const home = path.join(place, 'node_modules', suitePackage);
    const manifest = await readSmallFile(path.join(home, 'package.json'))
      .then((text): unknown => JSON.parse(text))
      .catch(() => undefined);
    const programs = isObject(manifest) ? manifest['bin'] : undefined;
    // A package with one program can name it without a key.
    const bin = isObject(programs) ? programs['conformance'] : programs;
    if (isObject(manifest) && typeof manifest['version'] === 'string' && typeof bin === 'string')
      return { command: node, args: [path.join(home, bin)], isInstalled: true, version: manifest['version'] };
    if (path.dirname(place) === place) break;
  }
  return {
    command: 'npx',
    args: ['--yes', `${suitePackage}@${suiteVersion}`],
    isInstalled: false,
    version: suiteVersion,
  };
}

/**
 * A new folder for the suite that npx downloads. In a folder of a repository, npx would run a package of that folder,
 * and use the registry of its `.npmrc`. The manifest prevents npm from using a folder above it.
 */
export async function makeSuiteFolder(parent: string): Promise<string> {
  const folder = path.join(parent, 'suite');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  return folder;
}

/** The set of scenarios for a server that uses this revision. */
export function suiteRevisionFor(revision: string): SuiteRevision {
  return revision >= '2026-07-28' ? '2026-07-28' : '2025-11-25';
}
