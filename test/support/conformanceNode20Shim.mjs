// The conformance suite imports `globSync` from `fs`, which exists since Node 22. Only a command that we never run
// calls it.
//   node --import ./test/support/conformanceNode20Shim.mjs node_modules/@modelcontextprotocol/conformance/dist/index.js …
import { register } from 'node:module';

const fsWithGlob = `data:text/javascript,${encodeURIComponent(`
  export * from 'node:fs';
  import fs from 'node:fs';
  export default fs;
  export function globSync() { throw new Error('fs.globSync needs Node 22 or later.'); }
`)}`;
const hooks = `
  export async function resolve(specifier, context, next) {
    const isSuite = context.parentURL?.includes('/conformance/dist/');
    return specifier === 'fs' && isSuite ? { url: ${JSON.stringify(fsWithGlob)}, shortCircuit: true, format: 'module' } : next(specifier, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
