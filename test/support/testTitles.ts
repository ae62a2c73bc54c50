/** The first argument of test functions, and the fields that contain the titles of rows in tables of cases. */
const title =
  /(?:(?<![\w.])(?:test|it|suite|describe|step)\(\s*|(?<![\w.])(?:ids|name|title|what): )(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** The titles of tests, suites, steps and table rows in the source text of a test, as written there. */
export function testTitles(text: string): string[] {
  return [...text.matchAll(title)].map(([, , words = '']) => words);
}
