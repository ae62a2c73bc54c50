/**
 * The encoding `o200k_base` of current OpenAI models. Its table has 2 MB, and loading it takes about 100 ms, so this
 * file is its own bundle: a window loads it in a worker (`tokenWorker.ts`), and the command line on first use.
 */
import { countTokens as countAll } from 'gpt-tokenizer/encoding/o200k_base';

/** Maximum length of a text that is counted, in characters. The rest is extrapolated. */
const maxCounted = 200_000;

/** The time of the encoding is quadratic in the length of a word, so longer runs of characters are counted in parts. */
const longRun = /\S{1000}(?=\S)|\s{1000}(?=\s)/g;

/** The number of tokens of a text. Special tokens such as `<|endoftext|>` count as text. */
export function countTokens(text: string): number {
  const counted = text.slice(0, maxCounted);
  let tokens = 0;
  let from = 0;
  for (const { index, 0: run } of counted.matchAll(longRun)) {
    tokens += tokensOf(counted.slice(from, index + run.length));
    from = index + run.length;
  }
  tokens += tokensOf(counted.slice(from));
  return counted.length === text.length ? tokens : Math.round((tokens * text.length) / counted.length);
}

function tokensOf(text: string): number {
  return countAll(text, { disallowedSpecial: new Set() });
}
