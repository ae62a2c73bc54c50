/**
 * Finds tools by words: BM25 over weighted fields, with stems, synonyms and tolerance for typing errors. All tools are
 * read once; a search reads only the tools that have one of its words.
 */
import { readSynonyms, synonyms } from './synonyms.js';
import type { SearchableTool, ToolFields } from './toolFields.js';
import { fieldsOf } from './toolFields.js';
import { Vocabulary } from './vocabulary.js';
import { isContent, stemOf, wordsOf } from './words.js';

export interface ToolHit {
  server: string;
  name: string;
  /** Comparable only within one search. */
  score: number;
}

/** Parameters of BM25 (Robertson and Zaragoza, 2009): saturation of repeated words, and the influence of length. */
const saturation = 1.2;
const lengthInfluence = 0.7;

/** Weight of a word that is a guess for a mistyped one. */
const guessWeight = 0.9;

/** Minimum share of its score that a tool keeps if it does not match all words of the query. */
const partialShare = 0.7;

/**
 * Increase of the score of a tool if all words of its name are in the query; a part of the name gets a proportional
 * share. It ranks direct wording before tools that only share synonyms with the query.
 */
const nameBonus = 0.35;

/** Maximum length of a query, in words and in characters. */
const maxQueryWords = 40;
const maxQueryLength = 2_000;

/** Maximum number of words of a query for which similar words are guessed. */
const maxGuessed = 8;

/** The words that match one word of the query, each with its weight. */
type Matches = Map<string, number>;

export class ToolIndex {
  private readonly vocabulary = new Vocabulary();
  /** By word: the positions of tools and the weighted frequency of the word in each, alternating. */
  private readonly postings = new Map<string, number[]>();
  /** By position: the length normalization of BM25 for the texts of the tool. */
  private norms = new Float64Array();
  /** By position: the stems of the tool's name. */
  private readonly names: (readonly string[])[] = [];
  /**
   * By position: the score of the best match for the current word of a query, and the weight of this match. All values
   * of `best` are 0 between searches.
   */
  private readonly best: Float64Array;
  private readonly weight: Float64Array;

  private constructor(private readonly tools: readonly SearchableTool[]) {
    this.best = new Float64Array(tools.length);
    this.weight = new Float64Array(tools.length);
  }

  /** Reads the tools in steps of a few milliseconds at most, and returns the index. */
  static *reading(tools: readonly SearchableTool[]): Generator<void, ToolIndex, void> {
    const index = new ToolIndex(tools);
    yield* index.read();
    return index;
  }

  private *read(): Generator<void, void, void> {
    const { tools } = this;
    yield* readSynonyms();
    const lengths: number[] = [];
    for (const [position, tool] of tools.entries()) {
      lengths.push(this.add(fieldsOf(tool), position));
      this.names.push([...new Set(wordsOf(tool.name).filter(isContent).map(stemOf))]);
      yield;
    }
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length);
    this.norms = Float64Array.from(
      lengths,
      (length) => saturation * (1 - lengthInfluence + (lengthInfluence * length) / Math.max(1, average)),
    );
    for (const word of this.postings.keys()) {
      this.vocabulary.add(word);
      yield;
    }
  }

  /** The tools that fit the query best, best first. */
  search(query: string, limit = 10): ToolHit[] {
    const totals = new Float64Array(this.tools.length);
    const found = new Float64Array(this.tools.length);
    const positions: number[] = [];
    let importance = 0;
    const stems = new Set(wordsOf(query.slice(0, maxQueryLength)).slice(0, maxQueryWords).map(stemOf));
    for (const matches of this.termsOf(query)) {
      const term = this.scoresOf(matches);
      importance += term.importance;
      for (const position of term.positions) {
        if (totals[position] === 0) positions.push(position);
        totals[position] = (totals[position] ?? 0) + (this.best[position] ?? 0);
        found[position] = (found[position] ?? 0) + (this.weight[position] ?? 0) * term.importance;
        this.best[position] = 0;
      }
    }
    const ranked = positions.map((position): [position: number, score: number] => {
      const share = (found[position] ?? 0) / importance;
      const score = (totals[position] ?? 0) * (partialShare + (1 - partialShare) * share);
      return [position, score * (1 + nameBonus * this.namedShare(position, stems))];
    });
    return bestOf(ranked, limit).flatMap(([position, score]) => {
      const tool = this.tools[position];
      return tool ? [{ server: tool.server, name: tool.name, score }] : [];
    });
  }

  /** The share of the words of a tool's name that the query contains. */
  private namedShare(position: number, stems: ReadonlySet<string>): number {
    const name = this.names[position] ?? [];
    return name.length === 0 ? 0 : name.filter((stem) => stems.has(stem)).length / name.length;
  }

  private add(fields: ToolFields, position: number): number {
    const counts = new Map<string, number>();
    let length = 0;
    for (const { text, weight } of fields)
      for (const word of wordsOf(text)) {
        if (!isContent(word)) continue;
        const stem = stemOf(word);
        counts.set(stem, (counts.get(stem) ?? 0) + weight);
        length += weight;
      }
    for (const [word, count] of counts) {
      const list = this.postings.get(word);
      if (list) list.push(position, count);
      else this.postings.set(word, [position, count]);
    }
    return length;
  }

  /** The words of a query with their matches. Stop words are used only if the query has no other words. */
  private termsOf(query: string): Matches[] {
    const words = wordsOf(query.slice(0, maxQueryLength)).slice(0, maxQueryWords);
    const content = words.filter(isContent);
    const stems = (content.length > 0 ? content : words).map(stemOf);
    let left = maxGuessed;
    const terms = [...new Set(stems)].map((stem) => this.matchesOf(stem, () => left-- > 0));
    const all = words.map(stemOf);
    for (const length of [2, 3])
      for (let at = 0; at + length <= all.length; at++) {
        const phrase = synonyms().get(all.slice(at, at + length).join(' '));
        if (phrase) terms.push(new Map(phrase));
      }
    return terms.filter((matches) => matches.size > 0);
  }

  private matchesOf(stem: string, mayGuess: () => boolean): Matches {
    const matches: Matches = new Map();
    const match = (word: string, weight: number) => {
      if (this.postings.has(word)) matches.set(word, Math.max(matches.get(word) ?? 0, weight));
    };
    match(stem, 1);
    const related = synonyms().get(stem);
    for (const [word, weight] of related ?? []) match(word, weight);
    if (matches.has(stem) || !mayGuess()) return matches;
    for (const guess of this.vocabulary.similar(stem)) {
      const weight = related ? guessWeight / 2 : guessWeight;
      match(guess, weight);
      for (const [word, nearness] of synonyms().get(guess) ?? []) match(word, weight * nearness);
    }
    return matches;
  }

  /**
   * Writes the score of each tool for one word of the query into `best`. If a tool has several matches, the best one
   * counts, not their sum. The caller resets `best` at the returned positions.
   */
  private scoresOf(matches: Matches): { importance: number; positions: number[] } {
    const { best, weight: weights } = this;
    const positions: number[] = [];
    let importance = 0;
    for (const [word, weight] of matches) {
      const list = this.postings.get(word) ?? [];
      const rarity = this.rarityOf(list.length / 2);
      importance = Math.max(importance, weight * rarity);
      const factor = weight * rarity * (saturation + 1);
      for (let at = 0; at < list.length; at += 2) {
        const position = list[at] ?? 0;
        const frequency = list[at + 1] ?? 0;
        const known = best[position] ?? 0;
        const score = (factor * frequency) / (frequency + (this.norms[position] ?? 1));
        if (known >= score) continue;
        if (known === 0) positions.push(position);
        best[position] = score;
        weights[position] = weight;
      }
    }
    return { importance, positions };
  }

  private rarityOf(count: number): number {
    return Math.log(1 + (this.tools.length - count + 0.5) / (count + 0.5));
  }
}

/** The first items by score, without sorting all of them; equal scores keep their order. */
function bestOf(ranked: [position: number, score: number][], limit: number): [position: number, score: number][] {
  const isBetter = (one: [number, number], other: [number, number]) =>
    one[1] > other[1] || (one[1] === other[1] && one[0] < other[0]);
  const top: [position: number, score: number][] = [];
  for (const item of ranked) {
    const last = top[limit - 1];
    if (last && !isBetter(item, last)) continue;
    let at = top.length;
    while (at > 0 && isBetter(item, top[at - 1] ?? item)) at--;
    top.splice(at, 0, item);
    if (top.length > limit) top.pop();
  }
  return top;
}
