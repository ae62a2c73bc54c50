/**
 * Measures the list of a registry with 10,000 generated entries: the first update from a registry on this machine, the
 * size on disk, the opening of the stored list, searches, and the answer to the page *Find a Server*: a search over all
 * sources with 60 rows, for which the packages of each server are read.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Gallery } from '../../src/core/gallery/gallery.js';
import { GallerySource } from '../../src/core/gallery/gallerySource.js';
import { GalleryStore } from '../../src/core/gallery/galleryStore.js';
import { ProgramSearch } from '../../src/core/gallery/neededProgram.js';
import { serverRow } from '../../src/core/present/gallery/serverRows.js';
import { listed, startRegistry } from '../support/registryServer.js';

const subjects = 'file mail calendar graph search cloud ticket chart weather music video shop bank map note task'.split(
  ' ',
);
const verbs = 'reads writes finds lists exports translates summarizes watches'.split(' ');
const queries = [
  'w',
  'wea',
  'weather',
  'mail search',
  'publisher77',
  'calender',
  'nothingfits',
  'writes ticket for cloud',
];

/** An entry of about 1.5 kB, the average of the official registry. */
function generated(index: number) {
  const [one = '', other = ''] = [subjects[index % subjects.length], subjects[(index * 7 + 3) % subjects.length]];
  const verb = verbs[index % verbs.length] ?? '';
  const variables = Array.from({ length: 6 }, (_, at) => ({
    name: `${one.toUpperCase()}_${other.toUpperCase()}_${at}_${index}`,
    description: `Setting ${at} of the ${one} service, for example ${(index * 7919 + at).toString(36)}`,
    isRequired: at === 0,
    isSecret: at === 1,
    format: 'string',
  }));
  const name = `io.github.publisher${(index * 31) % 997}/${one}-${other}-${index}`;
  const facts = { updatedAt: new Date(Date.UTC(2025, 8, 8) + index * 61_000).toISOString() };
  return listed(
    name,
    {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      title: `${one} and ${other} ${index}`,
      description: `A server that ${verb} ${one} and ${other}, number ${index} of the generated list.`,
      repository: { url: `https://github.com/publisher${(index * 31) % 997}/${one}-${index}`, source: 'github' },
      packages: [
        {
          registryType: 'npm',
          identifier: `@publisher${index % 997}/${one}-${index}`,
          version: `1.${index % 40}.${index % 9}`,
          transport: { type: 'stdio' },
          environmentVariables: variables,
        },
      ],
    },
    facts,
  );
}

export async function printRegistry(count = 10_000, searches = 400): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-registry-'));
  const registry = await startRegistry(
    Array.from({ length: count }, (_, index) => generated(index)),
    100,
  );
  try {
    const store = new GalleryStore(folder);
    const place = registry.url;
    const updateMs = await timed(() => new GallerySource({ place, store }).update());
    const bytes = statSync(store.fileOf(place)).size;
    const source = new GallerySource({ place, store });
    const openMs = await timed(() => source.open());
    const indexMs = await timed(() => source.search('x'));
    const times: number[] = [];
    for (let at = 0; at < searches; at++)
      times.push(await timed(() => source.search(queries[at % queries.length] ?? '')));
    times.sort((one, other) => one - other);
    const at = (share: number) => (times[Math.floor(searches * share)] ?? 0).toFixed(2);
    const gallery = new Gallery([{ place, name: 'bench', store }]);
    await gallery.open();
    const programs = new ProgramSearch(process.env, os.homedir());
    const facts = { source: () => ({ name: 'bench', isVerifying: false }), programs, now: Date.now() };
    const answer = async (query: string) =>
      (await gallery.search(query, 60)).map((found) => serverRow(found, facts)).length;
    await answer('x');
    const answers: number[] = [];
    for (let one = 0; one < searches; one++)
      answers.push(await timed(() => answer(queries[one % queries.length] ?? '')));
    answers.sort((one, other) => one - other);
    console.log(
      `registry page: an answer with rows ${(answers[Math.floor(searches / 2)] ?? 0).toFixed(2)} ms ` +
        `(95 % under ${(answers[Math.floor(searches * 0.95)] ?? 0).toFixed(2)} ms)`,
    );
    console.log(
      `registry ${source.size}: updated in ${updateMs.toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB on disk, ` +
        `opened in ${openMs.toFixed(0)} ms, index for searches in ${indexMs.toFixed(0)} ms, ` +
        `a search ${at(0.5)} ms (95 % under ${at(0.95)} ms, at most ${(times.at(-1) ?? 0).toFixed(2)} ms)`,
    );
  } finally {
    await registry[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
