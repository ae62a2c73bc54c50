/**
 * The merged lists of all servers, with public names and URIs. Merged again when a server has changed. A window has
 * other work on the same thread, so a merge of long lists is divided: requests wait for `fresh`, and the previous lists
 * are valid until the merge is complete.
 */
import { HostError } from '../base/hostError.js';
import { runAtOnce, runInSlices } from '../base/timeSlice.js';
import type { ServerView } from '../catalog/hostTypes.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp.js';
import { UrisInResults } from './urisInResults.js';
import type { ToolOverride } from '../presets/toolOverrides.js';
import type { PublicUris } from './publicUris.js';
import type { GatewayNames } from './gatewayNames.js';
import type { NamedItem, PublicNames } from './publicNames.js';

/** The features of a server when it was last running. */
interface KnownFeatures {
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: readonly Resource[];
  resourceTemplates: readonly ResourceTemplate[];
}

/** The server and the item that a call is forwarded to. */
export interface CallTarget<T> extends NamedItem {
  item: T;
}

/** A resource template with its public URI. */
export interface PublicTemplate {
  server: string;
  /** The URI template that the server uses. */
  ownTemplate: string;
  item: ResourceTemplate;
}

export class GatewayLists {
  private readonly known = new Map<string, KnownFeatures>();
  private toolTargets = new Map<string, CallTarget<Tool>>();
  private promptTargets = new Map<string, CallTarget<Prompt>>();
  private resourceList: readonly Resource[] = [];
  private templateList: readonly PublicTemplate[] = [];
  private isStale = true;
  /** Whether the lists were merged at least once. */
  private isMerged = false;
  private merging: Promise<void> | undefined;

  constructor(
    private readonly views: () => readonly ServerView[],
    private readonly names: GatewayNames,
    private readonly uris: PublicUris,
    private readonly overrides: () => readonly ToolOverride[],
    private readonly results = new UrisInResults(uris),
  ) {}

  /** Called when a server has changed. */
  invalidate(): void {
    this.isStale = true;
  }

  /** Merges the lists if a server has changed. Undefined if the lists are current. */
  fresh(): Promise<void> | undefined {
    if (!this.isStale) return this.merging;
    this.merging ??= runInSlices(this.merge())
      .catch((error: unknown) => {
        this.isStale = true;
        throw error;
      })
      .finally(() => (this.merging = undefined));
    // A change during a merge is not part of it.
    return this.merging.then(() => this.fresh());
  }

  /** The tools by public name; each item has its public name. */
  get tools(): ReadonlyMap<string, CallTarget<Tool>> {
    this.refresh();
    return this.toolTargets;
  }

  get prompts(): ReadonlyMap<string, CallTarget<Prompt>> {
    this.refresh();
    return this.promptTargets;
  }

  get resources(): readonly Resource[] {
    this.refresh();
    return this.resourceList;
  }

  get templates(): readonly PublicTemplate[] {
    this.refresh();
    return this.templateList;
  }

  /** The server of a URI, and the URI that the server uses. */
  ownerOf(publicUri: string): { server: string; uri: string } | undefined {
    this.refresh();
    const owned = this.uris.find(publicUri);
    return owned && this.known.has(owned.server) ? owned : undefined;
  }

  /** Values that stay equal until a server sends a list again, or a tool becomes visible or hidden. */
  get versions(): Record<'tools' | 'prompts' | 'resources', readonly unknown[]> {
    const known = this.current().map(({ features }) => features);
    return {
      tools: this.current().flatMap(({ view, features }) => [
        features.tools,
        ...features.tools.filter(({ name }) => !isVisible(view, name)).map(({ name }) => name),
      ]),
      prompts: known.map(({ prompts }) => prompts),
      resources: known.flatMap(({ resources, resourceTemplates }) => [resources, resourceTemplates]),
    };
  }

  /** The enabled servers of the active preset that no policy blocks, and that are running or were running before. */
  private current(): { view: ServerView; features: KnownFeatures }[] {
    const views = this.views().filter(
      ({ entry, switches, blocked }) => entry.isEnabled && switches?.isLeftOut !== true && blocked === undefined,
    );
    for (const { id, features } of views) if (features) this.known.set(id, features);
    const ids = new Set(views.map(({ id }) => id));
    for (const id of [...this.known.keys()]) if (!ids.has(id)) this.known.delete(id);
    return views.flatMap((view) => {
      const features = this.known.get(view.id);
      return features ? [{ view, features }] : [];
    });
  }

  /** Merges the lists at once, if they were never merged. */
  private refresh(): void {
    if (!this.isMerged) runAtOnce(this.merge());
  }

  /**
   * Assigns names when a client requests a list, not when a server starts, so that the names do not depend on the order
   * in which servers started before the first client connected.
   */
  private *merge(): Generator<void, void> {
    this.isStale = false;
    const overrides = byTool(this.overrides());
    const current = this.current();
    yield* this.uris.settingLists(
      current.map(({ view, features }) => ({
        server: view.id,
        uris: features.resources.map(({ uri }) => uri),
        templates: features.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      })),
    );
    const tools: CallTarget<Tool>[] = [];
    const prompts: CallTarget<Prompt>[] = [];
    const resources: Resource[] = [];
    const templates: PublicTemplate[] = [];
    for (const { view, features } of current) {
      const server = view.id;
      for (const tool of features.tools) {
        if (isVisible(view, tool.name)) tools.push(...shownTool(view, tool, overrides.get(tool.name) ?? []));
        yield;
      }
      for (const prompt of features.prompts) {
        prompts.push({ server, name: prompt.name, item: prompt });
        yield;
      }
      for (const resource of features.resources) {
        resources.push({ ...resource, uri: this.uris.ofResource({ server, uri: resource.uri }) });
        yield;
      }
      for (const template of features.resourceTemplates) {
        templates.push({
          server,
          ownTemplate: template.uriTemplate,
          item: { ...template, uriTemplate: this.uris.ofTemplate(server, template.uriTemplate) },
        });
        yield;
      }
    }
    yield* this.names.adding(tools, prompts);
    const toolTargets = new Map<string, CallTarget<Tool>>();
    for (const target of tools) {
      const name = publicName(this.names.tools, target);
      toolTargets.set(name, { ...target, item: { ...this.results.inTool(target.server, target.item), name } });
      yield;
    }
    const promptTargets = new Map<string, CallTarget<Prompt>>();
    for (const target of prompts) {
      const name = publicName(this.names.prompts, target);
      promptTargets.set(name, { ...target, item: { ...target.item, name } });
      yield;
    }
    this.toolTargets = toolTargets;
    this.promptTargets = promptTargets;
    this.resourceList = resources;
    this.templateList = templates;
    this.isMerged = true;
  }
}

function byTool(overrides: readonly ToolOverride[]): ReadonlyMap<string, readonly ToolOverride[]> {
  const found = new Map<string, ToolOverride[]>();
  for (const override of overrides) {
    const same = found.get(override.tool);
    if (same) same.push(override);
    else found.set(override.tool, [override]);
  }
  return found;
}

/**
 * The tool as clients see it; empty if it is hidden from them.
 * @param overrides the overrides of tools with this name.
 */
function shownTool(
  { id: server, entry }: ServerView,
  tool: Tool,
  overrides: readonly ToolOverride[],
): CallTarget<Tool>[] {
  const override = overrides.find((one) => one.server === server || one.server === entry.name);
  if (override?.isHidden) return [];
  const { name: alias, description } = override ?? {};
  return [
    {
      server,
      name: tool.name,
      ...(alias === undefined || alias === tool.name ? {} : { alias }),
      item: description === undefined ? tool : { ...tool, description },
    },
  ];
}

function isVisible({ switches, quarantined }: ServerView, tool: string): boolean {
  return switches?.whyOff(tool) === undefined && quarantined?.has(tool) !== true;
}

function publicName(names: PublicNames, item: NamedItem): string {
  const name = names.nameOf(item);
  if (name === undefined) throw new HostError('internal', `${item.name} has no public name.`);
  return name;
}
