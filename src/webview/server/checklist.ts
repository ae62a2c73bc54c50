import { t } from '@vscode/l10n';
import type { CheckLine, DiagnosisDetails, PageButton, StateCard } from '../../shared/serverPage.js';
import { el, icon, wordButton } from '../page/dom.js';
import type { Child } from '../page/dom.js';

type Act = (button: PageButton) => void;

/**
 * Draws why a server does not work: the cause, the next step, the relevant lines of the error output, and the buttons.
 */
export function drawCard({ kind, cause, isQuote, what, next, lines, buttons }: StateCard, act: Act): Child[] {
  return [
    el(
      'div',
      { class: `error-box card-${kind}` },
      isQuote === true && el('p', { class: 'card-source' }, t('The server reports:')),
      el('h2', { class: 'card-cause' }, icon(kind === 'failed' ? 'error' : 'warning'), el('span', {}, cause)),
      what !== undefined && el('p', {}, what),
      el('p', { class: 'error-next' }, icon('lightbulb'), el('span', {}, next)),
      lines.length > 0 &&
        el(
          'pre',
          { class: 'output', attributes: { tabindex: 0, 'aria-label': t('Error output of the server') } },
          lines.join('\n'),
        ),
      drawButtons(buttons, act, true),
    ),
  ];
}

/** The checks in their order, each with its result and its fix. */
export function drawDiagnosis(
  { state, summary, lines }: DiagnosisDetails,
  act: (check: string, button: PageButton) => void,
  { stop, copy }: { stop: () => void; copy: () => void },
): Child[] {
  return [
    el('h2', {}, t('Diagnosis')),
    el(
      'div',
      { class: 'diagnosis-head' },
      el('p', {}, summary),
      state === 'running'
        ? wordButton(t('Stop'), stop, { iconName: 'debug-stop' })
        : wordButton(t('Copy Report'), copy, { iconName: 'copy' }),
    ),
    el('ol', { class: 'checks' }, ...lines.map((line) => drawCheck(line, (button) => act(line.id, button)))),
  ];
}

const icons: Readonly<Record<CheckLine['outcome'], string>> = {
  ok: 'pass',
  warning: 'warning',
  failed: 'error',
  skipped: 'circle-slash',
  running: 'loading codicon-modifier-spin',
};

function drawCheck({ title, outcome, seen, fix, buttons }: CheckLine, act: Act): HTMLElement {
  const words = {
    ok: t('OK'),
    warning: t('Warning'),
    failed: t('Failed'),
    skipped: t('Skipped'),
    running: t('Running'),
  };
  return el(
    'li',
    { class: `check check-${outcome}` },
    icon(icons[outcome], `check-icon state-${outcome}`),
    el('span', { class: 'check-title' }, title, el('span', { class: 'spoken' }, `: ${words[outcome]}`)),
    el(
      'div',
      { class: 'check-text' },
      el('p', {}, seen),
      fix !== undefined && el('p', { class: 'error-next' }, icon('lightbulb'), el('span', {}, fix)),
      drawButtons(buttons, act, outcome === 'failed'),
    ),
  );
}

/** @param isMain whether the first button is drawn as a primary button. */
function drawButtons(buttons: readonly PageButton[], act: Act, isMain: boolean): Child {
  if (buttons.length === 0) return false;
  return el(
    'div',
    { class: 'buttons' },
    ...buttons.map((button, index) => {
      const drawn = wordButton(button.label, () => act(button), { isSecondary: !isMain || index > 0 });
      drawn.dataset['action'] = button.action;
      return drawn;
    }),
  );
}
