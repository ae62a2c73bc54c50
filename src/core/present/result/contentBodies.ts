/** Converts one content block of the protocol for a page. All blocks of a result share one budget. */
import { t } from '@vscode/l10n';
import { countHidden, visibleLine, visibleText } from '../../base/hostileText.js';
import type { ContentBlock, Resource, ResourceContents } from '../../protocol/mcp.js';
import type { PartBody, ResourceBody, ResourceLink } from '../../../shared/result/resultModel.js';
import { jsonNodesOf } from './jsonNodes.js';
import { isPlainSvg, maxSvgLength } from './plainSvg.js';
import { decodeBase64, detectMediaType } from '../text/mediaType.js';
import { sizeText } from '../../../shared/amountText.js';
import { looksLikeMarkdown } from '../text/markdown.js';

type Inner = ResourceBody['body'];

/** Maximum length of one text, in characters. */
const maxTextLength = 200_000;
/**
 * Maximum length of Markdown, in characters. Longer Markdown is shown as plain text, because it would become too many
 * elements.
 */
const maxMarkdownLength = 60_000;
/** Maximum size of one image, audio file or video, in bytes. */
const maxMediaBytes = 8 * 1024 * 1024;
/**
 * Maximum number of pixels of an image, because width times height determines how much memory the browser needs for it.
 */
const maxPixels = 64 * 1024 * 1024;

/** Tracks the limits that remain for the next parts of a result, and counts the hidden characters in all parts. */
export class BodyBudget {
  textLeft = 1_000_000;
  nodesLeft = 12_000;
  mediaLeft = 24 * 1024 * 1024;
  hidden = 0;

  /** Notes about all parts together. */
  notes(): string[] {
    if (this.hidden === 0) return [];
    return [
      this.hidden === 1
        ? t('1 hidden or control character is shown as an escape.')
        : t('{0} hidden or control characters are shown as escapes.', this.hidden),
    ];
  }

  /** The beginning of a text, within the remaining limit, with hidden characters made visible. */
  takeText(text: string): { text: string; isCut: boolean; more?: number } {
    const length = Math.min(text.length, maxTextLength, this.textLeft);
    this.textLeft -= length;
    const shown = text.slice(0, length);
    this.hidden += countHidden(shown);
    const more = text.length - length;
    return { text: visibleText(shown, length), isCut: more > 0, ...(more > 0 ? { more } : {}) };
  }
}

/** The body of one content block, within what is left of the budget. */
export function bodyOfBlock(block: Exclude<ContentBlock, { type: 'resource_link' }>, budget: BodyBudget): PartBody {
  switch (block.type) {
    case 'text':
      return textBody(block.text, undefined, budget);
    case 'image':
      return dataBody(block.data, block.mimeType, t('image'), budget);
    case 'audio':
      return dataBody(block.data, block.mimeType, t('audio'), budget);
    case 'resource': {
      const { uri, mimeType } = block.resource;
      return {
        kind: 'resource',
        uri: visibleLine(uri, 500),
        ...(mimeType === undefined ? {} : { mimeType: visibleLine(mimeType, 80) }),
        body: bodyOfContents(block.resource, budget),
      };
    }
  }
}

/** The contents of a resource, without an enclosing content block. */
export function bodyOfContents({ text, blob, mimeType, uri }: ResourceContents, budget: BodyBudget): Inner {
  return text === undefined
    ? dataBody(blob ?? '', mimeType, visibleLine(uri, 120), budget)
    : textBody(text, mimeType, budget);
}

/**
 * A resource link with texts that are safe to show.
 * @param index its position in the result.
 */
export function linkOf(link: Resource, index: number): ResourceLink {
  const name = visibleLine(link.title ?? link.name, 120);
  const description = visibleLine(link.description ?? '', 300);
  return {
    index,
    name: name === '' ? visibleLine(link.uri, 120) : name,
    uri: visibleLine(link.uri, 500),
    ...(description === '' ? {} : { description }),
    ...(link.mimeType === undefined ? {} : { mimeType: visibleLine(link.mimeType, 80) }),
    ...(link.size === undefined ? {} : { size: sizeText(link.size) }),
  };
}

function textBody(text: string, mimeType: string | undefined, budget: BodyBudget): Inner {
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'image/svg+xml') return svgBody(text, budget);
  if (/^\s*[[{]/.test(text) && (type === '' || type === 'text/plain' || /[/+]json$/.test(type))) {
    const read = jsonNodesOf(text, { maxNodes: Math.max(1, budget.nodesLeft) });
    if (read) {
      budget.nodesLeft -= read.nodes;
      budget.hidden += read.hidden;
      return { kind: 'json', json: { root: read.root, isWhole: read.isWhole } };
    }
  }
  const isMarkdown = type === 'text/markdown' || ((type === '' || type === 'text/plain') && looksLikeMarkdown(text));
  return {
    kind: 'text',
    format: isMarkdown && text.length <= maxMarkdownLength ? 'markdown' : 'plain',
    ...budget.takeText(text),
  };
}

function svgBody(text: string, budget: BodyBudget): Inner {
  const canDraw = text.length <= maxSvgLength;
  // The image is created from the original text, because escapes for hidden characters would appear in it.
  return {
    kind: 'svg',
    ...budget.takeText(text),
    ...(canDraw ? { image: text } : {}),
    isPlain: isPlainSvg(text),
    facts: `svg, ${sizeText(text.length)}`,
  };
}

function dataBody(data: string, claimed: string | undefined, name: string, budget: BodyBudget): Inner {
  // Four characters of base64 encode three bytes.
  const size = Math.floor(data.length * 0.75);
  const claim = claimed === undefined ? t('of unknown type') : t('claims to be {0}', visibleLine(claimed, 80));
  if (size > maxMediaBytes || size > budget.mediaLeft)
    return note(
      t('{0}: {1}, {2}. The content is too large to show here. To view it, save it.', name, claim, sizeText(size)),
      true,
    );
  const bytes = decodeBase64(data);
  if (!bytes)
    return note(
      t(
        '{0}: the data is not valid base64 ({1} characters), so there is nothing to show.',
        name,
        data.length.toLocaleString('en'),
      ),
      false,
    );
  if (bytes.length === 0) return note(t('{0} contains no data.', name), false);
  const type = detectMediaType(bytes);
  if (type === undefined && /^image\/svg\b/i.test(claimed ?? ''))
    return svgBody(new TextDecoder().decode(bytes), budget);
  if (type === undefined || type.kind === 'other')
    return note(
      t(
        '{0}: {1}, {2}. The content cannot be shown here, but you can save it.',
        name,
        type?.mimeType ?? claim,
        sizeText(bytes.length),
      ),
      true,
    );
  const { kind, mimeType, width, height } = type;
  if (width !== undefined && height !== undefined && width * height > maxPixels)
    return note(
      t(
        '{0}: {1}, {2} × {3} pixels. The image is too large to show, but you can save it.',
        name,
        mimeType,
        width,
        height,
      ),
      true,
    );
  budget.mediaLeft -= bytes.length;
  const facts = [
    type.extension,
    sizeText(bytes.length),
    ...(width === undefined || height === undefined ? [] : [`${width} × ${height}`]),
  ].join(', ');
  // The bytes are copied, because a Buffer is sent to a page as JSON, or with the whole memory that it is a view of.
  return {
    kind,
    mimeType,
    bytes: new Uint8Array(bytes),
    facts,
    ...(width === undefined || height === undefined ? {} : { width, height }),
  };
}

function note(text: string, canSave: boolean): Inner {
  return { kind: 'note', text, canSave };
}
