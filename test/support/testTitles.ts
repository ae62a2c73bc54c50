/** The first argument of what runs tests, and the fields by which tables of cases name their rows. */
const title =
  /(?:(?<![\w.])(?:test|it|suite|describe|step)\(\s*|(?<![\w.])(?:ids|name|title|what): )(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** The titles of tests, suites, steps and rows of tables in the source text of a test, as they are written there. */
export function testTitles(text: string): string[] {
  return [...text.matchAll(title)].map(([, , words = '']) => words);
}
