import { t } from '@vscode/l10n';
import type {
  CutText,
  LinksBody,
  NoteBody,
  PartBody,
  ResourceBody,
  ResultPart,
  TextBody,
} from '../../shared/result/resultModel.js';
import { el, icon } from '../page/dom.js';
import { iconButton, quietLink, textButton } from './controls.js';
import { drawJson } from './drawJson.js';
import { drawMarkdown } from './drawMarkdown.js';
import { drawMedia, drawSvg } from './drawMedia.js';
import { drawnText, plainLines } from './find/findable.js';
import type { DrawContext } from './resultContext.js';
import { withScrollEdges } from './scrollEdges.js';

/** Draws one part of a result. */
export function drawPart(part: ResultPart, isOnly: boolean, context: DrawContext): HTMLElement {
  const { id, send } = context;
  const body = drawBody(part.body, part.index, context);
  const content =
    part.audience === 'assistant'
      ? el('details', { class: 'result-for-model' }, el('summary', {}, t('For the model only')), body)
      : body;
  const actions =
    isOnly || part.body.kind === 'links'
      ? undefined
      : el(
          'div',
          { class: 'result-part-actions' },
          iconButton('copy', t('Copy This Part'), () => send({ type: 'copy', id, part: part.index })),
          iconButton('go-to-file', t('Open This Part in Editor'), () =>
            send({ type: 'openInEditor', id, part: part.index }),
          ),
          iconButton('save', t('Save This Part As…'), () => send({ type: 'saveAs', id, part: part.index })),
        );
  const role =
    part.role === undefined
      ? undefined
      : el(
          'div',
          { class: 'result-role' },
          icon(part.role === 'user' ? 'account' : 'hubot'),
          part.role === 'user' ? t('User') : t('Assistant'),
        );
  return el('div', { class: 'result-part' }, actions, role, content);
}

function drawBody(body: PartBody, index: number, context: DrawContext): HTMLElement {
  switch (body.kind) {
    case 'text':
      return drawText(body, index, context);
    case 'json':
      return drawJson(body.json, { part: index }, context);
    case 'image':
    case 'audio':
    case 'video':
      return drawMedia(body, context);
    case 'svg':
      return drawSvg(body, context);
    case 'links':
      return drawLinks(body, context);
    case 'resource':
      return drawResource(body, index, context);
    case 'note':
      return drawNote(body, index, context);
  }
}

function drawText(body: TextBody, index: number, context: DrawContext): HTMLElement {
  const more = moreHint(body, () => context.send({ type: 'openInEditor', id: context.id, part: index }));
  const asPlain = () => {
    const text = plainText(body.text);
    context.findables?.add(plainLines(text, body.text, body.isCut));
    return text;
  };
  if (body.format === 'plain') return el('div', {}, asPlain(), more);
  const view = el('div');
  const asMarkdown = (): void =>
    view.replaceChildren(findableMarkdown(body, context), textButton(t('Show Source'), asSource, 'code'));
  const asSource = (): void =>
    view.replaceChildren(asPlain(), textButton(t('Show as Markdown'), asMarkdown, 'markdown'));
  asMarkdown();
  return el('div', {}, view, more);
}

function findableMarkdown({ text, isCut }: TextBody, context: DrawContext): HTMLElement {
  const element = drawMarkdown(text, context);
  context.findables?.add(drawnText(element, isCut));
  return element;
}

/** Unformatted text, selectable and wrapped. */
export function plainText(text: string): HTMLElement {
  return el('pre', { class: 'result-text', attributes: { tabindex: 0 } }, text);
}

/** Shows how much text is missing, and a button that opens the whole text. Undefined if nothing is missing. */
export function moreHint({ isCut, more }: CutText, onOpen: () => void): HTMLElement | undefined {
  if (!isCut) return undefined;
  const words =
    more === undefined ? t('Only the beginning is shown.') : t('{0} more characters follow.', more.toLocaleString());
  return el(
    'div',
    { class: 'result-more' },
    icon('info'),
    words,
    textButton(t('Open in Editor'), onOpen, 'go-to-file'),
  );
}

function drawLinks({ links }: LinksBody, context: DrawContext): HTMLElement {
  const { id, send } = context;
  const head = el(
    'thead',
    {},
    el(
      'tr',
      {},
      ...[t('Resource'), t('URI'), t('Type')].map((title) => el('th', { attributes: { scope: 'col' } }, title)),
      el('th', { class: 'result-column-number', attributes: { scope: 'col' } }, t('Size')),
    ),
  );
  const rows = links.map(({ index, name, uri, description, mimeType, size }) =>
    el(
      'tr',
      {},
      el(
        'td',
        {},
        quietLink(name, uri, () => send({ type: 'openResource', id, part: index })),
        description === undefined ? undefined : el('div', { class: 'result-hint' }, description),
      ),
      el('td', { class: 'result-address result-one-line', title: uri }, uri),
      el('td', { class: 'result-column-short' }, mimeType ?? ''),
      el('td', { class: 'result-column-number' }, size ?? ''),
    ),
  );
  const body = el('tbody', {}, ...rows);
  context.findables?.add(drawnText(body));
  return withScrollEdges(
    el(
      'div',
      {
        class: 'result-scroll result-rows',
        attributes: { tabindex: 0, role: 'region', 'aria-label': t('Linked resources') },
      },
      el('table', { class: 'result-table', attributes: { 'aria-label': t('Linked resources') } }, head, body),
    ),
  );
}

function drawResource({ uri, mimeType, body }: ResourceBody, index: number, context: DrawContext): HTMLElement {
  const head = el(
    'div',
    { class: 'result-bar' },
    icon('file'),
    el('span', { class: 'result-address' }, uri),
    mimeType === undefined ? undefined : el('span', { class: 'result-hint' }, mimeType),
  );
  return el('div', { class: 'result-resource' }, head, drawBody(body, index, context));
}

function drawNote({ text, canSave }: NoteBody, index: number, { id, send }: DrawContext): HTMLElement {
  return el(
    'div',
    { class: 'result-note' },
    icon('warning'),
    el('span', {}, text),
    canSave ? textButton(t('Save As…'), () => send({ type: 'saveAs', id, part: index }), 'save') : undefined,
  );
}
