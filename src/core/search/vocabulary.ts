/** The words of all tools, to find the ones that a mistyped word could mean. */

import { editDistance } from '../base/editDistance.js';

/** Maximum number of guesses for one word. */
const maxGuesses = 3;

/** Maximum number of entries of `byPair` that are read for one word: about 1 ms. */
const maxRead = 10_000;

/** Maximum number of words that are compared with one word. */
const maxCompared = 300;

/** Minimum length of a word for which others are guessed; shorter words are too similar to each other. */
const minLength = 3;

export class Vocabulary {
  /** The words by pairs of neighboring characters, with a mark at both ends. */
  private readonly byPair = new Map<string, string[]>();

  add(word: string): void {
    if (word.length < minLength || word.length > 30) return;
    for (const pair of pairsOf(word)) {
      const list = this.byPair.get(pair);
      if (list) list.push(word);
      else this.byPair.set(pair, [word]);
    }
  }

  /** The words that differ least from a word, or begin with it; the most similar one first. */
  similar(word: string): string[] {
    if (word.length < minLength || word.length > 30) return [];
    const { shared, pairs, unread } = this.sharing(word);
    const limit = word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
    const guesses: { candidate: string; distance: number; common: number }[] = [];
    const alike: { candidate: string; common: number }[] = [];
    // One changed character changes two pairs.
    const least = pairs - 1 - 2 * limit - unread;
    for (const [candidate, common] of shared) {
      if (candidate.startsWith(word) && candidate.length <= word.length + 5) {
        guesses.push({ candidate, distance: 0.5 + (candidate.length - word.length) / 10, common });
        continue;
      }
      if (limit === 0 || Math.abs(candidate.length - word.length) > limit) continue;
      if (common >= least) alike.push({ candidate, common });
    }
    if (alike.length > maxCompared) alike.sort((one, other) => other.common - one.common);
    for (const { candidate, common } of alike.slice(0, maxCompared)) {
      const distance = editDistance(word, candidate, limit);
      if (distance <= limit)
        guesses.push({ candidate, distance: distance + (candidate[0] === word[0] ? 0 : 0.5), common });
    }
    guesses.sort((one, other) => one.distance - other.distance || other.common - one.common);
    const best = guesses[0]?.distance ?? 0;
    return guesses
      .filter(({ distance }) => distance <= best + 0.5)
      .slice(0, maxGuesses)
      .map(({ candidate }) => candidate);
  }

  /** The words that share pairs with a word, with the number of these pairs. Reads the rarest pairs first. */
  private sharing(word: string): { shared: Map<string, number>; pairs: number; unread: number } {
    const shared = new Map<string, number>();
    const lists = [...pairsOf(word)].map((pair) => this.byPair.get(pair) ?? []);
    let left = maxRead;
    let unread = 0;
    for (const list of lists.sort((one, other) => one.length - other.length)) {
      left -= list.length;
      if (left < 0) unread++;
      else for (const candidate of list) shared.set(candidate, (shared.get(candidate) ?? 0) + 1);
    }
    return { shared, pairs: lists.length, unread };
  }
}

function pairsOf(word: string): Set<string> {
  const marked = `^${word}$`;
  const pairs = new Set<string>();
  for (let at = 0; at < marked.length - 1; at++) pairs.add(marked.slice(at, at + 2));
  return pairs;
}
