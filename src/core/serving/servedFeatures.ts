/**
 * The tools, resources and prompts that a server offers, each from a source. Any object with the methods of a source
 * can be a source, for example an object that represents the open editors. `ToolList`, `ResourceList` and `PromptList`
 * are simple sources.
 */
import type { CallerLife } from '../base/callerLife.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import type {
  CallToolResult,
  Completion,
  GetPromptResult,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from '../protocol/mcp.js';
import type { RequestContext } from './requestContext.js';

/** The client that sent a request, and how it is connected. */
export type ClientAddress = Pick<RequestContext, 'client' | 'connectionInfo'>;

export type MaybePromise<T> = T | Promise<T>;

/** The argument to complete, with the known values of the other arguments. */
export interface CompletionQuestion {
  name: string;
  value: string;
  others: Record<string, string>;
}

/** The values alone, or the values with their total if it is known. */
export type CompletionAnswer = readonly string[] | Completion;

export interface ToolSource {
  /** All tools, in a stable order. */
  list(context: RequestContext): MaybePromise<readonly Tool[]>;
  find(name: string, context: RequestContext): MaybePromise<Tool | undefined>;
  /**
   * Runs a tool. Called only for tools that exist. A thrown UserError becomes the text of an error result. A thrown
   * ProtocolError becomes the error response.
   */
  call(name: string, args: Record<string, unknown>, context: RequestContext): MaybePromise<CallToolResult>;
  /** Present if the list can change. */
  readonly onDidChange?: Event<void>;
}

export interface ResourceSource {
  list(context: RequestContext): MaybePromise<readonly Resource[]>;
  templates?(context: RequestContext): MaybePromise<readonly ResourceTemplate[]>;
  /** The contents of a resource; undefined if the resource does not exist. */
  read(uri: string, context: RequestContext): MaybePromise<ResourceContents[] | undefined>;
  /** Completes a variable of the template. Returns undefined if the template does not exist. */
  complete?(
    uriTemplate: string,
    question: CompletionQuestion,
    context: RequestContext,
  ): MaybePromise<CompletionAnswer | undefined>;
  readonly onDidChangeList?: Event<void>;
  /**
   * Present if clients can subscribe to updates; fires with the URI of the changed resource. Only subscribed clients
   * are notified.
   */
  readonly onDidUpdate?: Event<string>;
  /**
   * Called when the first client has subscribed to `uri`, for sources that must watch it. The result is disposed when
   * the last client has unsubscribed.
   */
  watch?(uri: string): Disposable;
  /**
   * Watches a resource for one client, if the client has a separate state at the source. The updates then reach this
   * client only. Returns undefined if the resource is the same for all clients.
   */
  watchFor?(uri: string, life: CallerLife, onDidUpdate: () => void): Disposable | undefined;
  /** Whether the client may receive updates of `uri`; asked at the subscription and at each update. Default: it may. */
  mayWatch?(uri: string, client: ClientAddress): boolean;
}

export interface PromptSource {
  list(context: RequestContext): MaybePromise<readonly Prompt[]>;
  find(name: string, context: RequestContext): MaybePromise<Prompt | undefined>;
  /** Creates the messages of a prompt. Called only for prompts that exist, with all required arguments present. */
  get(name: string, args: Record<string, string>, context: RequestContext): MaybePromise<GetPromptResult>;
  complete?(name: string, question: CompletionQuestion, context: RequestContext): MaybePromise<CompletionAnswer>;
  readonly onDidChange?: Event<void>;
}

/** One tool with its handler. */
export interface ToolProvider {
  tool: Tool;
  call(args: Record<string, unknown>, context: RequestContext): MaybePromise<CallToolResult>;
}

/** One resource with its handler. */
export interface ResourceProvider {
  resource: Resource;
  read(context: RequestContext): MaybePromise<ResourceContents[]>;
}

/** One resource template with its handler. */
export interface TemplateProvider {
  template: ResourceTemplate;
  /** The values of the template's variables in `uri`, or undefined if `uri` does not match. */
  match(uri: string): Record<string, string> | undefined;
  read(
    uri: string,
    variables: Record<string, string>,
    context: RequestContext,
  ): MaybePromise<ResourceContents[] | undefined>;
  complete?(question: CompletionQuestion, context: RequestContext): MaybePromise<CompletionAnswer>;
}

/** One prompt with its handler. */
export interface PromptProvider {
  prompt: Prompt;
  get(args: Record<string, string>, context: RequestContext): MaybePromise<GetPromptResult>;
  complete?(question: CompletionQuestion, context: RequestContext): MaybePromise<CompletionAnswer>;
}

/** An ordered set of items by name, with a change event. */
class NamedList<T> implements Disposable {
  protected readonly items = new Map<string, T>();
  private readonly changed = new Emitter<void>();
  /** Absent if the list is fixed. */
  readonly onDidChange?: Event<void>;

  constructor(
    private readonly nameOf: (item: T) => string,
    items: readonly T[],
    isFixed: boolean,
  ) {
    for (const item of items) this.items.set(nameOf(item), item);
    if (!isFixed) this.onDidChange = this.changed.event;
  }

  /**
   * Adds an item at the end, or replaces the one with the same name. Dispose the result to remove it. Must not be used
   * for fixed lists, because clients would not be notified.
   */
  add(item: T): Disposable {
    const name = this.nameOf(item);
    this.items.set(name, item);
    this.changed.fire();
    return toDisposable(() => {
      if (this.items.get(name) !== item) return;
      this.items.delete(name);
      this.changed.fire();
    });
  }

  dispose(): void {
    this.changed.dispose();
  }
}

/** Tools in memory. */
export class ToolList extends NamedList<ToolProvider> implements ToolSource {
  /** @param isFixed whether the list never changes. If so, the server does not declare `listChanged`. */
  constructor(providers: readonly ToolProvider[] = [], isFixed = false) {
    super((provider) => provider.tool.name, providers, isFixed);
  }

  list(): Tool[] {
    return [...this.items.values()].map((provider) => provider.tool);
  }

  find(name: string): Tool | undefined {
    return this.items.get(name)?.tool;
  }

  call(name: string, args: Record<string, unknown>, context: RequestContext): MaybePromise<CallToolResult> {
    const provider = this.items.get(name);
    // This line is reached only if the tool was removed between lookup and call.
    if (!provider) throw new Error(`The tool ${name} is gone.`);
    return provider.call(args, context);
  }
}

/** Prompts in memory. */
export class PromptList extends NamedList<PromptProvider> implements PromptSource {
  /** @param isFixed whether the list never changes. If so, the server does not declare `listChanged`. */
  constructor(providers: readonly PromptProvider[] = [], isFixed = false) {
    super((provider) => provider.prompt.name, providers, isFixed);
  }

  list(): Prompt[] {
    return [...this.items.values()].map((provider) => provider.prompt);
  }

  find(name: string): Prompt | undefined {
    return this.items.get(name)?.prompt;
  }

  get(name: string, args: Record<string, string>, context: RequestContext): MaybePromise<GetPromptResult> {
    const provider = this.items.get(name);
    if (!provider) throw new Error(`The prompt ${name} is gone.`);
    return provider.get(args, context);
  }

  complete(name: string, question: CompletionQuestion, context: RequestContext): MaybePromise<CompletionAnswer> {
    return this.items.get(name)?.complete?.(question, context) ?? [];
  }
}

/** Resources and templates in memory. */
export class ResourceList extends NamedList<ResourceProvider> implements ResourceSource {
  private readonly updated = new Emitter<string>();
  readonly onDidUpdate?: Event<string>;
  readonly onDidChangeList?: Event<void>;

  /**
   * @param isFixed whether nothing is ever added or updated. If so, the server declares neither `listChanged` nor
   * `subscribe`.
   */
  constructor(
    providers: readonly ResourceProvider[] = [],
    private readonly templateProviders: readonly TemplateProvider[] = [],
    isFixed = false,
  ) {
    super((provider) => provider.resource.uri, providers, isFixed);
    if (isFixed) return;
    this.onDidUpdate = this.updated.event;
    if (this.onDidChange) this.onDidChangeList = this.onDidChange;
  }

  list(): Resource[] {
    return [...this.items.values()].map((provider) => provider.resource);
  }

  templates(): ResourceTemplate[] {
    return this.templateProviders.map((provider) => provider.template);
  }

  read(uri: string, context: RequestContext): MaybePromise<ResourceContents[] | undefined> {
    const provider = this.items.get(uri);
    if (provider) return provider.read(context);
    for (const template of this.templateProviders) {
      const variables = template.match(uri);
      if (variables) return template.read(uri, variables, context);
    }
    return undefined;
  }

  complete(
    uriTemplate: string,
    question: CompletionQuestion,
    context: RequestContext,
  ): MaybePromise<CompletionAnswer | undefined> {
    const provider = this.templateProviders.find((candidate) => candidate.template.uriTemplate === uriTemplate);
    return provider ? (provider.complete?.(question, context) ?? []) : undefined;
  }

  /** Notifies subscribers that the resource has new contents. */
  fireUpdated(uri: string): void {
    this.updated.fire(uri);
  }

  override dispose(): void {
    super.dispose();
    this.updated.dispose();
  }
}
