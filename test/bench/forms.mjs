// Measures the form of a large schema: a tool of 40 arguments with nested groups, lists, choices, variants and
// recursive definitions; 8 kB, as large as the largest of some 800 public tools, and the same ten times over. Prints
// the median of warm runs, and the first run in a fresh process, which is the user's wait. The result of each run is
// read, so that no work can be optimized away.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { largeSchema } from './largeSchema.mjs';
import { median } from './median.mjs';

const self = fileURLToPath(import.meta.url);
const model = () => import(pathToFileURL(path.resolve('dist/form-model.mjs')).href);

const timed = (run) => {
  const before = performance.now();
  const result = run();
  if (JSON.stringify(result).length < 100) throw new Error('nothing was made');
  return performance.now() - before;
};

if (process.argv[2] === 'first') {
  const { formFromSchema } = await model();
  const schema = largeSchema(1);
  console.log(timed(() => formFromSchema(schema)));
}

export async function printForms(rounds) {
  const { formFromSchema, formToValue, valueToForm } = await model();
  const first = Array.from({ length: rounds }, () =>
    Number(execFileSync(process.execPath, [self, 'first'], { encoding: 'utf8' })),
  );
  console.log(`${'form'.padEnd(28)} first     ${median(first).toFixed(2)} ms`);
  for (const size of [1, 10]) {
    const schema = largeSchema(size);
    const form = formFromSchema(schema);
    const value = Object.fromEntries(
      Object.keys(schema.properties).map((name, index) => [
        name,
        index % 2 ? 1 : [{ name: 'x', value: null, field: 'f' }],
      ]),
    );
    const made = Array.from({ length: 50 }, () => timed(() => formFromSchema(schema)));
    const filled = Array.from({ length: 50 }, () => timed(() => formToValue(form, valueToForm(form, value))));
    const weight = `${(JSON.stringify(schema).length / 1000).toFixed(1)} kB, ${form.nodes.length} nodes`;
    console.log(
      `${`form ${weight}`.padEnd(28)} warm      ${median(made).toFixed(2)} ms   filled and read ${median(filled).toFixed(2)} ms`,
    );
  }
}
