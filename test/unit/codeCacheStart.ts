/**
 * One start of a program with cached code:  node codeCacheStart.mjs <folder of the code> <file>
 *
 * Prints as JSON the result of `run()` of the file and the files that V8 took from the cache, then stores the rest.
 */
import path from 'node:path';
import { CodeCache } from '../../src/vscode/codeCache.js';

const [folder = '', file = ''] = process.argv.slice(2);
const cache = new CodeCache(folder);
const { run } = cache.load(file) as { run: () => unknown };
console.log(JSON.stringify({ value: run(), taken: [...cache.taken].map((name) => path.basename(name)) }));
await cache.save();
