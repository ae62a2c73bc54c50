/** The key handling of a JSON editor: pairs of brackets and quotation marks, indentation, and Tab. Pure functions. */

/** Replaces the range between the offsets `from` and `to`, and then selects the range from `start` to `end`. */
export interface TextEdit {
  from: number;
  to: number;
  text: string;
  start: number;
  end: number;
}

export interface Selection {
  start: number;
  end: number;
}

const indent = '  ';
const pairs: Record<string, string> = { '{': '}', '[': ']', '"': '"' };

/**
 * The edit for a key. Undefined if the key keeps its default effect. If the typed closing bracket or quotation mark is
 * already there, the edit only moves the cursor past it.
 */
export function typed(source: string, selection: Selection, key: string): TextEdit | undefined {
  switch (key) {
    case 'Enter':
      return newLine(source, selection);
    case 'Backspace':
      return deletePair(source, selection);
    case 'Tab':
      return selection.start === selection.end ? inserted(selection, indent) : shiftLines(source, selection, 1);
    case 'Shift+Tab':
      return shiftLines(source, selection, -1);
    case '}':
    case ']':
      return closeBracket(source, selection, key);
    case '"':
      return quote(source, selection);
    case '{':
    case '[':
      return pair(source, selection, key);
    default:
      return undefined;
  }
}

function inserted({ start, end }: Selection, text: string, caret = text.length): TextEdit {
  return { from: start, to: end, text, start: start + caret, end: start + caret };
}

/**
 * Inserts a line break and keeps the indentation, one level deeper after an opening bracket. A closing bracket directly
 * after the cursor moves to its own line.
 */
function newLine(source: string, selection: Selection): TextEdit {
  const { start, end } = selection;
  const line = source.slice(lineStart(source, start), start);
  const margin = /^[ \t]*/.exec(line)?.[0] ?? '';
  const isOpen = /[{[][ \t]*$/.test(line);
  const deeper = `\n${margin}${isOpen ? indent : ''}`;
  const isClosed = isOpen && /^[ \t]*[}\]]/.test(source.slice(end, end + 200));
  return inserted(selection, isClosed ? `${deeper}\n${margin}` : deeper, deeper.length);
}

function deletePair(source: string, { start, end }: Selection): TextEdit | undefined {
  const before = source[start - 1] ?? '';
  if (start !== end || pairs[before] === undefined || pairs[before] !== source[start]) return undefined;
  if (before === '"' && isInString(source, start - 1)) return undefined;
  return { from: start - 1, to: start + 1, text: '', start: start - 1, end: start - 1 };
}

function pair(source: string, selection: Selection, open: string): TextEdit | undefined {
  const { start, end } = selection;
  if (isInString(source, start)) return undefined;
  const close = pairs[open] ?? '';
  if (start !== end)
    return { from: start, to: end, text: open + source.slice(start, end) + close, start: start + 1, end: end + 1 };
  // If a value follows, the bracket is probably meant for that value, so no closing bracket is added.
  return /^[ \t\r\n]*($|[}\],])/.test(source.slice(end, end + 200)) ? inserted(selection, open + close, 1) : undefined;
}

function quote(source: string, selection: Selection): TextEdit | undefined {
  const { start, end } = selection;
  if (isInString(source, start)) {
    // The editor has already inserted the closing quotation mark.
    const isLast = start === end && source[start] === '"' && !isEscaped(source, start);
    return isLast ? { from: start, to: start, text: '', start: start + 1, end: start + 1 } : undefined;
  }
  if (start !== end) return undefined;
  return /^($|[\s}\],:])/.test(source.slice(end, end + 1)) ? inserted(selection, '""', 1) : undefined;
}

function closeBracket(source: string, selection: Selection, close: string): TextEdit | undefined {
  const { start, end } = selection;
  if (start !== end || isInString(source, start)) return undefined;
  if (source[start] === close) return { from: start, to: start, text: '', start: start + 1, end: start + 1 };
  // On a line that is otherwise empty, a closing bracket is indented one level less.
  const line = source.slice(lineStart(source, start), start);
  if (!/^[ \t]+$/.test(line)) return undefined;
  const from = start - (line.endsWith(indent) ? indent.length : 1);
  return { from, to: start, text: close, start: from + 1, end: from + 1 };
}

/** Indents the selected lines by one level, or removes one level. */
function shiftLines(source: string, { start, end }: Selection, direction: 1 | -1): TextEdit | undefined {
  const from = lineStart(source, start);
  const lastBreak = source.indexOf('\n', end > start && source[end - 1] === '\n' ? end - 1 : end);
  const to = lastBreak < 0 ? source.length : lastBreak;
  const lines = source.slice(from, to).split('\n');
  const shifted = lines.map((line) =>
    direction > 0 ? (line === '' ? line : indent + line) : line.replace(/^(?: {1,2}|\t)/, ''),
  );
  const text = shifted.join('\n');
  if (text === source.slice(from, to)) return undefined;
  const first = (shifted[0] ?? '').length - (lines[0] ?? '').length;
  const moved = Math.max(from, start + first);
  if (start === end) return { from, to, text, start: moved, end: moved };
  return { from, to, text, start: moved, end: Math.max(moved, end + text.length - (to - from)) };
}

/**
 * Whether an offset is inside a string. Checks only the line of the offset, because a JSON string cannot contain line
 * breaks.
 */
function isInString(source: string, offset: number): boolean {
  const line = source.slice(lineStart(source, offset), offset);
  let isIn = false;
  for (let at = 0; at < line.length; at++) {
    if (isIn && line[at] === '\\') at++;
    else if (line[at] === '"') isIn = !isIn;
  }
  return isIn;
}

function isEscaped(source: string, offset: number): boolean {
  let count = 0;
  while (source[offset - 1 - count] === '\\') count++;
  return count % 2 === 1;
}

/** Offset of the beginning of the line that contains `offset`. */
export function lineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1;
}
