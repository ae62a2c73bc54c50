/**
 * A name for a file or folder from any text, valid on every system: letters, digits and a few signs, no leading dot or dash,
 * no trailing dot or blank, no device name of Windows, at most 60 characters (security requirement D1).
 * @param fallback for a text of which nothing is left.
 */
export function fileNameOf(text: string, fallback = 'result'): string {
  const clean = text
    .slice(0, 1_000)
    .replace(/[^\p{L}\p{N} ._()-]+/gu, '_')
    .replace(/^[\s.-]+/, '');
  // By characters: half of a surrogate pair is no name.
  const name = [...clean]
    .slice(0, 60)
    .join('')
    .trimEnd()
    .replace(/[. ]+$/, '');
  if (name === '') return fallback;
  return reserved.test(name) ? `_${name}` : name;
}

/** Devices of Windows, also with a superscript digit, and files that its Explorer reads by itself. */
const reserved =
  /^(?:(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\.|$)|(?:desktop|autorun)(?:\.in[if])?$)/i;

/** Files that a desktop follows, or reads other places for, as soon as their folder is shown. */
const followed =
  /^(?:lnk|url|scf|pif|desktop|webloc|theme|themepack|library-ms|search-ms|searchconnector-ms|contact)$/i;

/** An extension under which a file is nothing but a file: shortcuts and the like become texts. */
export function harmlessExtension(extension: string): string {
  return followed.test(extension) ? `${extension}.txt` : extension;
}
