import { t } from '@vscode/l10n';
import type {
  GalleryChannel,
  InstallMode,
  InstallOutcome,
  LatestEntry,
  ServerKey,
  ServerOffer,
  VersionLine,
  InstallOptionForm,
  InstallOption,
} from '../../shared/galleryPage.js';
import type { Child } from '../page/dom.js';
import { el, focusOn, icon, wordButton } from '../page/dom.js';
import { onRunKey } from '../page/runKey.js';
import { quietLink } from '../result/controls.js';
import { drawName, statusBadges } from './drawRow.js';
import { drawSections, InstallForm } from './installForm.js';
import { OptionCards } from './optionCards.js';

/** The selected server: its description, its packages and remotes, and the form that installs it. */
export class DetailsSide {
  readonly element: HTMLElement;
  private offer: ServerOffer | undefined;
  private form: InstallForm | undefined;
  private cards: OptionCards | undefined;
  private readonly installPart = el('div', { class: 'install-part' });
  /** Number of the latest request. Replies to earlier ones are ignored. */
  private shown = 0;

  constructor(
    private readonly channel: GalleryChannel,
    private readonly announce: (text: string) => void,
  ) {
    this.element = el('section', {
      class: 'details-side',
      attributes: { 'aria-label': t('Details'), tabindex: -1 },
    });
    this.clear();
    onRunKey(() => void this.form?.install('start'));
  }

  /** Shows a server. What the user typed for another server is discarded. */
  async show(key: ServerKey): Promise<void> {
    const number = ++this.shown;
    const offer = await this.channel.request('details', key).catch(() => null);
    if (number !== this.shown) return;
    if (offer) this.draw(offer);
    else this.clear();
  }

  /** Shows a note if the list now has another entry for the shown server. The details and the user's input stay. */
  async refresh(): Promise<void> {
    const { offer, shown } = this;
    if (!offer) return;
    const { place, name } = offer.key;
    const latest = await this.channel.request('latest', { place, name }).catch(() => offer.latest);
    if (shown === this.shown) this.drawStale(offer, latest);
  }

  clear(): void {
    this.shown++;
    this.offer = undefined;
    this.form = undefined;
    this.cards = undefined;
    this.element.replaceChildren(
      el(
        'header',
        { class: 'details-empty' },
        el('h1', { attributes: { tabindex: -1 } }, t('Find a Server')),
        el('p', { class: 'hint' }, t('Select a server to see what it runs and to install it.')),
      ),
    );
  }

  /** Moves the focus to the packages and URLs, or to the details if there are none. */
  focus(): void {
    if (this.cards?.focus() !== true) this.element.focus();
  }

  setProgress(text: string | undefined): void {
    this.form?.setProgress(text);
  }

  private draw(offer: ServerOffer): void {
    this.offer = offer;
    this.form = undefined;
    const { row, options, facts, links, blocked, suggested } = offer;
    this.cards = new OptionCards(options, suggested, (option) => void this.choose(option));
    this.installPart.replaceChildren();
    const note = (className: string, name: string, text: string) =>
      el('p', { class: `note ${className}` }, icon(name), el('span', {}, text));
    this.element.replaceChildren(
      el(
        'header',
        { class: 'details-head' },
        el('div', { class: 'row-head' }, el('h1', { attributes: { tabindex: -1 } }, row.title), ...statusBadges(row)),
        el('div', { class: 'row-name' }, ...drawName(row)),
      ),
      ...(row.warning === undefined ? [] : [note('note-warning', 'warning', row.warning.reason)]),
      ...(blocked === undefined ? [] : [note('note-error', 'circle-slash', blocked)]),
      el('p', { class: 'details-description' }, offer.description),
      el(
        'dl',
        { class: 'facts' },
        ...this.versionFact(offer),
        ...facts.flatMap(({ name, value }) => fact(name, value)),
      ),
      el(
        'div',
        { class: 'details-links' },
        ...links.map(({ label, href }) => quietLink(label, href, () => this.channel.notify('openLink', { href }))),
      ),
      options.length === 0
        ? note('note-warning', 'info', t('The registry lists no package and no URL for this server.'))
        : el('h2', {}, options.length === 1 ? t('Package or URL') : t('Choose a Package or URL')),
      this.cards.element,
      this.installPart,
    );
    this.element.scrollTop = 0;
    if (suggested !== undefined) void this.choose(suggested);
  }

  private drawStale(offer: ServerOffer, latest: LatestEntry | null): void {
    const text = staleText(offer, latest);
    const before = this.element.querySelector('.stale');
    if (before?.querySelector('span:not(.codicon)')?.textContent === text) return;
    before?.remove();
    if (text === undefined) return;
    const { place, name } = offer.key;
    const label =
      latest?.version === offer.latest.version ? t('Show Changed Entry') : t('Show {0}', latest?.version ?? '');
    const showIt = () =>
      void this.show({ place, name }).then(() =>
        focusOn(this.element.querySelector<HTMLElement>('h1') ?? this.element),
      );
    this.element.prepend(
      el(
        'div',
        { class: 'note stale' },
        icon('info'),
        el('span', {}, text),
        latest !== null && wordButton(label, showIt),
      ),
    );
    this.announce(text);
  }

  /** The version, and a button that shows the other versions. */
  private versionFact({ key, row }: ServerOffer): Child[] {
    const place = el('span', {}, row.version === '' ? t('unknown') : row.version);
    const button = wordButton(t('Show Versions'), () => void this.showVersions(key, place, button));
    return [el('dt', {}, t('Version')), el('dd', {}, place, button)];
  }

  private async showVersions(key: ServerKey, place: HTMLElement, button: HTMLElement): Promise<void> {
    button.setAttribute('disabled', '');
    let versions: readonly VersionLine[];
    try {
      versions = await this.channel.request('versions', key);
    } catch (error) {
      button.removeAttribute('disabled');
      place.replaceChildren(el('span', { class: 'hint' }, errorText(error)));
      return;
    }
    if (versions.length === 0) {
      button.replaceWith(el('span', { class: 'hint' }, t('This registry lists only the latest version.')));
      return;
    }
    const select = document.createElement('select');
    select.className = 'version-select';
    select.setAttribute('aria-label', t('Version'));
    select.append(
      ...versions.map(({ version, text }) =>
        el('option', { attributes: { value: version, selected: version === key.version } }, text),
      ),
    );
    select.addEventListener('change', () => void this.show({ ...key, version: select.value }));
    place.replaceChildren(select);
    button.remove();
    select.focus();
  }

  private async choose(option: string): Promise<void> {
    const { offer, channel } = this;
    if (!offer) return;
    const key = { ...offer.key, option };
    const offered = offer.options.find(({ id }) => id === option);
    if (offered?.problem !== undefined) {
      this.form = undefined;
      this.installPart.replaceChildren(
        el('p', { class: 'note note-warning' }, icon('info'), el('span', {}, offered.problem)),
        ...this.steps(offered),
      );
      return;
    }
    const number = this.shown;
    let form: InstallOptionForm;
    try {
      form = await channel.request('installForm', key);
    } catch (error) {
      this.installPart.replaceChildren(problemNote(error));
      return;
    }
    if (number !== this.shown || this.cards?.selected !== option) return;
    this.form = new InstallForm(channel, key, form, {
      need: offered?.need,
      install: (mode, values, shown) => this.install(mode, values, shown, option),
    });
    this.installPart.replaceChildren(this.form.element);
  }

  /** How the user connects to a server that MCP Deck does not start. */
  private steps({ steps = [] }: InstallOption): HTMLElement[] {
    if (steps.length === 0) return [];
    const add = wordButton(t('Add Server…'), () => this.channel.notify('act', { action: 'addServer' }));
    return [
      el('div', { class: 'preview' }, ...drawSections(steps)),
      el('div', { class: 'buttons install-buttons' }, add),
    ];
  }

  private async install(
    mode: InstallMode,
    values: Record<string, unknown>,
    shown: string,
    option: string,
  ): Promise<void> {
    const { offer, form } = this;
    if (!offer) return;
    const outcome = await this.channel
      .request('install', { ...offer.key, option, arguments: values, mode, shown })
      .catch((error: unknown): InstallOutcome => ({ kind: 'failed', what: errorText(error), next: '' }));
    form?.setProgress(undefined);
    if (outcome.kind === 'cancelled') return;
    const text = outcome.kind === 'done' ? outcome.text : `${outcome.what} ${outcome.next}`.trim();
    form?.showOutcome(outcome.kind === 'done', text);
    this.announce(text);
  }
}

/** States how the entry in the list differs from the shown entry. Undefined if both are the same. */
function staleText({ latest: known }: ServerOffer, latest: LatestEntry | null): string | undefined {
  if (latest === null) return t('The registry no longer lists this server.');
  if (latest.id === known.id) return undefined;
  return latest.version === known.version
    ? t('The registry changed the entry of this server.')
    : t('The registry now lists version {0} of this server.', latest.version);
}

function fact(name: string, value: string): Child[] {
  return [el('dt', {}, name), el('dd', {}, value)];
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function problemNote(error: unknown): HTMLElement {
  return el('p', { class: 'note note-warning' }, icon('warning'), el('span', {}, errorText(error)));
}
