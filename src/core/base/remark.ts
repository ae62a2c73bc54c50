/**
 * Observations about a server, made while a caller waits for a response. Each has a kind and usually quotes the output
 * that it is based on. Remarks are hints, not failures: the wait continues, and the message of a later failure uses
 * them as an explanation.
 */
import { visibleLine } from './hostileText.js';

/**
 * - `stderr`: a line of stderr without a known meaning.
 * - `stray-output`: text on stdout that is not MCP.
 * - `login`: the output mentions a sign-in or missing credentials.
 * - `prompt`: the output asks a question that requires an answer on a terminal.
 * - `not-json`: a message over a network transport that is not JSON.
 * - `mixed-line`: a message with other text on its line; it is not processed as a message.
 * - `split-json`: one JSON value over several lines.
 * - `encoding`: text that is not UTF-8.
 * - `not-json-rpc`: JSON that is not a JSON-RPC 2.0 message.
 * - `answer-id`: a response whose id matches no request or has another type.
 * - `no-endpoint`: an event stream of HTTP+SSE without a usable `endpoint` event.
 * - `accepted`: HTTP status 202 instead of a response.
 */
export type RemarkKind =
  | 'stderr'
  | 'stray-output'
  | 'login'
  | 'prompt'
  | 'not-json'
  | 'mixed-line'
  | 'split-json'
  | 'encoding'
  | 'not-json-rpc'
  | 'answer-id'
  | 'accepted'
  | 'no-endpoint';

export interface Remark {
  readonly kind: RemarkKind;
  /** The output of the server: raw when observed; one escaped line without secrets after `shownRemark`. */
  readonly quote?: string;
}

/** Maximum length of a quote, in characters: unescaped, and as shown. */
const maxRaw = 4_000;
const maxQuote = 200;
/** Number of characters of a line that are searched for keywords; limits the work per line. */
const maxSearched = 300;

const asksOnTerminal =
  /\(y\)|\(y\/n\)|\[y\/n\]|\(yes\/no\)|\bok to proceed\b|\bpress (?:any key|enter|return)\b|^(?:enter )?(?:password|passphrase|username)\b.*:\s*$/i;
const speaksOfLogin =
  /\b(?:log|sign)(?:ged|ging)?[ -]?(?:in|on)\b|\blogin\b|\bauthenticat(?:e|ion)\b|\bauthoriz(?:e|ation)\b|\bunauthori[sz]ed\b|\bnot logged in\b|\bdevice code\b|\benter (?:the|this) code\b|\b(?:api[ _-]?key|access token|credentials?)\b.*\b(?:missing|required|not (?:set|found|provided)|invalid|expired)\b|\b(?:missing|required|no|set|provide|invalid|expired)\b.*\b(?:api[ _-]?key|access token|credentials?)\b/i;

/** The remark on a line of stdout that is not JSON. @param isUnfinished whether the line has no end yet. */
export function remarkOnOutput(text: string, isUnfinished = false): Remark {
  return { kind: outputKind(text, isUnfinished), ...quoted(text) };
}

/** The remark on text that is not JSON and arrived over a network transport, which has no stdout and no terminal. */
export function remarkOnNetworkText(text: string): Remark {
  const kind = outputKind(text, false);
  return {
    kind: kind === 'encoding' || kind === 'split-json' || kind === 'mixed-line' ? kind : 'not-json',
    ...quoted(text),
  };
}

/** The remark on a line of stderr. @param isUnfinished whether the line has no end yet. */
export function remarkOnStderr(line: string, isUnfinished = false): Remark {
  const start = line.slice(0, maxSearched);
  const kind = isPrompt(start, isUnfinished) ? 'prompt' : speaksOfLogin.test(start) ? 'login' : 'stderr';
  return { kind, ...quoted(line) };
}

/** A remark of this kind, with the output that it is based on. */
export function remarkOf(kind: RemarkKind, text?: string): Remark {
  return { kind, ...quoted(text ?? '') };
}

/** The remark for display: its quote without secrets, escaped, on one line of at most 200 characters. */
export function shownRemark({ kind, quote = '' }: Remark, mask: (text: string) => string): Remark {
  const line = visibleLine(mask(quote), maxQuote);
  return line === '' ? { kind } : { kind, quote: line };
}

/** The remark in a failure (`HostError.data.remark`); undefined if there is none. */
export function readRemark(value: unknown): Remark | undefined {
  const isRemark =
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    Object.hasOwn(weights, value.kind);
  return isRemark ? (value as Remark) : undefined;
}

/** Whether a remark indicates a cause. A plain stderr line does not: it may be a progress message. */
export function namesCause({ kind }: Remark): boolean {
  return kind !== 'stderr';
}

/** The weight of a remark. Of two remarks, the one with the larger weight is the better explanation. */
export function weightOf({ kind }: Remark): number {
  return weights[kind];
}

const weights: Record<RemarkKind, number> = {
  stderr: 0,
  'stray-output': 1,
  login: 2,
  prompt: 3,
  accepted: 4,
  'not-json': 4,
  'mixed-line': 5,
  'split-json': 5,
  encoding: 5,
  'not-json-rpc': 5,
  'answer-id': 5,
  'no-endpoint': 6,
};

function outputKind(text: string, isUnfinished: boolean): RemarkKind {
  const start = text.slice(0, maxSearched);
  // UTF-16 read as UTF-8: a zero in every other byte, or an invalid byte order mark.
  if (start.includes('\0') || start.startsWith('\ufffd\ufffd')) return 'encoding';
  if (/^\s*[{[]\s*$/.test(start)) return 'split-json';
  if (/\{\s*"(?:jsonrpc|id|method|result)"\s*:/.test(start)) return 'mixed-line';
  if (isPrompt(start, isUnfinished)) return 'prompt';
  return speaksOfLogin.test(start) ? 'login' : 'stray-output';
}

/**
 * Whether the text is a prompt that waits for input: it contains words that are typical of a terminal prompt, or its
 * last line is unfinished and ends like a question.
 */
function isPrompt(text: string, isUnfinished: boolean): boolean {
  return asksOnTerminal.test(text) || (isUnfinished && /[?:>]\s*$/.test(text));
}

function quoted(text: string): { quote?: string } {
  const quote = text.trim().slice(0, maxRaw);
  return quote === '' ? {} : { quote };
}
