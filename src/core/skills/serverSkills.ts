/**
 * The skills of one running server (extension `io.modelcontextprotocol/skills`, SEP-2640): folders of instructions,
 * listed with the digests of their files. A skill's files are fetched only when they are opened, and are used only if
 * they match what the list states about their size, digest and front matter. The list has no sizes and digests for the
 * files of a `dynamic` skill. This class does not give skills to models.
 */
import type { CallSignal } from '../base/lightAbort.js';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import { sizeText } from '../../shared/amountText.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import { ItemWarnings } from '../protocol/itemWarnings.js';
import type { RequestOptions } from '../protocol/pendingRequest.js';
import type { ReadResourceResult } from '../protocol/mcp.js';
import { listAll } from '../session/listing.js';
import type { McpSession } from '../session/mcpSession.js';
import type { SkillEntry } from './skillEntry.js';
import { readSkillEntry, skillsExtension } from './skillEntry.js';
import { bytesOf, digestOf, refusal, verifyFile } from './skillFile.js';

/**
 * Maximum number of files of all skills of one server. Skills that are listed after this number is reached are left
 * out.
 */
const maxFilesOfAll = 50_000;

/** Maximum number of remembered skills that were requested by URI but are not listed. */
const maxAsked = 100;

/** Maximum number of skills that are requested again because a file does not match. A file can belong to many skills. */
const maxRenewed = 20;

/** Maximum memory of the skills that were requested by URI since the last listing, bytes. */
const maxRequestedBytes = 16 * 1024 * 1024;

export class ServerSkills {
  private requestedBytes = 0;
  /** Increased with each change of the entries. */
  private generation = 0;
  private listed: readonly SkillEntry[] = [];
  /** The skills that were requested by URI, the most recently requested last. */
  private readonly asked = new Map<string, SkillEntry>();
  /**
   * The skills that each file belongs to. A skill inside the folder of another skill shares its files with that skill.
   */
  private holders: Map<string, SkillEntry[]> | undefined;

  /** @param onDidChange called when an entry was found to differ from its listing. */
  constructor(
    private readonly session: McpSession,
    private readonly onDidChange: () => void = () => undefined,
  ) {}

  /** True if the server declares the extension. Otherwise, no skills may be requested from the server. */
  get isOffered(): boolean {
    return isObject(this.session.identity.capabilities.extensions?.[skillsExtension]);
  }

  /** The latest list; a new array after every change. */
  get entries(): readonly SkillEntry[] {
    return this.listed;
  }

  /**
   * Lists all pages of the skills again, without reading a file. `onWarning` receives the reasons why skills are left
   * out. If there are many, the last line has only their number.
   */
  async list(
    signal?: AbortSignal,
    onWarning: (line: string) => void = () => undefined,
  ): Promise<readonly SkillEntry[]> {
    let files = 0;
    let leftOut = 0;
    const seen = new Set<string>();
    const warnings = new ItemWarnings(onWarning);
    const read = ({ skills }: Record<string, unknown>) => {
      if (!Array.isArray(skills))
        throw new HostError('invalid-message', `The server's answer to skills/list has no "skills" list.`, {
          data: { problem: 'result', method: 'skills/list', detail: '"skills" is not a list' },
        });
      return skills.flatMap((value: unknown) => {
        const found = readSkillEntry(value);
        if ('problem' in found) {
          warnings.add(() => `Left out the skill ${shownUri(value)}: ${found.problem}.`);
          return [];
        }
        if (seen.has(found.entry.uri)) {
          const { uri } = found.entry;
          warnings.add(() => `The skill ${visibleLine(uri, 120)} is listed more than once; the first entry is used.`);
          return [];
        }
        seen.add(found.entry.uri);
        files += found.entry.files === 'dynamic' ? 1 : found.entry.files.length;
        if (files <= maxFilesOfAll) return [found.entry];
        leftOut++;
        return [];
      });
    };
    const { items } = await listAll(
      'skills/list',
      (method, params) => this.session.request(method, params, { signal }),
      read,
      onWarning,
      this.session.listBudget,
    );
    warnings.end('skills');
    if (leftOut > 0)
      onWarning(`Left out ${leftOut} skills, because all skills together list more than ${maxFilesOfAll} files.`);
    this.listed = items;
    this.requestedBytes = 0;
    // Skills that were requested by URI may have changed as well. They are requested again when they are opened.
    this.asked.clear();
    this.changed();
    return items;
  }

  /**
   * The skill at a URI, whether or not it is listed. Rejects with HostError `unknown-skill` if the server has no skill
   * there.
   */
  async find(uri: string, signal?: CallSignal): Promise<SkillEntry> {
    const known = this.known(uri);
    if (known) return known;
    const entry = await this.get(uri, signal);
    this.asked.delete(uri);
    this.asked.set(uri, entry);
    for (const oldest of this.asked.keys()) if (this.asked.size > maxAsked) this.asked.delete(oldest);
    this.changed();
    return entry;
  }

  /** Whether a skill lists this file. Such a file must be read with `read`. */
  holds(uri: string): boolean {
    return this.holdersOf(uri).length > 0;
  }

  /**
   * Reads one file of a skill and verifies it against every skill that lists it. If the file does not match, the
   * skill's entry is requested once more, because the skill may have changed. If it still does not match, rejects with
   * HostError `verification-failed`, and the content is not used.
   */
  async read(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    const { generation } = this;
    // Only the URIs are kept while the server answers: the entries can be replaced many times by then, and are large.
    const holders = this.holdersOf(uri)
      .slice(0, maxRenewed)
      .map((entry) => entry.uri);
    const result = await this.session.readResource(uri, options);
    try {
      await this.verify(uri, result);
      return result;
    } catch (error) {
      // Another read may renew the entries before or while this one requests them.
      const isRenewed = generation !== this.generation || (await this.renew(holders, options.signal));
      if (!isRenewed && generation === this.generation) throw error;
    }
    this.session.forgetCached(uri);
    const current = await this.session.readResource(uri, options);
    await this.verify(uri, current);
    return current;
  }

  private async verify(uri: string, result: ReadResourceResult): Promise<void> {
    const holders = this.holdersOf(uri);
    if (holders.length === 0) throw refusal(uri, 'no skill lists it', { why: 'not-listed' });
    const bytes = bytesOf(uri, result);
    const digest = digestOf(bytes);
    for (const entry of holders) await verifyFile(entry, uri, bytes, digest);
  }

  /**
   * Requests the entries of these skills again. Resolves to true if one of them has changed; the new entries apply from then
   * on.
   */
  private async renew(uris: readonly string[], signal: CallSignal | undefined): Promise<boolean> {
    let hasChanged = false;
    try {
      for (const uri of uris) {
        const fresh = await this.get(uri, signal).catch((error: unknown) => {
          if (signal?.aborted === true) throw error;
          // This error is ignored, because the failed verification of the file is reported instead.
          return undefined;
        });
        const present = this.known(uri);
        if (!fresh || !present || isDeepStrictEqual(fresh, present)) continue;
        hasChanged = true;
        this.listed = this.listed.map((listed) => (listed.uri === fresh.uri ? fresh : listed));
        if (this.asked.has(fresh.uri)) this.asked.set(fresh.uri, fresh);
      }
    } finally {
      // Also after a cancellation, because the entries so far have been replaced.
      if (hasChanged) {
        this.changed();
        this.onDidChange();
      }
    }
    return hasChanged;
  }

  private async get(uri: string, signal: CallSignal | undefined): Promise<SkillEntry> {
    const { skill } = await this.session.request('skills/get', { uri }, { signal }).catch((error: unknown) => {
      if (!(error instanceof ProtocolError) || error.code !== ErrorCode.invalidParams) throw error;
      throw new HostError(
        'unknown-skill',
        `The server serves no skill at ${visibleLine(uri, 120)}: ${visibleLine(error.message)}`,
        { cause: error, data: { uri, detail: error.message } },
      );
    });
    const found = readSkillEntry(skill);
    if ('entry' in found) this.requestedBytes += valueCost(found.entry);
    const problem =
      'problem' in found
        ? found.problem
        : found.entry.uri !== uri
          ? `the server returned ${visibleLine(found.entry.uri, 120)} instead`
          : this.requestedBytes > maxRequestedBytes
            ? `the skills that were requested since the last listing need more than ${sizeText(maxRequestedBytes)} of memory`
            : undefined;
    if ('entry' in found && problem === undefined) return found.entry;
    throw new HostError('invalid-message', `The skill ${visibleLine(uri, 120)} cannot be used: ${problem}.`, {
      data: { method: 'skills/get', problem: 'skill', subject: uri, detail: problem },
      hint: 'This is a fault of the server.',
    });
  }

  private known(uri: string): SkillEntry | undefined {
    return this.listed.find((entry) => entry.uri === uri) ?? this.asked.get(uri);
  }

  /** Called after the entries have changed. */
  private changed(): void {
    this.holders = undefined;
    this.generation++;
  }

  private holdersOf(uri: string): readonly SkillEntry[] {
    this.holders ??= holdersOfFiles([...this.listed, ...this.asked.values()]);
    return this.holders.get(uri) ?? [];
  }
}

function holdersOfFiles(entries: readonly SkillEntry[]): Map<string, SkillEntry[]> {
  const holders = new Map<string, SkillEntry[]>();
  for (const entry of entries) {
    for (const { uri } of entry.files === 'dynamic' ? [entry] : entry.files) {
      const known = holders.get(uri);
      if (known) known.push(entry);
      else holders.set(uri, [entry]);
    }
  }
  return holders;
}

function shownUri(value: unknown): string {
  const { uri } = isObject(value) ? value : {};
  return typeof uri === 'string' ? visibleLine(uri, 120) : 'without a URI';
}
