/**
 * One start of a program whose code is kept:  node codeCacheStart.mjs <folder of the code> <file>
 *
 * Prints as JSON what `run()` of the file returns and which files V8 took from what was kept, then keeps the rest.
 */
import path from 'node:path';
import { CodeCache } from '../../src/vscode/codeCache.js';

const [folder = '', file = ''] = process.argv.slice(2);
const cache = new CodeCache(folder);
const { run } = cache.load(file) as { run: () => unknown };
console.log(JSON.stringify({ value: run(), taken: [...cache.taken].map((name) => path.basename(name)) }));
await cache.save();
