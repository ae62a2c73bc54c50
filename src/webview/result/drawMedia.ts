import { t } from '@vscode/l10n';
import type { MediaBody, SvgBody } from '../../shared/result/resultModel.js';
import { el } from '../page/dom.js';
import { iconButton, textButton } from './controls.js';
import type { DrawContext } from './resultContext.js';

const zoomSteps = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 8];

/** Draws an image, audio, or video from bytes that the extension has checked. */
export function drawMedia(body: MediaBody, context: DrawContext): HTMLElement {
  const address = addressOf(new Blob([body.bytes.slice()], { type: body.mimeType }), context);
  if (body.kind === 'image') return imageView(address, t('Image: {0}', body.facts), body.facts);
  const player = el(body.kind, {
    class: 'result-player',
    attributes: {
      controls: true,
      preload: 'metadata',
      'aria-label': body.kind === 'audio' ? t('Audio: {0}', body.facts) : t('Video: {0}', body.facts),
    },
  });
  player.addEventListener('error', () =>
    player.replaceWith(broken(t('This content ({0}) cannot be played here, but you can save it.', body.facts))),
  );
  player.src = address;
  return el('figure', { class: 'result-figure' }, player, el('figcaption', { class: 'result-hint' }, body.facts));
}

/**
 * Draws an SVG image from a server. When it is used as the source of an image, it runs no script and loads nothing (SVG
 * 2, "secure static mode"). An image that could block the renderer is drawn only after a click.
 */
export function drawSvg(body: SvgBody, context: DrawContext): HTMLElement {
  const { image } = body;
  const view = el('div');
  const asText = (): void =>
    view.replaceChildren(
      el('pre', { class: 'result-code', attributes: { tabindex: 0 } }, body.text),
      image === undefined
        ? el('p', { class: 'result-hint' }, t('The image is too large to show here, but you can save it.'))
        : textButton(t('Show as Image'), asImage, 'file-media'),
    );
  const asImage = (): void => {
    const address = addressOf(new Blob([image ?? ''], { type: 'image/svg+xml' }), context);
    view.replaceChildren(
      imageView(address, t('Drawing: {0}', body.facts), body.facts),
      textButton(t('Show Source'), asText, 'code'),
    );
  };
  if (body.isPlain && image !== undefined) asImage();
  else asText();
  return view;
}

function imageView(address: string, label: string, facts: string): HTMLElement {
  const image = el('img', { class: 'result-image', attributes: { alt: label, draggable: 'false' } });
  const scale = el('span', { class: 'result-hint', attributes: { role: 'status' } });
  let zoom: number | undefined;
  const apply = (next: number | undefined) => {
    zoom = next;
    image.classList.toggle('result-fit', zoom === undefined);
    image.style.width = zoom === undefined ? '' : `${Math.max(1, image.naturalWidth * zoom)}px`;
    scale.textContent = zoom === undefined ? t('fit') : `${Math.round(zoom * 100)} %`;
  };
  const current = () => zoom ?? (image.naturalWidth === 0 ? 1 : image.clientWidth / image.naturalWidth);
  const larger = () => apply(zoomSteps.find((step) => step > current() + 0.01) ?? zoomSteps.at(-1));
  const smaller = () => apply([...zoomSteps].reverse().find((step) => step < current() - 0.01) ?? zoomSteps[0]);
  const frame = el(
    'div',
    {
      class: 'result-image-frame',
      attributes: {
        tabindex: 0,
        role: 'group',
        'aria-label': t('{0}. Press + or - to zoom, or 0 to fit.', label),
      },
    },
    image,
  );
  frame.addEventListener('keydown', ({ key }) => {
    if (key === '+' || key === '=') larger();
    else if (key === '-') smaller();
    else if (key === '0') apply(undefined);
  });
  frame.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      if (event.deltaY < 0) larger();
      else smaller();
    },
    { passive: false },
  );
  const bar = el(
    'div',
    { class: 'result-bar' },
    el('span', { class: 'result-hint' }, facts),
    el('span', { class: 'result-space' }),
    scale,
    iconButton('zoom-out', t('Zoom Out'), smaller),
    iconButton('zoom-in', t('Zoom In'), larger),
    textButton(t('Fit'), () => apply(undefined)),
    textButton('100 %', () => apply(1)),
  );
  const figure = el('div', { class: 'result-figure' }, bar, frame);
  image.addEventListener('error', () =>
    figure.replaceChildren(broken(t('This image ({0}) cannot be shown, but you can save it.', facts))),
  );
  image.src = address;
  apply(undefined);
  return figure;
}

function broken(text: string): HTMLElement {
  return el('p', { class: 'result-note' }, text);
}

function addressOf(blob: Blob, { onRelease }: DrawContext): string {
  const address = URL.createObjectURL(blob);
  onRelease(() => URL.revokeObjectURL(address));
  return address;
}
