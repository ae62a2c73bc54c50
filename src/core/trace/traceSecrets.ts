/**
 * Collects the secrets that the messages of a trace themselves identify: arguments and form answers that a schema or
 * their name marks as secret. Such a value is masked wherever it occurs, because a server may repeat it.
 */
import { isObject } from '../base/guards.js';
import type { MessageKnowledge } from './redactor.js';
import { isSecretName, isSecretNumberName } from '../../shared/secretNames.js';
import type { SecretPlace } from './secretPlaces.js';
import { everything, merged, placeAt, secretPlaces } from './secretPlaces.js';
import type { SecretsOfTool, ToolSecrets } from './toolSecrets.js';
import { mergedSecrets, toolSecrets } from './toolSecrets.js';
import type { TraceEntry, TraceLines } from './traceMessage.js';
import { parsed } from './traceMessage.js';

/** Maximum number of secret values, and maximum number of tools and forms. The latest secret values are kept. */
const maxValues = 300;
const maxSchemas = 5_000;
/**
 * Minimum length of a collected value, in characters. A shorter value occurs in other texts by chance. A plain word
 * must be even longer.
 */
const minLength = 6;
const minWordLength = 12;
/** Matches the name of the tool at the beginning of a truncated request. */
const toolInBeginning = /"params":\{"name":("(?:[^"\\]|\\.){1,200}")/;

export class TraceSecrets implements MessageKnowledge {
  private readonly found = new Set<string>();
  private readonly listed = new Map<string, unknown>();
  /** The forms without an answer yet, by their keys. */
  private readonly forms = new Map<string, SecretPlace | undefined>();
  /** The secrets in the user's answers, which are determined while their forms are known. */
  private readonly answers = new WeakMap<TraceEntry, SecretPlace>();
  private next = 0;
  private changes = 0;

  /** @param secretsOf the secrets of tools that the host knows. Tool lists in the trace add to them. */
  constructor(
    private readonly log: TraceLines,
    private readonly secretsOf: SecretsOfTool = () => undefined,
  ) {}

  get values(): readonly string[] {
    return [...this.found];
  }

  /** A number that changes whenever `values` changes. */
  get version(): number {
    return this.changes;
  }

  /** The number of the first line that was not read yet. */
  get readTo(): number {
    return this.next;
  }

  /** Reads the lines that were added since the last call. */
  update(): void {
    for (this.next = Math.max(this.next, this.log.first); this.next < this.log.end; this.next++) {
      const entry = this.log.get(this.next);
      if (entry?.kind === 'request' || entry?.kind === 'response') this.learn(entry);
    }
  }

  placeOf(entry: TraceEntry): SecretPlace | undefined {
    if (entry.seq >= this.next) this.update();
    return merged(this.answers.get(entry), this.argumentsPlace(entry));
  }

  /**
   * Called when later answers may belong to forms that the trace does not contain: a form with the same key as an
   * earlier one may ask for other values.
   */
  forgetForms(): void {
    this.update();
    this.forms.clear();
  }

  isSecretHeader(entry: TraceEntry, name: string): boolean {
    if (!/^mcp-param-/i.test(name)) return false;
    const tool = this.secretsIn(entry);
    // If the tool's schema is unknown, every argument is treated as secret.
    return !tool || tool.headers === 'all' || tool.headers.has(name.toLowerCase());
  }

  private argumentsPlace(entry: TraceEntry): SecretPlace | undefined {
    if (entry.kind !== 'request' || entry.direction !== 'sent' || entry.method !== 'tools/call') return undefined;
    const tool = this.secretsIn(entry);
    // If the tool's schema is unknown, every argument is treated as secret.
    return placeAt(['params', 'arguments'], tool ? tool.place : everything);
  }

  /** The secrets in the user's answers to forms; undefined if the message contains no answer. */
  private answersPlace(entry: TraceEntry): SecretPlace | undefined {
    const { kind, method, text, direction } = entry;
    if (direction !== 'sent') return undefined;
    if (kind === 'response')
      return method === undefined || method === 'elicitation/create'
        ? placeAt(['result', 'content'], this.formPlace(entry))
        : undefined;
    if (kind !== 'request' || !text.includes('"inputResponses"')) return undefined;
    const members = new Map([...this.forms].map(([key, place]) => [key, placeAt(['content'], place) ?? {}] as const));
    this.forgetAnswered(entry);
    return placeAt(['params', 'inputResponses'], { members, rest: { members: new Map([['content', everything]]) } });
  }

  /** Each form is answered once, and a later form with its key may ask for other values. */
  private forgetAnswered({ text, cut }: TraceEntry): void {
    const message = cut === 0 ? parsed(text) : undefined;
    const params = isObject(message) && isObject(message['params']) ? message['params'] : {};
    if (isObject(params['inputResponses']))
      for (const key of Object.keys(params['inputResponses'])) this.forms.delete(key);
    else this.forms.clear();
  }

  /** The secrets in the answer to a form. If the form is not known completely, all of it is secret. */
  private formPlace({ pair }: TraceEntry): SecretPlace | undefined {
    const request = this.log.get(pair ?? -1);
    const asked = request && request.cut === 0 ? parsed(request.text) : undefined;
    return isObject(asked) && isObject(asked['params']) ? secretPlaces(asked['params']['requestedSchema']) : everything;
  }

  private learn(entry: TraceEntry): void {
    const { kind, direction, method } = entry;
    const answers = this.answersPlace(entry);
    if (answers) this.answers.set(entry, answers);
    // The missing part of a response may contain forms.
    if (direction === 'received' && kind === 'response' && entry.cut > 0) this.forms.clear();
    if (
      direction === 'sent' &&
      (kind === 'response' ||
        method === 'tools/call' ||
        method === 'prompts/get' ||
        entry.text.includes('"inputResponses"'))
    ) {
      const message = parsed(entry.text);
      if (isObject(message))
        this.collect(
          message['params'] ?? message['result'],
          '',
          merged(answers, this.argumentsPlace(entry))?.members?.get(kind === 'request' ? 'params' : 'result'),
          false,
          0,
        );
    } else if (kind === 'response' && (method === 'tools/list' || entry.text.includes('"inputRequests"'))) {
      const message = parsed(entry.text);
      if (isObject(message) && isObject(message['result'])) this.readResult(message['result']);
    }
  }

  private readResult({ tools, inputRequests }: Record<string, unknown>): void {
    for (const tool of Array.isArray(tools) ? (tools as unknown[]) : []) {
      if (isObject(tool) && typeof tool['name'] === 'string' && hasRoom(this.listed, tool['name']))
        this.listed.set(tool['name'], tool['inputSchema']);
    }
    for (const [key, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
      if (isObject(request) && isObject(request['params']) && hasRoom(this.forms, key))
        this.forms.set(key, secretPlaces(request['params']['requestedSchema']));
    }
  }

  private collect(
    value: unknown,
    name: string,
    place: SecretPlace | undefined,
    isInside: boolean,
    depth: number,
  ): void {
    const isSecret = isInside || place?.isSecret === true;
    if (typeof value === 'string') {
      if (isSecret || isSecretName(name)) this.add(value);
    } else if (typeof value === 'number') {
      if (isSecret || isSecretNumberName(name)) this.add(String(value));
    } else if (depth > 100) return;
    else if (Array.isArray(value))
      for (const item of value as unknown[]) this.collect(item, name, place?.items, isSecret, depth + 1);
    else if (isObject(value))
      for (const [key, inner] of Object.entries(value))
        this.collect(inner, key, place?.members?.get(key) ?? place?.rest, isSecret, depth + 1);
  }

  private add(value: string): void {
    const isWord = /^[a-z]+$/i.test(value);
    if (value.length < (isWord ? minWordLength : minLength) || this.found.has(value)) return;
    this.found.add(value);
    const [oldest] = this.found;
    if (this.found.size > maxValues && oldest !== undefined) this.found.delete(oldest);
    this.changes++;
  }

  /** The secrets of the tool that a request calls; undefined if its schema is not known. */
  private secretsIn({ text, cut }: TraceEntry): ToolSecrets | undefined {
    const name = cut > 0 ? toolInBeginning.exec(text.slice(0, 2_000))?.[1] : undefined;
    const message = cut > 0 ? undefined : parsed(text);
    const tool =
      name !== undefined
        ? (JSON.parse(name) as unknown)
        : isObject(message) && isObject(message['params'])
          ? message['params']['name']
          : undefined;
    if (typeof tool !== 'string') return undefined;
    const listed = this.listed.get(tool);
    return mergedSecrets(this.secretsOf(tool), isObject(listed) ? toolSecrets(listed) : undefined);
  }
}

function hasRoom(map: ReadonlyMap<string, unknown>, key: string): boolean {
  return map.size < maxSchemas || map.has(key);
}
