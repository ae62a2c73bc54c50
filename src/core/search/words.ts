import { withoutAccents } from '../base/composed.js';

/** Splits the texts of tools and queries into words, and reduces each word to its stem. */

/** Stop words, in the languages that the synonyms cover. A search ignores them, unless its query has no other words. */
const stopWords = new Set(
  (
    'a an the of to in on at by for from with without into onto as is are was were be been being am do does did done ' +
    'has have had having it its this that these those there here i me my mine we us our you your he she they them their ' +
    'his her and or not no but if then than so too very just only also some any all every each which what who whom whose ' +
    'when where why how can could may might will would shall should must let lets please plz pls want need like ' +
    'about over under between after before again once such same own via per s t re ve ll d m dat teh ' +
    'der die das den dem des ein eine einen einem einer und oder nicht ist sind war im in am an auf aus bei mit von vom ' +
    'zu zum zur fur mir mich mein meine meinen ich du wir ihr sie es was wie wo wer bitte ' +
    'le la les un une des du de et ou est sont dans sur pour par avec sans mon ma mes je tu il elle nous vous ce cette ' +
    'el los las una unos unas y o es son en con sin por para mi mis yo del al lo que'
  ).split(' '),
);

const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** All words in lower case, without accents, in the order of the text. Splits camelCase, snake_case and kebab-case. */
export function wordsOf(text: string): string[] {
  const spaced = text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/['’](?=(?:s|t|re|ve|ll|d|m)\b)/g, ' ');
  const plain = withoutAccents(spaced).toLowerCase();
  const words: string[] = [];
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (cjk.test(word)) words.push(...pairsOf(word));
    else words.push(word);
  }
  return words;
}

/** Whether a word is not a stop word. */
export function isContent(word: string): boolean {
  return !stopWords.has(word);
}

/** Text without spaces between words is searched by its pairs of characters. */
function pairsOf(text: string): string[] {
  const characters = [...text];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

/** The stem of an English word; words that differ only in their ending have the same stem. */
export function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  return withoutEnd(singular(word));
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutEnd(word: string): string {
  for (const end of ['ing', 'ed']) {
    const stem = word.slice(0, -end.length);
    if (word.endsWith(end) && stem.length >= 3 && /[aeiouy]/.test(stem)) return base(undoubled(stem));
  }
  if (/[st]ion$/.test(word) && word.length > 6) return base(word.slice(0, -3));
  if (word.endsWith('ment') && word.length > 7) return base(word.slice(0, -4));
  if (word.endsWith('ly') && word.length > 5) return base(word.slice(0, -2));
  return base(word);
}

function undoubled(stem: string): string {
  return /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

/** The endings `e` and `y` change between the forms of a word: create and creating, copy and copies. */
function base(stem: string): string {
  if (stem.length > 3 && stem.endsWith('e')) return stem.slice(0, -1);
  return stem.length > 3 && stem.endsWith('y') ? `${stem.slice(0, -1)}i` : stem;
}
