import assert from 'node:assert/strict';

/** Parts that are repeated: single characters of many kinds, and pairs at which patterns of this project branch. */
const repeated = [
  ...['a', 'A', '0', ' ', '\t', '\n', '\r\n', '.', ':', '/', '\\', '-', '_', '=', '^', '~', '`', '"', "'", '$', '|'],
  ...['(', ')', '()', '[', ']', '[]', '{', '}', '{}', '<', '>', '<>', '*', '#', '?', '&', ';', ',', '%', '+', '@'],
  ...[
    'a.',
    'aa.',
    'a-',
    'a:',
    'a/',
    'a ',
    '0 ',
    ' \n',
    '\na',
    '.(*a)',
    '(a',
    ':1',
    '.go:1',
    '::',
    '", line ',
    "', a:1:1",
  ],
  ...[
    'panicked at ',
    'Error',
    'Error: ',
    'Caused by',
    '${',
    '${a',
    '${input:a}',
    '%a%',
    '$a',
    '\\"',
    '//',
    '/*',
    '```',
  ],
  ...[
    '```\n',
    '~~~\n',
    'https://',
    'https://a/mcp ',
    'npx ',
    'npx a\n',
    'export A=',
    '{"command":"',
    '-e ',
    '--a=',
    'A=1 ',
  ],
  ...['ACME_KEY ', 'is not ', 'your-', '-here', 'eyJ-', '\u200b', '\u{1f3f4}', '\u{e0061}', '\u0301', '\ud800', ']( '],
];
const endings = ['', '!', '\n', ')', 'a'];
/**
 * Lengths in UTF-16 units, with the endings to try. They grow, so that work that is not linear ends the test early. The
 * longest texts take most of the time, so they have only the endings after which most patterns try again.
 */
const attempts = [
  { length: 1_000, endings },
  { length: 8_000, endings },
  { length: 32_000, endings: ['!', '\n'] },
];
/** CPU time from which the growth is measured, in milliseconds: far below that of quadratic work on the longest text. */
const measuredFromMs = 300;
/**
 * Four times the length costs 4 times as much with linear work, up to 10 times if a longer text also needs a garbage
 * collection, and 16 times as much with quadratic work.
 */
const maxGrowth = 13;

/**
 * Fails if the cost of `work` grows faster than linearly with the length of a hostile text.
 * @param beginning comes before the repeated part. Default none.
 */
export function assertLinear(work: (text: string) => unknown, beginning = ''): void {
  for (const { length, endings } of attempts)
    for (const part of repeated)
      for (const ending of endings) {
        const run = (length: number): void =>
          void work(beginning + part.repeat(Math.ceil(length / part.length)) + ending);
        assertGrowsLinearly(
          run,
          length,
          `${JSON.stringify(beginning)} and ${length} characters of ${JSON.stringify(part)}, then ${JSON.stringify(ending)}`,
        );
      }
}

/**
 * Fails if the cost of `run` grows faster than linearly between a quarter of `length` and `length`. The cost is CPU
 * time and compared with itself only, because the machine may be slow or busy.
 * @param subject names the work in the message of a failure.
 */
export function assertGrowsLinearly(run: (length: number) => void, length: number, subject: string): void {
  if (cpuMs(() => run(length)) < measuredFromMs) return;
  const leastMs = (length: number): number => Math.min(...[1, 2, 3, 4, 5].map(() => cpuMs(() => run(length))));
  const growth = leastMs(length) / leastMs(length / 4);
  assert.ok(growth < maxGrowth, `4 times the length costs ${growth.toFixed(1)} times as much for ${subject}`);
}

function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
