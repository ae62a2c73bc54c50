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
/** Far above the cost of linear work on the longest text, and far below that of quadratic work. */
const maxCpuMs = 300;

/**
 * Fails if `work` takes much longer than linear time for a hostile text. The guard is CPU time, because the machine may
 * be busy with other work.
 * @param beginning comes before the repeated part. Default none.
 */
export function assertLinear(work: (text: string) => unknown, beginning = ''): void {
  for (const { length, endings } of attempts)
    for (const part of repeated)
      for (const ending of endings) {
        const text = beginning + part.repeat(Math.ceil(length / part.length)) + ending;
        const before = process.cpuUsage();
        work(text);
        const { user, system } = process.cpuUsage(before);
        const spent = (user + system) / 1_000;
        assert.ok(
          spent < maxCpuMs,
          `${spent.toFixed(0)} ms for ${JSON.stringify(beginning)} and ${length} characters of ${JSON.stringify(part)}, then ${JSON.stringify(ending)}`,
        );
      }
}
