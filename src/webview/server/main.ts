import { config, t } from '@vscode/l10n';
import '../page/page.css';
import '../page/description.css';
import '../result/markdown.css';
import './server.css';
import type {
  DiagnosisDetails,
  EnvironmentDetails,
  ErrorDetails,
  FactGroup,
  ProcessDetails,
  ServerDetails,
  ServerFromPage,
  ServerOverview,
  ServerToPage,
  StateCard,
} from '../../shared/serverPage.js';
import { Announcer } from '../page/announcer.js';
import { el } from '../page/dom.js';
import { Host } from '../page/host.js';
import type { CallOrder } from './callsTable.js';
import { CallsTable } from './callsTable.js';
import { drawCard, drawDiagnosis } from './checklist.js';
import { Figures } from './figures.js';
import { Head } from './head.js';
import { RedrawOnChange } from './redrawOnChange.js';
import { drawOverview } from './overview.js';
import { drawEnvironment, drawError, drawFacts, drawProcesses } from './sections.js';

interface Saved {
  /** The server ID, which the extension reads when the window reloads. */
  server: string;
  order?: CallOrder;
}

/** The parts that are drawn once and then updated. */
interface Drawn {
  head: Head;
  overview: RedrawOnChange<ServerOverview | undefined>;
  figures: Figures;
  calls: CallsTable;
  card: RedrawOnChange<StateCard | undefined>;
  diagnosis: RedrawOnChange<DiagnosisDetails | undefined>;
  error: RedrawOnChange<ErrorDetails | undefined>;
  processes: RedrawOnChange<Pick<ProcessDetails, 'lines' | 'more'> | undefined>;
  groups: RedrawOnChange<readonly FactGroup[]>;
  environment: RedrawOnChange<EnvironmentDetails | undefined>;
  content: HTMLElement;
}

class ServerPage {
  private drawn: Drawn | undefined;
  private state = '';
  private diagnosed: DiagnosisDetails['state'] | undefined;
  private diagnosis: DiagnosisDetails | undefined;
  private details: ServerDetails | undefined;
  private readonly announcer = new Announcer();
  private readonly host = new Host<ServerFromPage, ServerToPage, Saved>({
    notices: {
      show: ({ bundle, server, details }) => {
        config({ contents: bundle });
        this.host.keep({ ...this.host.state, server });
        this.drawn ??= this.draw(server, details.server);
        this.update(details);
      },
      details: ({ details }) => this.update(details),
      overview: ({ overview }) => {
        this.drawn?.overview.show(overview);
        if (this.drawn) this.drawn.overview.element.hidden = overview === undefined;
      },
      diagnosis: ({ diagnosis }) => this.showDiagnosis(diagnosis),
    },
    requests: {},
  });

  open(): void {
    this.host.channel.notify('ready', {});
  }

  private draw(server: string, name: string): Drawn {
    const { host } = this;
    const part = () => el('section');
    const drawn: Drawn = {
      head: new Head(name, (action) => host.channel.notify('act', { action })),
      overview: new RedrawOnChange(
        el('section', { class: 'overview', attributes: { 'aria-label': t('Overview') } }),
        (overview) =>
          overview
            ? drawOverview(overview, {
                openLink: (href) => host.channel.notify('openLink', { href }),
                copyAnswer: () => host.channel.notify('copyAnswer', {}),
              })
            : [],
      ),
      figures: new Figures(),
      calls: new CallsTable(host.state?.order ?? { column: 'calls', isDescending: true }, (order) =>
        host.keep({ server, order }),
      ),
      card: new RedrawOnChange(part(), (card) =>
        card ? drawCard(card, ({ action }) => host.channel.notify('act', { action })) : [],
      ),
      diagnosis: new RedrawOnChange(part(), (diagnosis) =>
        diagnosis
          ? drawDiagnosis(diagnosis, (check, { action }) => host.channel.notify('fix', { check, action }), {
              stop: () => host.channel.notify('stopDiagnosis', {}),
              copy: () => host.channel.notify('copyDiagnosis', {}),
            })
          : [],
      ),
      error: new RedrawOnChange(part(), (error) => (error ? drawError(error) : [])),
      processes: new RedrawOnChange(part(), (processes) =>
        processes ? drawProcesses({ ...processes, cpu: '', memory: '', cpuHistory: [], memoryHistory: [] }) : [],
      ),
      groups: new RedrawOnChange(part(), (groups) => groups.map((group) => el('section', {}, ...drawFacts(group)))),
      environment: new RedrawOnChange(part(), (environment) => (environment ? drawEnvironment(environment) : [])),
      content: el('div', { class: 'content' }),
    };
    drawn.overview.element.hidden = true;
    drawn.content.append(
      drawn.overview.element,
      drawn.card.element,
      drawn.diagnosis.element,
      drawn.figures.element,
      drawn.error.element,
      drawn.calls.element,
      drawn.processes.element,
      drawn.groups.element,
      drawn.environment.element,
    );
    document.body.replaceChildren(
      el('main', { class: 'server' }, drawn.head.element, drawn.content, this.announcer.element),
    );
    return drawn;
  }

  private update(details: ServerDetails): void {
    const { drawn } = this;
    if (!drawn) return;
    const { lastError, processes, groups, environment, tools, state } = details;
    this.details = details;
    drawn.head.show(details);
    drawn.figures.show(details);
    this.showCard(drawn, details);
    drawn.error.show(lastError);
    drawn.calls.show(tools);
    drawn.processes.show(processes && { lines: processes.lines, more: processes.more });
    drawn.groups.show(groups);
    drawn.environment.show(environment);
    drawn.content.hidden = state.kind === 'gone';
    for (const section of [
      drawn.card.element,
      drawn.diagnosis.element,
      drawn.error.element,
      drawn.processes.element,
      drawn.groups.element,
      drawn.environment.element,
    ])
      section.hidden = section.childElementCount === 0;
    if (this.state !== '' && this.state !== state.kind) this.announcer.say(state.text);
    this.state = state.kind;
  }

  /** Shows the card without the buttons that the toolbar or the diagnosis has. */
  private showCard({ card: element }: Drawn, { card, actions }: ServerDetails): void {
    const checks = this.diagnosis?.lines.flatMap(({ buttons }) => buttons) ?? [];
    const shown = new Set<string>([...actions, ...checks.map(({ action }) => action)]);
    element.show(card && { ...card, buttons: card.buttons.filter(({ action }) => !shown.has(action)) });
  }

  private showDiagnosis(diagnosis: DiagnosisDetails): void {
    const { drawn, diagnosed } = this;
    if (!drawn) return;
    this.diagnosis = diagnosis;
    drawn.diagnosis.show(diagnosis);
    drawn.diagnosis.element.hidden = false;
    if (this.details) this.showCard(drawn, this.details);
    this.diagnosed = diagnosis.state;
    if (diagnosis.state === diagnosed) return;
    this.announcer.say(diagnosis.summary);
    // The list of checks is at the top of the page. It must be visible even if the page was scrolled.
    if (diagnosis.state === 'running') drawn.diagnosis.element.scrollIntoView({ block: 'nearest' });
  }
}

new ServerPage().open();
