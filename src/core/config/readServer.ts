/**
 * Reads one entry of a configuration. All errors of an entry are reported at once, each at its position; if the type is
 * unknown, only that error is reported. An entry with an error is not used, so that no partially read server starts. A
 * field with the value `null` counts as absent, because programs that generate configurations write `null` for omitted
 * fields.
 */
import { t } from '@vscode/l10n';
import type { Node } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import { visibleName } from '../base/visibleName.js';
import { isStringArray } from '../base/guards.js';
import { objectOf } from '../base/objectCopy.js';
import { maxSlowLength, maxSlowPatterns, slowPatterns } from '../base/wildcard.js';
import { readDevDebug, readDevWatch } from './dev.js';
import {
  isTypeName,
  localFields,
  meantField,
  remoteFields,
  serverTypeOf,
  socketFields,
  usualFields,
} from './fieldNames.js';
import { plainValue } from './configNodes.js';
import { readLocalServer } from './readLocalServer.js';
import { readRemoteServer, readSocketServer } from './readRemoteServer.js';
import { maxEntryLength, maxKeptCost } from './configBytes.js';
import type {
  CommonDefinition,
  ProtocolChoice,
  RemoteDefinition,
  ServerDefinition,
  SourceKind,
} from './serverDefinition.js';
import type { Report } from './serverFields.js';
import { ServerFields } from './serverFields.js';

/** Maximum number of names in `disabledTools`, because every tool is checked against each pattern. */
const maxDisabledTools = 2_000;

/** Reads an entry. Undefined if the entry cannot be used; the reasons have been reported. */
export function readServer(
  entry: Node,
  kind: SourceKind,
  report: Report,
): { definition: ServerDefinition; isDisabled: boolean } | undefined {
  if (entry.type !== 'object') {
    report('error', t('Expected an object with "command" for a local server or "url" for a remote one.'), entry);
    return undefined;
  }
  if (entry.length > maxEntryLength) {
    report('error', t('The entry is too long: at most {0} characters are allowed.', maxEntryLength), entry);
    return undefined;
  }
  return new ServerReader(new ServerFields(entry, report), kind).read();
}

class ServerReader {
  constructor(
    private readonly fields: ServerFields,
    private readonly kind: SourceKind,
  ) {}

  read(): { definition: ServerDefinition; isDisabled: boolean } | undefined {
    const type = this.type();
    // The remaining checks depend on the type.
    if (!this.fields.isUsable) return undefined;
    const isLocal =
      type === undefined ? this.fields.has('command') || !this.fields.has('url', 'serverUrl') : type === 'stdio';
    const definition = isLocal
      ? readLocalServer(this.fields, type !== undefined)
      : type === 'socket'
        ? readSocketServer(this.fields)
        : readRemoteServer(this.fields, type as RemoteDefinition['type'] | undefined);
    const used = isLocal ? localFields : type === 'socket' ? socketFields : remoteFields;
    const isUsual = [...this.fields.members.keys()].every((name) => usualFields.has(name) && used.has(name));
    if (isUsual) return this.fields.isUsable && definition ? { definition, isDisabled: false } : undefined;
    const common = this.common(used);
    const isDisabled = this.isDisabled();
    this.warnOfDev();
    this.warnOfTypos();
    return this.fields.isUsable && definition ? { definition: { ...definition, ...common }, isDisabled } : undefined;
  }

  private type(): 'stdio' | RemoteDefinition['type'] | undefined {
    const node = this.fields.node('type');
    if (!node) return undefined;
    const name: unknown = node.value;
    if (isTypeName(name)) return serverTypeOf(name);
    return this.fields.fail(
      t(
        'The type {0} is unknown. The types are stdio, http, sse, ws, and socket.',
        visibleLine(JSON.stringify(plainValue(node)) ?? '', 40),
      ),
      node,
    );
  }

  /** The fields that all types share, and the unused fields that are kept. */
  private common(used: ReadonlySet<string>): CommonDefinition {
    const protocol = this.protocol();
    const timeoutMs = this.milliseconds('timeoutMs') ?? this.foreignTimeout();
    const startTimeoutMs = this.milliseconds('startTimeoutMs');
    const maxMessagesPerSecond = this.rate();
    const restartOnCrash = this.flag('restartOnCrash');
    const sharing = this.sharing();
    const disabledTools = this.disabledTools();
    const unused = [...this.fields.members].filter(([name]) => !used.has(name));
    const extra = objectOf(unused.map(([name, { value }]) => [name, plainValue(value)] as const));
    if (valueCost(extra, maxKeptCost) > maxKeptCost)
      this.fields.fail(t('The entry has too many parts that MCP Deck does not use.'));
    return {
      ...(protocol === undefined ? {} : { protocol }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
      ...(maxMessagesPerSecond === undefined ? {} : { maxMessagesPerSecond }),
      ...(restartOnCrash === undefined ? {} : { restartOnCrash }),
      ...(sharing === undefined ? {} : { sharing }),
      ...(disabledTools.length === 0 ? {} : { disabledTools }),
      ...(unused.length === 0 ? {} : { extra }),
    };
  }

  private protocol(): ProtocolChoice | undefined {
    const node = this.fields.node('protocol');
    const value: unknown = node?.value;
    if (value === 'auto' || value === 'legacy' || value === '2026-07-28') return value;
    if (node)
      this.fields.report(
        'warning',
        t('"protocol" must be "auto", "legacy", or "2026-07-28". Until this is corrected, "auto" is used.'),
        node,
      );
    return undefined;
  }

  private sharing(): CommonDefinition['sharing'] {
    const node = this.fields.node('sharing');
    const value: unknown = node?.value;
    if (value === 'one' || value === 'perCaller') return value;
    if (node)
      this.fields.report(
        'warning',
        t('"sharing" must be "one" or "perCaller". Until this is corrected, "one" is used.'),
        node,
      );
    return undefined;
  }

  private flag(name: 'restartOnCrash'): boolean | undefined {
    const node = this.fields.node(name);
    if (!node) return undefined;
    if (typeof node.value === 'boolean') return node.value;
    this.fields.report(
      'warning',
      t('"{0}" must be true or false. Until this is corrected, the setting mcpDeck.{0} applies.', name),
      node,
    );
    return undefined;
  }

  /**
   * The disabled tools. An invalid value or a misspelled field name disables every tool, because it was probably meant
   * to disable some.
   */
  private disabledTools(): string[] {
    const list = this.fields.node('disabledTools');
    if (!list)
      return [...this.fields.members.keys()].some((name) => this.meantBy(name) === 'disabledTools') ? ['*'] : [];
    const names = (list.type === 'array' ? (list.children ?? []) : [list]).map(({ value }) => value as unknown);
    const isUsable = list.type === 'array' && isStringArray(names) && names.length <= maxDisabledTools;
    if (isUsable && names.every(slowPatterns())) return names;
    this.fields.report(
      'warning',
      t(
        '"disabledTools" must be a list of at most {0} names, at most {1} of them with "?" and {2} characters. Until this is corrected, all tools are off.',
        maxDisabledTools,
        maxSlowPatterns,
        maxSlowLength,
      ),
      list,
    );
    return ['*'];
  }

  private rate(): number | undefined {
    const node = this.fields.node('maxMessagesPerSecond');
    if (!node) return undefined;
    if (isDuration(node.value)) return node.value;
    this.fields.report(
      'warning',
      t('"maxMessagesPerSecond" must be a number greater than 0. Until this is corrected, there is no limit.'),
      node,
    );
    return undefined;
  }

  private milliseconds(name: 'timeoutMs' | 'startTimeoutMs'): number | undefined {
    const node = this.fields.node(name);
    if (!node) return undefined;
    if (isDuration(node.value)) return node.value;
    this.fields.report(
      'warning',
      t('"{0}" must be a number of milliseconds greater than 0. Until this is corrected, the default is used.', name),
      node,
    );
    return undefined;
  }

  /**
   * Reads the `timeout` field of other apps. Cline and Roo use seconds from 1 to 3600, Claude Code uses milliseconds.
   * Values above 3600 are milliseconds. `.mcp.json` is the file of Claude Code, so in that file values from 1000 are
   * milliseconds: a timeout of 1000 seconds (17 minutes) or more is as unlikely as one of less than a second.
   */
  private foreignTimeout(): number | undefined {
    const node = this.fields.node('timeout');
    if (!node) return undefined;
    if (isDuration(node.value)) {
      const isSeconds = this.kind === 'portable' ? node.value < 1_000 : node.value <= 3_600;
      return isSeconds ? node.value * 1_000 : node.value;
    }
    this.fields.report(
      'warning',
      t(
        '"timeout" must be a number greater than 0. Until this is corrected, the default is used. Use "timeoutMs" for milliseconds.',
      ),
      node,
    );
    return undefined;
  }

  /** Whether the entry disables the server. An invalid value counts as disabled, as it was probably meant that way. */
  private isDisabled(): boolean {
    const flags = [
      { name: 'disabled', off: true },
      { name: 'enabled', off: false },
    ];
    return flags.some(({ name, off }) => {
      const node = this.fields.node(name);
      if (!node) return false;
      if (typeof node.value === 'boolean') return node.value === off;
      this.fields.report(
        'warning',
        t('"{0}" must be true or false. Until this is corrected, the server is disabled.', name),
        node,
      );
      return true;
    });
  }

  /**
   * Warns about invalid parts of `dev`. The field itself is kept with the unused fields, where the debugger and the
   * file watcher read it.
   */
  private warnOfDev(): void {
    const node = this.fields.node('dev');
    const dev: unknown = node && plainValue(node);
    for (const read of [readDevDebug(dev), readDevWatch(dev)])
      if (node && read && 'problem' in read) this.fields.report('warning', read.problem, node);
  }

  private warnOfTypos(): void {
    for (const [name, { key }] of this.fields.members) {
      const meant = this.meantBy(name);
      if (meant === undefined) continue;
      const effect =
        meant === 'disabledTools' ? ` ${t('Until this is corrected, all tools of the server are disabled.')}` : '';
      this.fields.report(
        'warning',
        t('"{0}" is not a field of a server. Did you mean "{1}"?', visibleName(name, 60), meant) + effect,
        key,
      );
    }
  }

  /** The field that an unknown name is a typo of, if the entry does not contain that field. */
  private meantBy(name: string): string | undefined {
    const meant = meantField(name);
    return meant === undefined || this.fields.members.has(meant) ? undefined : meant;
  }
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}
