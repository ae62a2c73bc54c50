/**
 * Classifies single lines of error output: part of a stack trace, noise, or an error. The lines are untrusted, so only
 * the first `maxMatched` characters are read, and no pattern has two quantifiers that can match the same text.
 */

/** Maximum number of UTF-16 code units of a line that are read. Lines that a runtime writes are shorter. */
const maxMatched = 1_000;

/** Lines of a stack trace, in the formats of the supported runtimes. */
const frames: readonly RegExp[] = [
  // Node.js, Java, .NET, Rust, and the last line of a shortened Java stack trace.
  /^\s+at (?!\d+%)\S/,
  /^\s*\.{3} \d+ (?:more|common frames)/,
  /^\s*-{3} End of /,
  // Python.
  /^\s+File ".*", line \d+/,
  // Go.
  /^goroutine \d+ .*:$/,
  /^\s+\S+\.(?:go|s):\d+(?: \+0x[\da-f]+)?$/,
  /^created by \S/,
  // Rust.
  /^stack backtrace:$/,
  /^\s+\d+: (?:0x[\da-f]+ - |[^ ]*::)/,
  // Ruby.
  /^\s+from \S+:\d+/,
];

const noise: readonly RegExp[] = [
  /^\s*$/,
  /^\s*[\^~]+\s*$/,
  /^[\s{}()[\],;+|-]*$/,
  /^(?:Node\.js|Bun) v\d/,
  /^node:[\w/]+:\d+$/,
  /^(?:file:\/\/|\/|[A-Za-z]:\\).*:\d+$/,
  /^\(Use `\S+ --trace-/,
  /^\(node:\d+\) /,
  /^npm (?:notice|warn|WARN)\b/,
  /^npm (?:error|ERR!)\s*(?:\d{3}\s*)?$/,
  /^npm (?:error|ERR!) (?:code|errno|syscall|path|dest|command|signal|workspace|location|cwd|spawnargs|cmd|A complete log|Lifecycle script)\b/,
  /^npm (?:error|ERR!) {2,}/,
  /^\s+(?:code|errno|syscall|requireStack|path|spawnargs): /,
  /^\[signal /,
  /^exit status \d+$/,
  /^note: (?:run with|Some details are omitted)/,
  /^(?:See|Run|Try) ['"`].*--?h(?:elp)?/,
  /^\[Previous line repeated/,
];

/** `KeyError:`, `pydantic.ValidationError:`, `TypeError [ERR_X]:`, at the start or after other words. */
const namedError =
  /(?:^|[\s\])(:-])[A-Za-z_$][\w$.]{0,120}?(?:Error|Exception|Panic)(?: \[[\w-]{1,60}\])?(?::(?=\s|$)|$)/;
const bareError = /(?:^|[\s\])(:-])(?:Error|Exception)(?: \[[\w-]{1,60}\])?:(?=\s|$)/;
/** A log level at the start of the line, optionally after a time and a name. */
const leveled = /^(?:[[(]?[\d:.,TZ+/-]{4,40}[\])]?\s+){0,3}[[(*]{0,2}(?:fatal|error|critical|err!)(?=$|[\s\]:).!-])/i;
const shouted = /(?:^|[\s[|:])(?:ERROR|CRITICAL|FATAL)(?=$|[\s\]|:])/;
const jsonLevel = /"level"\s*:\s*(?:"(?:error|fatal|critical)"|[56]0)\b/i;
const toolError = /^(?:npm (?:error|ERR!)|docker: |\s*[×✖✗] )/;
const rubyError = /\((?:[\w:]*(?:Error|Exception)|NameError)\)$/;

const hint =
  /^(?:failed|cannot|can't|could not|couldn't|unable|missing|invalid|unknown|no such|unhandled|uncaught)\b|\b(?:(?:is|are) (?:required|missing|not set|not defined|invalid)|must be (?:set|provided)|not set|not found|can't|cannot|refused|denied|no module named)\b/i;

/** A line that introduces a cause inside a stack trace. The cause belongs to the error above that line. */
const causeLine = /^\s*(?:Caused by\b|\[cause\]|\[errors\]|--->|Suppressed:)/;

const boilerplate: readonly RegExp[] = [
  /^Exception in thread "[^"]{0,200}" (.+)$/,
  /^Unhandled exception[.:] (.+)$/,
  /^thread '[^']{0,200}' (?:\(\d+\) )?panicked at '(.+)', \S+:\d+:\d+$/,
  /^(thread '[^']{0,200}' (?:\(\d+\) )?panicked at .+)$/,
  /^(panic: .+)$/,
  /^(fatal error: .+)$/,
  /^Uncaught (?:exception:? )?(\S.*)$/,
  /^error: Uncaught (?:\(in promise\) )?(\S.*)$/,
];

/** Whether the line is part of a stack trace. */
export function isFrame(line: string): boolean {
  const start = line.slice(0, maxMatched);
  return frames.some((pattern) => pattern.test(start)) || isGoCall(start);
}

/** Whether the line contains no information: empty, punctuation, a version, or general advice of a runtime. */
export function isNoise(line: string): boolean {
  const start = line.slice(0, maxMatched);
  return noise.some((pattern) => pattern.test(start));
}

/** A call in a Go stack trace: `main.run(0x1, 0x2)`, `example.com/acme.(*Server).Start.func1(...)`. */
function isGoCall(line: string): boolean {
  const open = line.lastIndexOf('(');
  if (open < 0 || line.indexOf(')', open) !== line.length - 1) return false;
  const called = line.slice(0, open);
  const receiver = called.indexOf('.(');
  if (receiver < 0)
    return isGoPath(called) && /.\.[\w-]+$/.test(called.slice(Math.max(0, called.lastIndexOf('.') - 1)));
  const end = called.indexOf(')', receiver);
  return (
    isGoPath(called.slice(0, receiver)) &&
    end > 0 &&
    /^\*?\w+$/.test(called.slice(receiver + 2, end)) &&
    /^(?:\.[\w-]+)+$/.test(called.slice(end + 1))
  );
}

function isGoPath(text: string): boolean {
  return /^[\w.\-/*]+$/.test(text);
}

/** Whether the line has the format of an error message. */
export function isErrorLine(line: string): boolean {
  const start = line.slice(0, 300);
  return [namedError, bareError, leveled, shouted, jsonLevel, toolError, rubyError].some((pattern) =>
    pattern.test(start),
  );
}

/** Whether the line describes a failure without the word "error", for example with "cannot" or "not found". */
export function isHint(line: string): boolean {
  return hint.test(line.slice(0, 300));
}

/** Whether the line begins the cause of an error, such as `Caused by: …`. */
export function isCausedByLine(line: string): boolean {
  return causeLine.test(line.slice(0, maxMatched));
}

/**
 * The message after the fixed text that a runtime writes before an error that ends the process; undefined for other
 * lines.
 */
export function boilerplateOf(line: string): string | undefined {
  const start = line.slice(0, maxMatched);
  for (const pattern of boilerplate) {
    const message = pattern.exec(start)?.[1];
    if (message !== undefined) return message;
  }
  return undefined;
}
