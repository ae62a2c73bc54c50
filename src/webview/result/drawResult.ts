import { t } from '@vscode/l10n';
import { sizeText } from '../../shared/amountText.js';
import type {
  CutText,
  DoneResult,
  FailedResult,
  LogLine,
  RawExchange,
  ResultModel,
  RunningResult,
  StructuredOutput,
} from '../../shared/result/resultModel.js';
import { el, icon } from '../page/dom.js';
import { iconButton, textButton } from './controls.js';
import { drawnText, plainLines } from './find/findable.js';
import { tablesIn } from '../../shared/result/jsonTable.js';
import { drawJson } from './drawJson.js';
import { drawPart, moreHint, plainText } from './drawPart.js';
import { drawTabs } from './drawTabs.js';
import type { Tab } from './drawTabs.js';
import { elapsedSeconds, span } from './elapsed.js';
import type { DrawContext, ResultContext } from './resultContext.js';

/** State that is kept when a container is redrawn. */
interface Kept {
  id: string;
  tab: string | undefined;
  release: (() => void)[];
}

const kept = new WeakMap<HTMLElement, Kept>();

/**
 * Draws a result into `container` and replaces its content. Redrawing the same run keeps the selected tab, so that a
 * running call can be redrawn on each update.
 */
export function drawResult(container: HTMLElement, model: ResultModel, { send, findables }: ResultContext): void {
  const before = kept.get(container);
  for (const release of before?.release ?? []) release();
  const now: Kept = { id: model.id, tab: before?.id === model.id ? before.tab : undefined, release: [] };
  kept.set(container, now);
  const context: DrawContext = {
    send,
    id: model.id,
    onRelease: (release) => now.release.push(release),
    ...(findables ? { findables } : {}),
  };
  try {
    container.replaceChildren(...drawModel(model, now, context));
  } catch (error) {
    // The previous content is replaced, because it belongs to another state. The result is not lost, because the
    // extension still has it.
    container.replaceChildren(undrawn(String(error), context));
  }
}

function undrawn(reason: string, { id, send }: DrawContext): HTMLElement {
  return el(
    'div',
    { class: 'result-note', attributes: { role: 'alert' } },
    icon('warning'),
    el('span', {}, t('This result cannot be shown here: {0}', reason)),
    textButton(t('Open in Editor'), () => send({ type: 'openInEditor', id }), 'go-to-file'),
  );
}

/** Empties a container and releases the resources of its drawing. */
export function clearResult(container: HTMLElement): void {
  for (const release of kept.get(container)?.release ?? []) release();
  kept.delete(container);
  container.replaceChildren();
}

function drawModel(model: ResultModel, now: Kept, context: DrawContext): HTMLElement[] {
  switch (model.kind) {
    case 'running':
      return [drawRunning(model, context)];
    case 'failed':
      return [drawFailed(model, now, context)];
    case 'done':
      return [drawDone(model, now, context)];
  }
}

function drawRunning(model: RunningResult, context: DrawContext): HTMLElement {
  const time = el('span', { class: 'result-hint' });
  const tick = () => (time.textContent = elapsedSeconds(Date.now() - model.startedAt));
  tick();
  const timer = setInterval(tick, 1_000);
  context.onRelease(() => clearInterval(timer));
  const { progress } = model;
  const { waiting } = model;
  const words = waiting ? t('Waiting for your answer') : (progress?.text ?? t('Running'));
  const request = waiting?.request;
  const percent = progress?.fraction === undefined ? undefined : Math.round(progress.fraction * 100);
  const fill = el('div', { class: 'result-progress-fill' });
  if (percent !== undefined) fill.style.width = `${percent}%`;
  const bar = el(
    'div',
    {
      class: percent === undefined ? 'result-progress result-progress-unknown' : 'result-progress',
      attributes: {
        role: 'progressbar',
        'aria-label': words,
        'aria-valuemin': 0,
        'aria-valuemax': 100,
        'aria-valuenow': percent,
      },
    },
    fill,
  );
  const head = el(
    'div',
    { class: 'result-head', attributes: { role: 'status' } },
    waiting ? icon('comment-unresolved') : icon('loading', 'codicon-modifier-spin'),
    el('span', { class: 'result-summary' }, words),
    percent === undefined ? undefined : el('span', { class: 'result-hint' }, `${percent} %`),
  );
  return el(
    'div',
    { class: 'result' },
    bar,
    el(
      'div',
      { class: 'result-head-row' },
      head,
      request === undefined
        ? undefined
        : textButton(t('Answer…'), () => context.send({ type: 'answerRequest', id: model.id, request }), 'comment'),
      waiting ? undefined : time,
    ),
    model.log.length > 0 ? drawLog(model.log, model.logDropped, context) : undefined,
  );
}

function drawFailed(model: FailedResult, now: Kept, context: DrawContext): HTMLElement {
  const head = el(
    'div',
    {
      class: model.isCancelled ? 'result-head' : 'result-head result-banner-error',
      attributes: { role: model.isCancelled ? 'status' : 'alert' },
    },
    icon(model.isCancelled ? 'circle-slash' : 'error'),
    el('span', { class: 'result-summary' }, model.message),
    model.isUnsent === true ? undefined : el('span', { class: 'result-hint' }, span(model.durationMs)),
    model.showsLog === true
      ? textButton(t('Show Log'), () => context.send({ type: 'showLog', id: model.id }), 'output')
      : undefined,
  );
  const tabs: Tab[] = [];
  if (model.log.length > 0) tabs.push(logTab(model.log, model.logDropped, context));
  // Nothing was sent, so there is no message to show.
  if (model.isUnsent !== true) tabs.push(rawTab(model.raw, context));
  return el('div', { class: 'result' }, head, tabs.length > 0 && drawTabs(tabs, tabMemory(now)));
}

function drawDone(model: DoneResult, now: Kept, context: DrawContext): HTMLElement {
  const tabs: Tab[] = [];
  const { structured } = model;
  const hasParts = model.parts.length > 0;
  if (hasParts || structured === undefined)
    tabs.push({
      id: 'result',
      label: model.isPrompt ? t('Messages') : t('Result'),
      draw: () => drawParts(model, context),
    });
  if (structured)
    tabs.push({
      id: 'structured',
      label: t('Structured'),
      badge: structured.problems.length,
      draw: () => drawStructured(structured, context),
    });
  if (model.log.length > 0) tabs.push(logTab(model.log, model.logDropped, context));
  tabs.push(rawTab(model.raw, context));
  // The structured content is selected if it contains a table, because a table is easier to read than the text.
  if (structured && tablesIn(structured.json.root).length > 0 && !model.isError) now.tab ??= 'structured';
  return el(
    'div',
    { class: model.isError ? 'result result-is-error' : 'result' },
    ...drawHead(model, context),
    drawTabs(tabs, tabMemory(now)),
  );
}

function drawHead(model: DoneResult, context: DrawContext): HTMLElement[] {
  const { id, send } = context;
  const facts = [
    model.durationMs === undefined ? undefined : span(model.durationMs),
    model.isMore ? t('more than {0}', sizeText(model.bytes)) : sizeText(model.bytes),
  ]
    .filter((fact) => fact !== undefined)
    .join(' · ');
  const head = el(
    'div',
    {
      class: model.isError ? 'result-head result-banner-error' : 'result-head',
      attributes: { role: model.isError ? 'alert' : 'status' },
    },
    icon(model.isError ? 'error' : 'pass'),
    el(
      'span',
      { class: 'result-summary' },
      model.isError ? t('The tool reports an error') : model.isPrompt ? messageCount(model.parts.length) : t('Done'),
    ),
    el('span', { class: 'result-hint' }, facts),
  );
  const { previous } = model;
  const compare =
    previous === undefined
      ? undefined
      : previous.isSame
        ? el('span', { class: 'result-hint' }, t('same as the previous run'))
        : previous.canCompare &&
          textButton(t('Compare with Previous'), () => send({ type: 'compareWithPrevious', id }), 'diff');
  const app =
    model.hasApp === true ? textButton(t('Open App'), () => send({ type: 'openApp', id }), 'window') : undefined;
  const buttons = el(
    'div',
    { class: 'result-actions' },
    app,
    compare,
    ...(model.isPrompt ? promptButtons(context) : resultButtons(context)),
  );
  const problems = model.structured?.problems.length ?? 0;
  const mismatch = problems === 0 ? [] : [t('The structured output does not match the output schema of the tool.')];
  const notes = [...mismatch, ...model.notes].map((note) =>
    el('div', { class: 'result-note' }, icon('warning'), el('span', {}, note)),
  );
  const description =
    model.description === undefined ? [] : [el('p', { class: 'result-description' }, model.description)];
  return [el('div', { class: 'result-head-row' }, head, buttons), ...description, ...notes];
}

function resultButtons({ id, send }: DrawContext): HTMLElement[] {
  return [
    iconButton('copy', t('Copy Result'), () => send({ type: 'copy', id })),
    iconButton('save', t('Save Result As…'), () => send({ type: 'saveAs', id })),
    iconButton('go-to-file', t('Open Result in Editor'), () => send({ type: 'openInEditor', id })),
  ];
}

/** Creates the buttons for the messages of a prompt. */
function promptButtons({ id, send }: DrawContext): HTMLElement[] {
  return [
    textButton(t('Send to Chat'), () => send({ type: 'sendToChat', id }), 'comment-discussion'),
    textButton(t('Insert at Cursor'), () => send({ type: 'insertAtCursor', id }), 'insert'),
    textButton(t('Copy'), () => send({ type: 'copy', id }), 'copy'),
    textButton(t('Open as Document'), () => send({ type: 'openInEditor', id }), 'go-to-file'),
  ];
}

function messageCount(count: number): string {
  return count === 1 ? t('1 message') : t('{0} messages', count);
}

function drawParts(model: DoneResult, context: DrawContext): HTMLElement {
  if (model.parts.length === 0)
    return el(
      'p',
      { class: 'result-hint' },
      model.isPrompt ? t('The prompt has no messages.') : t('The tool returned nothing.'),
    );
  return el('div', {}, ...model.parts.map((part) => drawPart(part, model.parts.length === 1, context)));
}

function drawStructured({ json, problems }: StructuredOutput, context: DrawContext): HTMLElement {
  const { id, send } = context;
  const list =
    problems.length === 0
      ? undefined
      : el(
          'div',
          { class: 'result-problems' },
          el('div', {}, icon('warning'), t('Does not match the output schema:')),
          el('ul', {}, ...problems.map((problem) => el('li', {}, problem))),
        );
  const more = json.isWhole
    ? undefined
    : el(
        'div',
        { class: 'result-more' },
        icon('info'),
        t('Only the beginning is shown.'),
        textButton(t('Open in Editor'), () => send({ type: 'openStructured', id }), 'go-to-file'),
      );
  return el('div', {}, list, drawJson(json, 'structured', context), more);
}

function logTab(log: readonly LogLine[], dropped: number, context: DrawContext): Tab {
  return {
    id: 'log',
    label: t('Log'),
    badge: log.length + dropped,
    draw: () => drawLog(log, dropped, context),
  };
}

function drawLog(log: readonly LogLine[], dropped: number, context: DrawContext): HTMLElement {
  const lines = log.map(({ text, level }) =>
    el(
      'li',
      { class: `result-log-line result-log-${levelClass(level)}` },
      level === undefined ? undefined : el('span', { class: 'result-log-level' }, level),
      el('span', {}, text),
    ),
  );
  const hint =
    dropped === 0
      ? undefined
      : el(
          'p',
          { class: 'result-hint' },
          t('{0} earlier lines are not shown. The log of the server contains them.', dropped),
        );
  const list = el(
    'ul',
    { class: 'result-log', attributes: { 'aria-label': t('Log lines of the call'), tabindex: 0 } },
    ...lines,
  );
  context.findables?.add(drawnText(list));
  return el('div', {}, hint, list);
}

function levelClass(level: string | undefined): 'error' | 'warning' | 'info' {
  if (level === 'warning') return 'warning';
  return level === 'error' || level === 'critical' || level === 'alert' || level === 'emergency' ? 'error' : 'info';
}

function rawTab(raw: RawExchange, context: DrawContext): Tab {
  return { id: 'raw', label: t('Raw'), draw: () => drawRaw(raw, context) };
}

function drawRaw({ request, response }: RawExchange, context: DrawContext): HTMLElement {
  const { id, send } = context;
  const block = (title: string, what: 'request' | 'response', text: CutText) => {
    const shown = plainText(text.text);
    context.findables?.add(plainLines(shown, text.text, text.isCut));
    return el(
      'div',
      { class: 'result-part' },
      el(
        'div',
        { class: 'result-bar' },
        el('span', { class: 'result-key' }, title),
        el('span', { class: 'result-space' }),
        textButton(t('Copy'), () => send({ type: 'copyRaw', id, what }), 'copy'),
        textButton(t('Open in Editor'), () => send({ type: 'openRaw', id, what }), 'go-to-file'),
      ),
      shown,
      moreHint(text, () => send({ type: 'openRaw', id, what })),
    );
  };
  return el(
    'div',
    {},
    block(t('Request'), 'request', request),
    response
      ? block(t('Response'), 'response', response)
      : el('p', { class: 'result-hint' }, t('There was no response.')),
  );
}

function tabMemory(now: Kept): { get(): string | undefined; set(tab: string): void } {
  return { get: () => now.tab, set: (tab) => (now.tab = tab) };
}
