/**
 * Glob patterns in the way VS Code's settings use them: `*` and `?` within a segment, `**` across segments, `{a,b}`,
 * `[a-z]` and `[!a]`. And `files.exclude`: what is hidden from the user is hidden from tools.
 */

/** `files.exclude` as it is written: hidden, shown, or hidden only next to another file. */
export type ExcludeRules = Readonly<Record<string, boolean | { when: string }>>;

/** Makes a pattern into a test on paths with `/`. A pattern that is not closed properly matches itself only. */
export function compileGlob(pattern: string, ignoreCase = false): (path: string) => boolean {
  // Slashes at the ends carry no meaning in settings.
  const trimmed = pattern.replace(/^\/+|\/+$/g, '');
  let test: RegExp;
  try {
    test = new RegExp(`^${source(trimmed)}$`, ignoreCase ? 'isu' : 'su');
  } catch {
    return (path) => path === trimmed;
  }
  return (path) => test.test(path);
}

function source(pattern: string): string {
  let result = '';
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char === '*') {
      const isDeep = pattern.startsWith('**', i);
      const isWhole = isDeep && (i === 0 || pattern.charAt(i - 1) === '/') && (i + 2 === pattern.length || pattern.charAt(i + 2) === '/');
      if (!isWhole) {
        result += '[^/]*';
        while (pattern.charAt(i + 1) === '*') i++;
      } else if (i + 2 === pattern.length) {
        // "a/**" is everything below a, and a itself.
        result = result.endsWith('/') ? `${result.slice(0, -1)}(?:/.*)?` : '.*';
        i += 1;
      } else {
        result += '(?:.+/)?';
        i += 2;
      }
    } else if (char === '?') result += '[^/]';
    else if (char === '{') {
      const end = closing(pattern, i);
      if (end === -1) throw new SyntaxError('unclosed group');
      result += `(?:${alternatives(pattern.slice(i + 1, end)).map(source).join('|')})`;
      i = end;
    } else if (char === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end === -1) throw new SyntaxError('unclosed set');
      const set = pattern.slice(i + 1, end);
      const isNot = set.startsWith('!') || set.startsWith('^');
      result += `[${isNot ? '^/' : ''}${(isNot ? set.slice(1) : set).replace(/[\\\]^[]/g, '\\$&')}]`;
      i = end;
    } else result += char.replace(/[\\^$.|+()}\]/]/g, char === '/' ? '/' : '\\$&');
  }
  return result;
}

function closing(pattern: string, open: number): number {
  let depth = 0;
  for (let i = open; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return i;
  }
  return -1;
}

function alternatives(body: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < body.length; i++) {
    const char = body.charAt(i);
    if (char === '{') depth++;
    else if (char === '}') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(body.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, body.slice(start)];
}

/** Writes `text` so that a glob takes it literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?{}[\]]/g, '[$&]');
}

/**
 * Whether `files.exclude` hides a file.
 * @param relative below its folder, with `/`.
 * @param exists asked about files next to it, for rules with a condition.
 */
export async function isExcluded(relative: string, rules: ExcludeRules, exists: (relative: string) => Promise<boolean>, ignoreCase = false): Promise<boolean> {
  const segments = relative.split('/');
  // Who hides a folder hides what is in it.
  const prefixes = segments.map((_segment, i) => segments.slice(0, i + 1).join('/'));
  for (const [pattern, rule] of Object.entries(rules)) {
    if (rule === false) continue;
    const matches = compileGlob(pattern, ignoreCase);
    for (const prefix of prefixes) {
      if (!matches(prefix)) continue;
      if (rule === true || (await exists(sibling(prefix, rule.when)))) return true;
    }
  }
  return false;
}

function sibling(path: string, when: string): string {
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash);
  const dot = name.lastIndexOf('.');
  return path.slice(0, slash) + when.replaceAll('$(basename)', dot > 0 ? name.slice(0, dot) : name);
}
