/**
 * The lists of "Run Tool…", "Open Resource…", "Get Prompt…" and "Open Skill…": the items of all running servers, then a
 * line for each server that must be started first. The list of tools begins with favorites and recent runs.
 */
import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/mcp.js';
import { argumentsLine, elapsedText } from '../text/runTexts.js';
import { failureReason } from '../failure/failureText.js';
import { hiddenInItem, hiddenInSkill, hiddenInTool, hiddenWords } from '../text/hiddenText.js';
import { plainSentence } from '../text/lines.js';
import { toolIcon } from '../tree/featureNodes.js';

/** Identifies one item of one server. */
export interface PickTarget {
  server: string;
  /**
   * The name of the tool or prompt, or the URI of the resource, template or skill. Undefined if the item is the server
   * itself, which can be started.
   */
  name?: string;
  /** The ID of the favorite, if the row shows one. */
  favourite?: string;
  /** The arguments of a call that the user typed in full. */
  arguments?: Record<string, unknown>;
}

/** One line of the list, or a separator. Hidden characters in all texts are made visible. */
export interface PickRow {
  kind: 'item' | 'start' | 'separator';
  label: string;
  description?: string;
  detail?: string;
  /** Additional text for the filter, which is not shown. */
  search?: string;
  /** The name of a codicon. */
  icon?: string;
  target?: PickTarget;
}

/** The parts of a favorite that a list of tools shows. */
interface PickedFavourite {
  id: string;
  name: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/**
 * The rows for running a tool. `recent` contains the latest runs, newest first; tools that no longer exist are left
 * out. Favorites come first, in the user's order.
 */
export function toolPickRows(
  servers: readonly ServerView[],
  recent: readonly { server: string; tool: string }[],
  now: number,
  favourites: readonly PickedFavourite[] = [],
): PickRow[] {
  const enabled = servers.filter(({ entry }) => entry.isEnabled);
  const recentRows: PickRow[] = [];
  const seen = new Set<Tool>();
  for (const { server, tool: name } of recent) {
    const tool = enabled.find(({ id }) => id === server)?.features?.tools.find((candidate) => candidate.name === name);
    if (!tool || seen.has(tool) || isOff(enabled, server, name)) continue;
    seen.add(tool);
    recentRows.push(toolRow(server, tool));
  }
  const rows = enabled.flatMap(({ id, features }) =>
    (features?.tools ?? [])
      .filter((tool) => !seen.has(tool) && !isOff(enabled, id, tool.name))
      .map((tool) => toolRow(id, tool)),
  );
  return [
    ...section(t('favorites'), favouriteRows(enabled, favourites)),
    ...section(t('recent'), recentRows),
    ...section(recentRows.length > 0 ? t('more tools') : t('tools'), rows),
    ...section(t('not running'), startRows(enabled, t('tools'), now)),
  ];
}

/**
 * The rows of favorites. Favorites of stopped servers are included; selecting such a row starts the server. Favorites
 * of tools that are off or gone are left out.
 */
function favouriteRows(servers: readonly ServerView[], favourites: readonly PickedFavourite[]): PickRow[] {
  return favourites.flatMap(({ id, name, server, tool, arguments: values }): PickRow[] => {
    const view = servers.find((one) => one.id === server);
    if (!view || isOff(servers, server, tool)) return [];
    if (view.features && !view.features.tools.some((one) => one.name === tool)) return [];
    const given = argumentsLine(values);
    return [
      {
        kind: 'item',
        label: visibleLine(name, 120),
        description: `${visibleLine(server, 80)} · ${visibleLine(tool, 120)}`,
        ...(given === '' ? {} : { detail: given }),
        icon: 'star-full',
        target: { server, name: tool, favourite: id },
      },
    ];
  });
}

/** Whether a tool is switched off. Such tools are not offered. */
function isOff(servers: readonly ServerView[], server: string, tool: string): boolean {
  return servers.find(({ id }) => id === server)?.switches?.whyOff(tool) !== undefined;
}

/** The rows for reading a resource: resources, then templates. */
export function resourcePickRows(servers: readonly ServerView[], now: number): PickRow[] {
  const enabled = servers.filter(({ entry }) => entry.isEnabled);
  const resources = enabled.flatMap(({ id, features }) =>
    (features?.resources ?? []).map((resource) => resourceRow(id, resource)),
  );
  const templates = enabled.flatMap(({ id, features }) =>
    (features?.resourceTemplates ?? []).map((template) => templateRow(id, template)),
  );
  return [
    ...section(t('resources'), resources),
    ...section(t('templates'), templates),
    ...section(t('not running'), startRows(enabled, t('resources'), now)),
  ];
}

/** The rows for using a prompt. */
export function promptPickRows(servers: readonly ServerView[], now: number): PickRow[] {
  const enabled = servers.filter(({ entry }) => entry.isEnabled);
  const prompts = enabled.flatMap(({ id, features }) =>
    (features?.prompts ?? []).map((prompt) => promptRow(id, prompt)),
  );
  return [...section(t('prompts'), prompts), ...section(t('not running'), startRows(enabled, t('prompts'), now))];
}

/** The name of the row for a skill that is not listed; the user enters its URI. */
export const otherSkill = 'SKILL.md';

/** The rows for opening a skill. Each server has one more row, for a skill that it does not list. */
export function skillPickRows(servers: readonly ServerView[], now: number): PickRow[] {
  const offering = servers.flatMap(({ id, entry, features }) =>
    entry.isEnabled && features?.skills ? [{ id, entries: features.skills.entries }] : [],
  );
  const skills = offering.flatMap(({ id, entries }) =>
    entries.map((skill) => itemRow(id, skill.uri, skill.name, skill.description, 'book', hiddenInSkill(skill))),
  );
  const others = offering.map(({ id }): PickRow => ({
    kind: 'item',
    label: t('Enter Skill URI…'),
    description: visibleLine(id, 80),
    icon: 'link',
    target: { server: id, name: otherSkill },
  }));
  return [
    ...section(t('skills'), skills),
    ...section(t('by URI'), others),
    ...section(
      t('not running'),
      startRows(
        servers.filter(({ entry }) => entry.isEnabled),
        t('skills'),
        now,
      ),
    ),
  ];
}

/** Whether a name is a URI template, which needs values for its variables. */
export function isTemplate(server: ServerView | undefined, name: string): boolean {
  return (
    server?.features?.resources.every(({ uri }) => uri !== name) === true &&
    server.features.resourceTemplates.some(({ uriTemplate }) => uriTemplate === name)
  );
}

/**
 * Updates an open list: existing rows keep their positions and new rows are added at the end, so that no row moves
 * while the user clicks. The row of a server that has started remains, and selecting it shows the server's items.
 */
export function mergePickRows(shown: readonly PickRow[], fresh: readonly PickRow[]): PickRow[] {
  const freshByKey = new Map(fresh.filter(({ kind }) => kind !== 'separator').map((row) => [rowKey(row), row]));
  const offering = new Set(fresh.flatMap(({ kind, target }) => (kind === 'item' && target ? [target.server] : [])));
  const kept = shown.flatMap((row): PickRow[] => {
    if (row.kind === 'separator') return [row];
    const now = freshByKey.get(rowKey(row));
    if (now) return [now];
    const { kind, label, target } = row;
    return kind === 'start' && target && offering.has(target.server)
      ? [{ kind, label, target, description: t('running; select to show what the server offers'), icon: 'pass' }]
      : [];
  });
  const known = new Set(kept.map(rowKey));
  const added = fresh.filter((row) => row.kind !== 'separator' && !known.has(rowKey(row)));
  return added.length > 0 ? [...kept, ...section(t('new'), added)] : kept;
}

function rowKey({ label, target }: PickRow): string {
  return target ? JSON.stringify([target.server, target.name, target.favourite]) : label;
}

function section(label: string, rows: readonly PickRow[]): PickRow[] {
  return rows.length === 0 ? [] : [{ kind: 'separator', label }, ...rows];
}

function toolRow(server: string, tool: Tool): PickRow {
  return itemRow(
    server,
    tool.name,
    tool.title ?? tool.annotations?.title,
    tool.description,
    toolIcon(tool),
    hiddenInTool(tool),
  );
}

function resourceRow(server: string, resource: Resource): PickRow {
  const row = itemRow(
    server,
    resource.uri,
    resource.title ?? resource.name,
    resource.description,
    'file',
    hiddenInItem(resource),
  );
  return row.detail === undefined ? { ...row, detail: visibleLine(resource.uri, 200) } : row;
}

function templateRow(server: string, template: ResourceTemplate): PickRow {
  return {
    ...itemRow(
      server,
      template.uriTemplate,
      template.title ?? template.name,
      template.description,
      'symbol-snippet',
      hiddenInItem(template),
    ),
  };
}

function promptRow(server: string, prompt: Prompt): PickRow {
  return itemRow(server, prompt.name, prompt.title, prompt.description, 'comment', hiddenInItem(prompt));
}

/** Maximum length of the description that the filter searches, in UTF-16 code units. */
const maxSearched = 1_000;

function itemRow(
  server: string,
  name: string,
  title: string | undefined,
  text: string | undefined,
  icon: string,
  hidden: number,
): PickRow {
  const shownName = visibleLine(name, 120);
  const label = typeof title === 'string' && visibleLine(title, 120) !== '' ? visibleLine(title, 120) : shownName;
  const where = visibleLine(server, 80);
  const sentence = plainSentence(text, 200);
  const detail =
    hidden === 0 ? sentence : [hiddenWords(hidden), ...(sentence === undefined ? [] : [sentence])].join(' · ');
  return {
    kind: 'item',
    label,
    // If the title differs from the name, the name is shown as well, so that the user can find the tool by typing its
    // name.
    description: label === shownName ? where : `${where} · ${shownName}`,
    ...(detail === undefined ? {} : { detail }),
    ...(text === undefined ? {} : { search: visibleLine(text.slice(0, maxSearched), maxSearched) }),
    icon: hidden > 0 ? 'warning' : icon,
    target: { server, name },
  };
}

function startRows(servers: readonly ServerView[], what: string, now: number): PickRow[] {
  return servers
    .filter(({ features }) => !features)
    .map(({ id, state }): PickRow => {
      const label = visibleLine(id, 120);
      const target: PickTarget = { server: id };
      switch (state.kind) {
        case 'needsInput':
          return {
            kind: 'start',
            label,
            description: t('needs a value; select to enter the value and list the {0} of the server', what),
            icon: 'key',
            target,
          };
        case 'needsTrust':
          return {
            kind: 'start',
            label,
            description: t('needs your approval; select to review the server and list its {0}', what),
            icon: 'shield',
            target,
          };
        case 'needsSignIn':
          return {
            kind: 'start',
            label,
            description: t('needs a sign-in; select to sign in and list the {0} of the server', what),
            icon: 'account',
            target,
          };
        case 'starting':
          return {
            kind: 'start',
            label,
            description: t('starting, {0}', elapsedText(now - state.since)),
            icon: 'loading~spin',
            target,
          };
        case 'failed':
          return {
            kind: 'start',
            label,
            description: t('failed; select to start the server again and list its {0}', what),
            detail: failureReason(state.error),
            icon: 'error',
            target,
          };
        default:
          return {
            kind: 'start',
            label,
            description: t('stopped; select to start the server and list its {0}', what),
            icon: 'play',
            target,
          };
      }
    });
}
