/**
 * Creates a name for a file or folder from any text. The name is valid on every system. It consists of at most 60
 * letters, digits and a few other characters. It does not start with a dot or a dash, does not end with a dot or a
 * space, and is not a Windows device name (security requirement D1).
 * @param fallback used when no valid character is left.
 */
export function fileNameOf(text: string, fallback = 'result'): string {
  const clean = text
    .slice(0, 1_000)
    .replace(/[^\p{L}\p{N} ._()-]+/gu, '_')
    .replace(/^[\s.-]+/, '');
  // The name is cut by characters, because half of a surrogate pair is not valid in a name.
  const name = [...clean]
    .slice(0, 60)
    .join('')
    .trimEnd()
    .replace(/[. ]+$/, '');
  if (name === '') return fallback;
  return reserved.test(name) ? `_${name}` : name;
}

/**
 * Names of Windows devices, including those with a superscript digit, and of files that Windows Explorer reads
 * automatically.
 */
const reserved =
  /^(?:(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\.|$)|(?:desktop|autorun)(?:\.in[if])?$)/i;

/** A path for display, with `~` for the home folder. Folders that only begin with the same letters are not changed. */
export function withTilde(file: string, home: string): string {
  const rest = file.startsWith(home) ? file.slice(home.length) : undefined;
  return rest === '' || (rest !== undefined && /^[\\/]/.test(rest)) ? `~${rest}` : file;
}

/** Extensions of files that a desktop evaluates when it shows their folder, or that make it access other locations. */
const followed =
  /^(?:lnk|url|scf|pif|desktop|webloc|theme|themepack|library-ms|search-ms|searchconnector-ms|appref-ms|settingcontent-ms|website|inetloc|fileloc|contact)$/i;

/** Appends `.txt` to the extension of shortcuts and similar files, so that a desktop treats them as plain text. */
export function harmlessExtension(extension: string): string {
  return followed.test(extension) ? `${extension}.txt` : extension;
}
