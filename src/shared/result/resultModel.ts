/**
 * The result of a run for display. It is limited in size, serializable, and created by
 * `core/present/result/makeResultModel.ts`. Hidden characters in its texts are escaped. The texts still come from a
 * server, so they must be set as text, never as HTML.
 */

/** All states of the result area. */
export type ResultModel = RunningResult | FailedResult | DoneResult;

/** One line that the server sent while the call ran. */
export interface LogLine {
  text: string;
  /** The syslog severity. Absent if the server sent none. */
  level?: string;
}

export interface RunningResult {
  kind: 'running';
  /** The ID of the run. Requests about the result contain it. */
  id: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /**
   * Present while the call waits for an answer of the user. `request` is the ID of the request, if it can be opened.
   */
  waiting?: { request?: string };
  /** The progress message from the server. */
  progress?: { text: string; /** Between 0 and 1, if the server sent a total. */ fraction?: number };
  log: readonly LogLine[];
  /** Number of lines that are missing in `log`, because there were too many. */
  logDropped: number;
}

/** The call failed or was canceled, so there is no result. */
export interface FailedResult {
  kind: 'failed';
  id: string;
  isCancelled: boolean;
  /** True if the call was not sent, so there is neither a request nor a duration to show. */
  isUnsent?: true;
  /** Whether the log of the server may contain more information. */
  showsLog?: boolean;
  /** The failure, the server, and the suggested action, as text that is ready to be shown. */
  message: string;
  durationMs: number;
  log: readonly LogLine[];
  logDropped: number;
  raw: RawExchange;
}

export interface DoneResult {
  kind: 'done';
  id: string;
  /** Whether the server marked the result as an error. */
  isError: boolean;
  durationMs?: number;
  /** Approximate size of the response in bytes. */
  bytes: number;
  /** Whether the response is larger than `bytes`, because the size was counted only up to a limit. */
  isMore?: true;
  /** Whether the parts are messages of a prompt, which have buttons to insert and send them. */
  isPrompt?: true;
  /** The server's description of a prompt. */
  description?: string;
  /** Notes of MCP Deck about the result, such as omitted content or hidden characters. */
  notes: readonly string[];
  parts: readonly ResultPart[];
  structured?: StructuredOutput;
  /** Whether the tool has an app that can show this result. */
  hasApp?: true;
  log: readonly LogLine[];
  logDropped: number;
  raw: RawExchange;
  /** The previous result of the same tool. Absent for the first one. */
  previous?: {
    id: string;
    isSame: boolean;
    /**
     * Whether the results can be compared: both contain text, or both contain images or other files that are still
     * available.
     */
    canCompare: boolean;
    /** Milliseconds since the epoch. */
    startedAt: number;
  };
}

/** The `structuredContent`, and its differences from the output schema of the tool. */
export interface StructuredOutput {
  json: JsonDocument;
  /** The differences. Each is a sentence that states the location in the content. */
  problems: readonly string[];
}

/** Request and response as JSON text. */
export interface RawExchange {
  request: CutText;
  response?: CutText;
}

/** A text, which may be cut. */
export interface CutText {
  text: string;
  /** Whether the text continues beyond this part. */
  isCut: boolean;
  /** Number of omitted characters, if known. */
  more?: number;
}

/** A part of a result. The parts have the order of the response. */
export interface ResultPart {
  /** Index in the content of the result. Requests about the part contain it. */
  index: number;
  /** The role of a prompt message. */
  role?: 'user' | 'assistant';
  /** The intended audience according to the server. Absent if the content is for both. */
  audience?: 'user' | 'assistant';
  body: PartBody;
}

export type PartBody = TextBody | JsonBody | MediaBody | SvgBody | LinksBody | ResourceBody | NoteBody;

export interface TextBody extends CutText {
  kind: 'text';
  format: 'plain' | 'markdown';
}

interface JsonBody {
  kind: 'json';
  json: JsonDocument;
}

/** Media whose type was detected from the first bytes. */
export interface MediaBody {
  kind: 'image' | 'audio' | 'video';
  /** The type that was detected from the data, which may differ from the type that the server sent. */
  mimeType: string;
  bytes: Uint8Array;
  /** Facts such as `png, 12 kB, 640 × 480`. */
  facts: string;
  width?: number;
  height?: number;
}

/** An SVG image. It is used only as the source of an image element, where it cannot run scripts or load anything. */
export interface SvgBody extends CutText {
  kind: 'svg';
  /** The original text of the image. Absent if it is too large to draw. */
  image?: string;
  /** Whether the image is simple enough to be drawn without a click. */
  isPlain: boolean;
  facts: string;
}

/** Consecutive resource links. */
export interface LinksBody {
  kind: 'links';
  links: readonly ResourceLink[];
}

export interface ResourceLink {
  /** Index in the content of the result. */
  index: number;
  name: string;
  uri: string;
  description?: string;
  mimeType?: string;
  /** The size as text, such as `12 kB`. */
  size?: string;
}

/** An embedded resource. */
export interface ResourceBody {
  kind: 'resource';
  uri: string;
  mimeType?: string;
  body: Exclude<PartBody, ResourceBody | LinksBody>;
}

/** Explains why content cannot be shown. */
export interface NoteBody {
  kind: 'note';
  text: string;
  /** Whether there is data that can be saved. */
  canSave: boolean;
}

/** JSON as a tree. The tree contains only the part that was parsed. */
export interface JsonDocument {
  root: JsonNode;
  /** False if `root` contains only the beginning. */
  isWhole: boolean;
}

export type JsonNode = JsonObject | JsonArray | JsonScalar;

interface JsonObject {
  kind: 'object';
  entries: readonly JsonEntry[];
  /** Whether more entries follow that are left out. */
  isCut?: true;
}

export interface JsonEntry {
  /** The unchanged name, for paths. */
  key: string;
  /** The name with visible escapes for hidden characters, if it differs. */
  label?: string;
  value: JsonNode;
}

interface JsonArray {
  kind: 'array';
  items: readonly JsonNode[];
  isCut?: true;
}

export interface JsonScalar {
  /** The kind of value. `cut` means that the value is nested too deeply to be shown. */
  kind: 'string' | 'number' | 'boolean' | 'null' | 'cut';
  /** The visible text. Numbers are unchanged. */
  text: string;
  /** Number of omitted characters of a string. */
  more?: number;
}

/** The path from a JSON value to a nested value. */
export type JsonPath = readonly (string | number)[];

/** A path in JSONPath syntax (RFC 9535): `$.files[0]["odd name"]`. */
export function pathText(path: JsonPath): string {
  return `$${path.map(stepText).join('')}`;
}

function stepText(step: JsonPath[number]): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
