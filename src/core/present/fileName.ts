/**
 * A name for a file or folder from any text, valid on every system: letters, digits and a few signs, no leading dot or dash,
 * no trailing dot or blank, no device name of Windows, at most 60 characters (security requirement D1).
 * @param fallback for a text of which nothing is left.
 */
export function fileNameOf(text: string, fallback = 'result'): string {
  const clean = text.slice(0, 1_000).replace(/[^\p{L}\p{N} ._()-]+/gu, '_').replace(/^[\s.-]+/, '');
  // By characters: half of a surrogate pair is no name.
  const name = [...clean].slice(0, 60).join('').trimEnd().replace(/[. ]+$/, '');
  if (name === '') return fallback;
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) ? `_${name}` : name;
}
