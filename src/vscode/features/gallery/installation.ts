import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { freeName } from '../../../core/base/freeName.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { visibleLine, visibleText } from '../../../core/base/hostileText.js';
import { define } from '../../../core/gallery/define.js';
import type { GalleryMatch } from '../../../core/gallery/gallery.js';
import { galleryFields } from '../../../core/gallery/installedFrom.js';
import { arrivalRefusal } from '../../../core/interchange/blockedArrivals.js';
import { withPlainSecrets } from '../../../core/interchange/pasted/openValues.js';
import type { PortableServer } from '../../../core/interchange/portableServer.js';
import { failureText } from '../../../core/present/failure/failureText.js';
import { joinNewServer, nameProblem, newServerSchema, splitNewServer } from '../../../core/present/form/newServer.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import type { Filled } from '../../../core/present/gallery/installForm.js';
import {
  askedInputs,
  defaultValues,
  filledServer,
  hasForeignVariable,
  inputsSchema,
  suggestedName,
} from '../../../core/present/gallery/installForm.js';
import { bundlePreview, isRead, previewOf, problemPreview } from '../../../core/present/gallery/preview.js';
import {
  digestWarning,
  serverOf,
  suggestedOption,
  optionProblem,
} from '../../../core/present/gallery/installOptions.js';
import type { JsonSchema } from '../../../core/protocol/mcp.js';
import type {
  InstallMode,
  InstallOutcome,
  Preview,
  InstallOptionForm,
  InstallOption,
} from '../../../shared/galleryPage.js';
import type { Arguments, Problem } from '../../../shared/panel/formMessages.js';
import { readOwnPlace } from '../../adapters/ownPlaces.js';
import { addScratch } from '../../ui/addScratch.js';
import { placeOfKey, saveChoices } from '../../ui/saveChoices.js';
import { saveNew, startSaved } from '../../ui/saveServer.js';
import type { ExtensionServices } from '../../ui/services.js';

/** What the user chose to install, and how. */
interface InstallRequest {
  found: GalleryMatch;
  /** The ID of the package or remote, for example `packages/0`. */
  option: string;
  values: Arguments;
  mode: InstallMode;
  /** The ID of the preview that the page showed when the user pressed the button. */
  shown: string;
}

/** Fills in, previews, saves, and starts a server from a registry. */
export class Installation {
  /** The schema of the form that the page shows. */
  private schema: JsonSchema = {};
  private isBusy = false;

  /**
   * @param headersOf returns the headers for the download of a file from a source.
   * @param progress shows what happens; undefined when it has ended.
   */
  constructor(
    private readonly deck: Pick<
      ExtensionServices,
      'consent' | 'host' | 'installBundle' | 'revealServer' | 'schemas' | 'scratch'
    >,
    private readonly headersOf: (place: string, file: string) => Readonly<Record<string, string>> | undefined,
    private readonly progress: (text: string | undefined) => void,
  ) {}

  form(found: GalleryMatch, option: string): InstallOptionForm {
    if (bundleOf(found, option)) {
      this.schema = { type: 'object', properties: {} };
      return { form: schemaForm(this.schema), start: {}, preview: this.preview(found, option, {}) };
    }
    const inputs = askedInputs(serverOf(found.entry.json), option);
    this.schema = newServerSchema(inputsSchema(inputs), saveChoices());
    const taken = new Set(this.deck.host.servers.list().map(({ entry }) => entry.name));
    const name = freeName(suggestedName(found.entry.name), taken);
    const [place = ''] = saveChoices().map(({ key }) => key);
    const start = joinNewServer({ name, saveTo: place, fields: defaultValues(inputs) });
    return { form: schemaForm(this.schema), start, preview: this.preview(found, option, start) };
  }

  preview(found: GalleryMatch, option: string, values: Arguments): Preview {
    const bundle = bundleOf(found, option);
    if (bundle) return bundlePreview(bundle.file, bundle.sha256);
    const filled = this.fill(found, option, values);
    const definition = 'definition' in filled ? filled.definition : undefined;
    const problem = optionProblem(serverOf(found.entry.json), option, definition);
    if (!('server' in filled) || problem !== undefined) return problemPreview(problem ?? '');
    const { server } = filled;
    const refusal = this.refusal(server.server);
    if (refusal !== undefined) return problemPreview(refusal);
    const digest = definition && digestWarning(serverOf(found.entry.json), option, definition);
    const preview = previewOf(server.server, server.inputs, digest);
    if (placeOfKey(splitNewServer(values).saveTo)?.kind !== 'portable') return preview;
    if (hasForeignVariable(server))
      return problemPreview(
        vscode.l10n.t(
          'The definition contains text such as ${NAME}, which apps replace when they read ".mcp.json". Select another location.',
        ),
      );
    const names = server.inputs.map(({ id }) => id);
    if (names.length === 0) return preview;
    const warning = vscode.l10n.t(
      '".mcp.json" cannot keep secrets. It refers to environment variables that you set for VS Code: {0}.',
      names.map((id) => id.toUpperCase().replaceAll('-', '_')).join(', '),
    );
    return { ...preview, warnings: [...preview.warnings, warning] };
  }

  async check(values: unknown): Promise<Problem[]> {
    const { problems } = (await this.deck.schemas.load()).check(this.schema, values);
    if (problems.length > 0 || !isObject(values)) return [...problems];
    // The form of a bundle has no field for the name. A later page asks for the name.
    if (!isObject(this.schema['properties']) || !Object.hasOwn(this.schema['properties'], 'name')) return [];
    const { name, saveTo } = splitNewServer(values);
    const place = placeOfKey(saveTo);
    const taken = place ? Object.keys((await readOwnPlace(place)).servers) : [];
    return nameProblem(name, new Set(taken));
  }

  async install(request: InstallRequest): Promise<InstallOutcome> {
    // A second click must not install twice.
    if (this.isBusy) return { kind: 'cancelled' };
    this.isBusy = true;
    try {
      return await this.installNow(request);
    } catch (error) {
      if (isCancelled(error)) return { kind: 'cancelled' };
      return { kind: 'failed', ...failureText(error, undefined) };
    } finally {
      this.isBusy = false;
      this.progress(undefined);
    }
  }

  /** Why a rule blocks the server with its suggested package or remote, as text. Undefined if no rule blocks it. */
  blockedText({ place, entry }: GalleryMatch): string | undefined {
    const server = serverOf(entry.json);
    const option = suggestedOption(['packages/0', 'remotes/0'].flatMap((id) => usable(server, id)));
    if (option === undefined) return undefined;
    const filled = this.fill({ place, entry }, option, { name: suggestedName(entry.name) });
    return 'server' in filled ? this.refusal(filled.server.server) : undefined;
  }

  private async installNow({ found, option, values, mode, shown }: InstallRequest): Promise<InstallOutcome> {
    const bundle = bundleOf(found, option);
    if (bundle) {
      const { place, entry } = found;
      const name = visibleLine(entry.name, 80);
      const headers = this.headersOf(place, bundle.file);
      this.progress(vscode.l10n.t('Downloading "{0}"…', name));
      await this.deck.installBundle({
        url: bundle.file,
        sha256: bundle.sha256,
        label: entry.name,
        ...(headers === undefined ? {} : { headers }),
        origin: { fields: galleryFields(place, entry) },
      });
      return { kind: 'done', text: vscode.l10n.t('The page of the bundle "{0}" is open.', name) };
    }
    const [problem] = await this.check(values);
    if (problem) return { kind: 'failed', what: problem.message, next: '' };
    const filled = this.fill(found, option, values);
    const preview = this.preview(found, option, values);
    if (!('server' in filled) || preview.problem !== undefined)
      return { kind: 'failed', what: preview.problem ?? '', next: '' };
    const isShown = isRead(preview, shown);
    const { server } = filled;
    if (mode === 'try') return this.tryOut(server, isShown, preview);
    const { name, saveTo } = splitNewServer(values);
    const place = placeOfKey(saveTo);
    if (!place) return { kind: 'failed', what: vscode.l10n.t('This location no longer exists.'), next: '' };
    this.progress(vscode.l10n.t('Saving "{0}"…', visibleLine(name, 80)));
    const chosen = { name, saveTo, fields: server.server.fields };
    const edited = await saveNew(this.deck, { ...server, notes: [] }, chosen, place, isShown);
    if (!edited) return { kind: 'cancelled' };
    const saved = { name: edited.name, source: place.source.id };
    this.deck.revealServer(saved);
    const shownName = visibleLine(edited.name, 80);
    if (mode === 'save')
      return { kind: 'done', text: vscode.l10n.t('"{0}" was saved to {1}.', shownName, place.label) };
    this.progress(vscode.l10n.t('Saved. Starting "{0}"…', shownName));
    const id = await startSaved(this.deck, edited, isShown);
    this.deck.revealServer(saved);
    return { kind: 'done', text: this.runningText(id), server: id };
  }

  /** Starts the server as a scratch server. Its secrets stay in memory. */
  private async tryOut(
    open: Extract<Filled, { server: unknown }>['server'],
    isShown: boolean,
    { warnings }: Preview,
  ): Promise<InstallOutcome> {
    const { server, inputs } = withPlainSecrets(open);
    this.progress(vscode.l10n.t('Starting "{0}"…', visibleLine(server.name, 80)));
    const { id, ...added } = await addScratch(
      this.deck,
      server.name,
      { fields: server.fields, inputs },
      (all) => isShown && all.every((one) => warnings.includes(one)),
    );
    this.deck.revealServer(added);
    await this.deck.host.lifecycle.start(id, { interactive: true });
    this.deck.revealServer(added);
    return { kind: 'done', text: this.runningText(id), server: id };
  }

  private runningText(id: string): string {
    const tools = this.deck.host.servers.get(id)?.features?.tools.length ?? 0;
    const name = visibleText(id, 80);
    return tools === 1
      ? vscode.l10n.t('"{0}" is running with 1 tool.', name)
      : vscode.l10n.t('"{0}" is running with {1} tools.', name, tools);
  }

  private fill({ place, entry }: GalleryMatch, option: string, values: Arguments): Filled {
    const { name, fields } = splitNewServer(values);
    return filledServer(serverOf(entry.json), option, fields, { name, place, from: entry });
  }

  private refusal(server: PortableServer): string | undefined {
    const error = arrivalRefusal(server, (name, definition) => this.deck.host.servers.blockedBy(name, definition));
    if (!error) return undefined;
    const { what, next } = failureText(error, undefined);
    return `${what} ${next}`;
  }
}

function usable(server: Readonly<Record<string, unknown>>, id: string): InstallOption[] {
  return optionProblem(server, id) === undefined ? [{ id, type: '', what: '' }] : [];
}

/** The file of a bundle that can be verified. Undefined for other packages and for remotes. */
function bundleOf({ entry }: GalleryMatch, option: string): { file: string; sha256: string } | undefined {
  const server = serverOf(entry.json);
  const definition = define(server, option, () => undefined);
  if (!('file' in definition) || optionProblem(server, option, definition) !== undefined) return undefined;
  const { file, sha256 } = definition;
  return sha256 === undefined ? undefined : { file, sha256 };
}
