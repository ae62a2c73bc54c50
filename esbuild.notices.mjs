// Writes the notices for third-party code in the package, based on the files that esbuild included:
//   dist/ThirdPartyNotices.txt   ships: name, version, license, and license text of each npm package
//   dist/shipped.json            does not ship: the sources of each packaged file, for test/unit/thirdParty.test.ts
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const line = '-'.repeat(80);
const introduction = `Third-party notices of MCP Deck

MCP Deck contains the npm packages below, or parts of them. For each package, this file gives the version, the license
and the license text. The build generates it from the packages that the extension contains.
`;

/**
 * License texts of packages whose npm archive contains none, copied from their repositories. The version is exact, so
 * that the license is checked again when the package is updated.
 */
const textsApart = { '@vscode/l10n 0.0.18': 'licenses/vscode-l10n.txt' };

/** The folder of the npm package that contains `file`. Undefined for a file of this project. */
function packageFolder(file) {
  const [, folder] = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/')) ?? [];
  return folder;
}

/**
 * Name, version, license, and license text of the package in `folder`. Throws an Error if one of them is missing.
 *
 * @public A test imports this file by its path.
 */
export function readPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const own = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)([-.]|$)/i.test(file))
    .sort()
    .map((file) => path.join(folder, file));
  const apart = textsApart[`${name} ${version}`];
  const texts = (own.length === 0 && apart ? [apart] : own).map((file) =>
    readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  if (!name || !version || typeof license !== 'string')
    throw new Error(`${folder}/package.json has no name, version or license: a package without them cannot ship`);
  if (!texts.some(Boolean))
    throw new Error(`${name} ${version} has no license text in ${folder}: it cannot ship without one`);
  return { name, version, license, text: texts.filter(Boolean).join(`\n\n${line}\n\n`) };
}

/** The text of the notices, ordered by name. */
function noticesText(packages) {
  const order = (one) => `${one.name} ${one.version}`;
  const sorted = [...packages].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return [
    introduction,
    ...sorted.map(
      ({ name, version, license, text }) =>
        `${'='.repeat(80)}\nPackage: ${name}\nVersion: ${version}\nLicence: ${license}\n${line}\n\n${text}\n`,
    ),
  ].join('\n');
}

/** Writes both files from the metafiles of the package builds. */
export function writeNotices(metafiles, folder = 'dist') {
  const shipped = Object.fromEntries(
    metafiles.flatMap(({ outputs }) =>
      Object.entries(outputs).map(([file, { inputs }]) => [file, Object.keys(inputs)]),
    ),
  );
  const folders = new Set(Object.values(shipped).flat().map(packageFolder).filter(Boolean));
  writeFileSync(path.join(folder, 'shipped.json'), `${JSON.stringify(shipped, undefined, 1)}\n`);
  writeFileSync(path.join(folder, 'ThirdPartyNotices.txt'), noticesText([...folders].map(readPackage)));
}
