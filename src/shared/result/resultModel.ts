/**
 * What a run gave, as the page draws it: bounded, serializable, made by `core/present/result/resultModel.ts`. Text in it was made
 * visible (hidden characters are written as escapes); it is still a server's text and is only ever set as text.
 */

/** Everything that the result side of a panel can be in. */
export type ResultModel = RunningResult | FailedResult | DoneResult;

/** One line that the server sent while the call ran. */
export interface LogLine {
  text: string;
  /** A syslog severity where the server gave one. */
  level?: string;
}

export interface RunningResult {
  kind: 'running';
  /** Of the run; requests name it. */
  id: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The server's own words about its progress. */
  progress?: { text: string; /** 0 to 1, where the server said a total. */ fraction?: number };
  log: readonly LogLine[];
  /** Lines that are not in `log` because there were too many. */
  logDropped: number;
}

/** The call itself failed, or was canceled: there is no result. */
export interface FailedResult {
  kind: 'failed';
  id: string;
  isCancelled: boolean;
  /** What happened, to which server, what to do: ready to be shown. */
  message: string;
  durationMs: number;
  log: readonly LogLine[];
  logDropped: number;
  raw: RawExchange;
}

export interface DoneResult {
  kind: 'done';
  id: string;
  /** The tool says itself that it failed. */
  isError: boolean;
  durationMs?: number;
  /** About how many bytes came. */
  bytes: number;
  /** More than that; nobody counted to the end. */
  isMore?: true;
  /** The parts are messages of a prompt, which one wants to use elsewhere. */
  isPrompt?: true;
  /** Of a prompt: the server's words about these messages. */
  description?: string;
  /** Remarks of ours: what is left out, what was found hidden. */
  notes: readonly string[];
  parts: readonly ResultPart[];
  structured?: StructuredOutput;
  /** The tool has an app that can show this result. */
  hasApp?: true;
  log: readonly LogLine[];
  logDropped: number;
  raw: RawExchange;
  /** Of the same tool with anything before; absent: this is the first. */
  previous?: { id: string; isSame: boolean; /** Milliseconds since the epoch. */ startedAt: number };
}

/** `structuredContent`, with what does not fit the tool's output schema. */
export interface StructuredOutput {
  json: JsonDocument;
  /** Each a sentence with its place. */
  problems: readonly string[];
}

/** Request and response as JSON text. */
export interface RawExchange {
  request: CutText;
  response?: CutText;
}

/** A text, or its beginning. */
export interface CutText {
  text: string;
  /** More follows that is not here. */
  isCut: boolean;
  /** How many characters follow, where somebody counted. */
  more?: number;
}

/** A piece of a result in the order of the answer. */
export interface ResultPart {
  /** Place in the content of the result; requests name it. */
  index: number;
  /** Of a prompt's message. */
  role?: 'user' | 'assistant';
  /** For whom the server meant it, where it is not for both. */
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

/** Data whose first bytes say what it is. */
export interface MediaBody {
  kind: 'image' | 'audio' | 'video';
  /** Told by the data, never by the server. */
  mimeType: string;
  bytes: Uint8Array;
  /** `png, 12 kB, 640 × 480` */
  facts: string;
  width?: number;
  height?: number;
}

/** A drawing. As the source of an image it runs nothing and loads nothing. */
export interface SvgBody extends CutText {
  kind: 'svg';
  /** The text as it came, for the image; absent when it is too large to be drawn. */
  image?: string;
  /** Cheap enough to draw unasked. */
  isPlain: boolean;
  facts: string;
}

/** Consecutive resource links. */
export interface LinksBody {
  kind: 'links';
  links: readonly ResourceLink[];
}

export interface ResourceLink {
  /** Place in the content of the result. */
  index: number;
  name: string;
  uri: string;
  description?: string;
  mimeType?: string;
  /** `12 kB` */
  size?: string;
}

/** An embedded resource. */
export interface ResourceBody {
  kind: 'resource';
  uri: string;
  mimeType?: string;
  body: Exclude<PartBody, ResourceBody | LinksBody>;
}

/** Says why something cannot be shown. */
export interface NoteBody {
  kind: 'note';
  text: string;
  /** There is data that can be saved. */
  canSave: boolean;
}

/** JSON as a tree of what was read of it. */
export interface JsonDocument {
  root: JsonNode;
  /** False: only the beginning is in `root`. */
  isWhole: boolean;
}

export type JsonNode = JsonObject | JsonArray | JsonScalar;

interface JsonObject {
  kind: 'object';
  entries: readonly JsonEntry[];
  /** More entries follow that are not here. */
  isCut?: true;
}

export interface JsonEntry {
  /** The name itself; for paths. */
  key: string;
  /** The name with hidden characters visible, where that differs. */
  label?: string;
  value: JsonNode;
}

interface JsonArray {
  kind: 'array';
  items: readonly JsonNode[];
  isCut?: true;
}

export interface JsonScalar {
  /** `cut`: too deep to be shown. */
  kind: 'string' | 'number' | 'boolean' | 'null' | 'cut';
  /** As it is shown; numbers exactly as the server wrote them. */
  text: string;
  /** Of a string: characters that are left out. */
  more?: number;
}

/** From a JSON value to one inside of it. */
export type JsonPath = readonly (string | number)[];
