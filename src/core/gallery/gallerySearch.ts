/**
 * Finds servers while the user types: every word of the query must be in the name, title, publisher or description of
 * an entry, also as a part of a word. Words such as "the" do not count. If no entry has all words, similar words count
 * as well. One search reads the text of every entry, which takes a few milliseconds for 10,000 entries.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withoutAccents } from '../base/composed.js';
import { Vocabulary } from '../search/vocabulary.js';
import { isContent, stemOf } from '../search/words.js';
import type { GalleryEntry } from './galleryEntry.js';
import { nameParts } from './galleryEntry.js';

/** The texts of one entry in lower case, each with a space at its start, so that a word begins after a space. */
interface Searchable {
  entry: GalleryEntry;
  fields: readonly string[];
  all: string;
}

/** Weights of the fields: name, title, publisher, description. */
const weights = [8, 5, 3, 1] as const;
/** Share of the weight for a whole word, for the beginning of a word, and for a part within one. */
const wholeShare = 1;
const startShare = 0.75;
const insideShare = 0.3;
/** Share of the score that a deprecated server keeps. */
const deprecatedShare = 0.1;

/** Limits of a query. */
const maxQuery = 300;
const maxWords = 8;
/** Maximum number of words that are stored to find similar words, because a registry can send any number of entries. */
const maxVocabulary = 100_000;
/** Time for reading in one turn of the event loop, ms. */
const turnMs = 4;

export class GallerySearch {
  private readonly texts: Searchable[] = [];
  private readonly vocabulary = new Vocabulary();

  private constructor() {}

  /** Reads the entries in turns of the event loop that are short enough for the extension host. */
  static async over(entries: Iterable<GalleryEntry>): Promise<GallerySearch> {
    const search = new GallerySearch();
    const words = new Set<string>();
    let end = performance.now() + turnMs;
    for (const entry of entries) {
      search.add(entry, words);
      if (performance.now() < end) continue;
      await nextTurn();
      end = performance.now() + turnMs;
    }
    for (const word of words) {
      search.vocabulary.add(word);
      if (performance.now() < end) continue;
      await nextTurn();
      end = performance.now() + turnMs;
    }
    return search;
  }

  /**
   * The servers that fit best, best first. If the query has no words, the first servers of the lists. @param limit
   * default 50.
   */
  search(query: string, limit = 50): GalleryEntry[] {
    const words = [...new Set(wordsOf(query.slice(0, maxQuery)))].slice(0, maxWords);
    const content = words.filter(isContent);
    const wanted = content.length > 0 ? content : words;
    if (wanted.length === 0) return this.texts.slice(0, limit).map(({ entry }) => entry);
    const found = this.matching(
      wanted.map((word) => [word, ...stemmed(word)]),
      limit,
    );
    if (found.length > 0) return found;
    return this.matching(
      wanted.map((word) => this.guessed(word)),
      limit,
    );
  }

  private add(entry: GalleryEntry, words: Set<string>): void {
    const { publisher, short } = nameParts(entry.name);
    const fields = [short, entry.title ?? '', publisher, entry.description].map(
      (text) => ` ${wordsOf(text).join(' ')} `,
    );
    const all = fields.join('');
    // A word with digits is a name or a number, and similar ones mean something else.
    for (const word of all.split(' '))
      if (word.length < 30 && words.size < maxVocabulary && !/\d/.test(word)) words.add(word);
    this.texts.push({ entry, fields, all });
  }

  /** The best entries that have one of the alternatives of each word. Equal scores keep the order of the entries. */
  private matching(terms: readonly (readonly string[])[], limit: number): GalleryEntry[] {
    const best: { entry: GalleryEntry; score: number }[] = [];
    for (const text of this.texts) {
      if (!terms.every((words) => words.some((word) => text.all.includes(word)))) continue;
      let score = 0;
      for (const words of terms) score += bestScore(text, words);
      if (text.entry.status === 'deprecated') score *= deprecatedShare;
      // Inserting costs less than sorting all: most entries match a query of one letter.
      if (best.length >= limit && score <= (best.at(-1)?.score ?? 0)) continue;
      let at = best.length;
      while (at > 0 && (best[at - 1]?.score ?? 0) < score) at--;
      best.splice(at, 0, { entry: text.entry, score });
      if (best.length > limit) best.pop();
    }
    return best.map(({ entry }) => entry);
  }

  private guessed(word: string): readonly string[] {
    return [word, ...stemmed(word), ...this.vocabulary.similar(word)];
  }
}

function bestScore(text: Searchable, words: readonly string[]): number {
  let best = 0;
  for (const word of words) best = Math.max(best, scoreOf(text, word));
  return best;
}

function scoreOf({ fields }: Searchable, word: string): number {
  let best = 0;
  for (let at = 0; at < fields.length; at++) {
    const text = fields[at] ?? '';
    const weight = weights[at] ?? 0;
    // The weights descend, and no score exceeds 1.1 times its weight.
    if (weight * 1.1 <= best) break;
    const share = shareOf(text, word);
    if (share === 0) continue;
    // In a short text, a word says more about the server.
    best = Math.max(best, weight * (share + 0.1 * (word.length / text.length)));
  }
  return best;
}

/** The share of the weight for the best occurrence of a word in a text; 0 if the text does not contain the word. */
function shareOf(text: string, word: string): number {
  if (text.includes(` ${word} `)) return wholeShare;
  if (text.includes(` ${word}`)) return startShare;
  return text.includes(word) ? insideShare : 0;
}

/** The stem, unless it is the word itself. "calendars" finds "calendar". */
function stemmed(word: string): string[] {
  const stem = stemOf(word);
  return stem === word || !word.startsWith(stem) ? [] : [stem];
}

/** Words in lower case without accents. Unlike the words of a tool's name, they are not split at capital letters. */
function wordsOf(text: string): string[] {
  const plain = withoutAccents(text).toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
