import { t } from '@vscode/l10n';
import type { EnvironmentDetails, ErrorDetails, Fact, FactGroup, ProcessDetails } from '../../shared/serverPage.js';
import { el, icon } from '../page/dom.js';
import type { Child } from '../page/dom.js';

/** The parts of the page without a state of their own. Each is redrawn completely from its data. */

export function drawError({ at, about, what, next, output }: ErrorDetails): Child[] {
  const when = new Date(at);
  return [
    el('h2', {}, t('Last Error')),
    el(
      'div',
      { class: 'error-box' },
      el('p', { class: 'error-what' }, icon('error'), el('span', {}, what)),
      el('p', { class: 'error-next' }, icon('lightbulb'), el('span', {}, next)),
      el(
        'p',
        { class: 'hint' },
        el(
          'time',
          { attributes: { datetime: when.toISOString() } },
          when.toLocaleString(document.documentElement.lang || undefined),
        ),
        about !== undefined && ` · ${t('in {0}', about)}`,
      ),
      output.length > 0 &&
        el(
          'pre',
          { class: 'output', attributes: { tabindex: 0, 'aria-label': t('Error output of the server') } },
          output.join('\n'),
        ),
    ),
  ];
}

export function drawProcesses({ lines, more }: ProcessDetails): Child[] {
  const label = t('Processes');
  const row = ({ pid, name, depth, cpu, memory }: ProcessDetails['lines'][number]) => {
    const cell = el('th', { class: 'process', attributes: { scope: 'row' } }, name);
    cell.style.setProperty('--depth', String(depth));
    return el(
      'tr',
      {},
      cell,
      el('td', { class: 'number' }, String(pid)),
      el('td', { class: 'number' }, cpu),
      el('td', { class: 'number' }, memory),
    );
  };
  const head = (name: string, isNumber = true) =>
    el('th', { class: isNumber ? 'number' : '', attributes: { scope: 'col' } }, name);
  return [
    el('h2', {}, label),
    scroll(
      label,
      el(
        'table',
        { attributes: { 'aria-label': label } },
        el('thead', {}, el('tr', {}, head(t('Program'), false), head(t('Process')), head(t('CPU')), head(t('Memory')))),
        el('tbody', {}, ...lines.map(row)),
      ),
    ),
    more > 0 && el('p', { class: 'hint' }, t('Processes that are not shown: {0}', more)),
  ];
}

export function drawFacts({ title, facts }: FactGroup): Child[] {
  const value = ({ values, isCode, from }: Fact) => {
    const shown = values.map((text) => el(isCode === true ? 'code' : 'span', { class: 'value' }, text));
    return el('dd', {}, ...shown, from !== undefined && el('span', { class: 'from' }, from));
  };
  return [
    el('h2', {}, title),
    el('dl', { class: 'facts' }, ...facts.map((fact) => el('div', {}, el('dt', {}, fact.name), value(fact)))),
  ];
}

export function drawEnvironment({ lines, note }: EnvironmentDetails): Child[] {
  const label = t('Environment');
  const from = { definition: t('definition'), file: t('env file'), passedOn: t('passed on'), removed: t('removed') };
  const row = (line: EnvironmentDetails['lines'][number]) =>
    el(
      'tr',
      { class: `from-${line.from}` },
      el('th', { class: 'tool', attributes: { scope: 'row' } }, line.name),
      el('td', { class: 'variable' }, line.value ?? '–'),
      el('td', { class: 'origin' }, from[line.from]),
    );
  const head = (name: string) => el('th', { attributes: { scope: 'col' } }, name);
  return [
    el('h2', {}, label),
    note !== undefined && el('p', { class: 'note' }, icon('info'), el('span', {}, note)),
    el(
      'p',
      { class: 'hint' },
      t(
        'The process gets only these environment variables, except the removed ones. Possible secrets are hidden. References such as ${env:NAME} are shown as written.',
      ),
    ),
    scroll(
      label,
      el(
        'table',
        { class: 'environment', attributes: { 'aria-label': label } },
        el('thead', {}, el('tr', {}, head(t('Name')), head(t('Value')), head(t('From')))),
        el('tbody', {}, ...lines.map(row)),
      ),
    ),
  ];
}

/** A wide table in an element of its own that can be scrolled, even with the keyboard. */
function scroll(label: string, table: HTMLElement): HTMLElement {
  return el('div', { class: 'scroll', attributes: { tabindex: 0, role: 'region', 'aria-label': label } }, table);
}
