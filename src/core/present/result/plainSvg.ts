import { wordSet } from '../../../shared/wordSet.js';
/**
 * Decides whether an SVG of a server may be drawn without asking. Elements such as `use`, `marker` and `filter`,
 * and animations, can occupy the renderer for a long time, so only listed elements, attributes and CSS properties are
 * allowed. The time is linear in the length of the text.
 */

/** Maximum length of an SVG that can be drawn, in UTF-16 code units. */
export const maxSvgLength = 512 * 1_024;
/** Maximum depth of elements: each group with an opacity needs a layer of its own. */
const maxDepth = 50;

/** Maximum length of all clipping paths times the number of their uses, because each use can draw them again. */
const maxClipping = 1_000_000;

const elements = wordSet(`
  svg g defs title desc metadata path rect circle ellipse line polyline polygon text tspan linearGradient
  radialGradient stop clipPath
`);
/** Names that are both presentation attributes and CSS properties. */
const properties = wordSet(`
  fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-opacity opacity color color-interpolation color-rendering display
  visibility overflow clip-path clip-rule stop-color stop-opacity font-family font-size font-style font-weight
  font-variant font-stretch letter-spacing word-spacing line-height text-anchor text-align text-decoration
  text-rendering dominant-baseline alignment-baseline baseline-shift writing-mode direction white-space
  shape-rendering vector-effect paint-order transform
`);
const attributes = wordSet(`
  id class role lang focusable version baseProfile viewBox width height preserveAspectRatio x y x1 y1 x2 y2 cx
  cy r rx ry fx fy fr d points dx dy rotate pathLength textLength lengthAdjust gradientUnits gradientTransform
  spreadMethod offset clipPathUnits enable-background xml:space xml:lang
`);
/** Properties whose value can be a gradient or a clipping path of the same drawing. */
const withReference = wordSet('fill stroke clip-path');

const declaration =
  /^\ufeff?<\?xml\s+version\s*=\s*(?:"1\.\d"|'1\.\d')(?:\s+encoding\s*=\s*["']([\w.-]+)["'])?(?:\s+standalone\s*=\s*["']\w+["'])?\s*\?>/;
const opening = /<(\/?)([A-Za-z]+)/y;
const attribute = /\s+([\w:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const closing = /\s*(\/?)>/y;

/**
 * Whether an SVG can be drawn without asking: it is small, has only listed elements and attributes, refers to
 * nothing outside of itself, and declares no encoding but UTF-8. False for a text that is not an SVG.
 */
export function isPlainSvg(text: string): boolean {
  if (text.length > maxSvgLength || text.includes('\0')) return false;
  const [head = '', encoding = 'utf-8'] = declaration.exec(text) ?? [];
  return /^utf-?8$/i.test(encoding) && hasListedPartsOnly(text, head.length);
}

function hasListedPartsOnly(text: string, start: number): boolean {
  const open: string[] = [];
  let isEmpty = true;
  let clipLength = 0;
  let clipUses = 0;
  for (let at = text.indexOf('<', start); at !== -1; at = text.indexOf('<', at)) {
    if (text.startsWith('<!--', at)) {
      at = text.indexOf('-->', at + 4);
      if (at === -1) return false;
      continue;
    }
    const tag = matchAt(opening, text, at);
    const name = tag?.[2] ?? '';
    if (!tag || !elements.has(name) || (isEmpty && name !== 'svg')) return false;
    const isEnd = tag[1] === '/';
    if (isEnd && open.pop() !== name) return false;
    const from = at;
    at += tag[0].length;
    const isInClip = name === 'clipPath' || open.includes('clipPath');
    for (let one = matchAt(attribute, text, at); one; one = matchAt(attribute, text, at)) {
      at += one[0].length;
      if (one[0].includes('clip-path')) clipUses++;
      if (!isPlainAttribute(name, one[1] ?? '', one[2] ?? one[3] ?? '', isInClip)) return false;
    }
    const end = matchAt(closing, text, at);
    if (!end) return false;
    at += end[0].length;
    if (isInClip) clipLength += at - from;
    if (!isEnd && end[1] === '' && open.push(name) > maxDepth) return false;
    isEmpty = false;
  }
  return !isEmpty && open.length === 0 && clipLength * clipUses <= maxClipping;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** @param isInClip whether the element is in a clipping path; another clipping path could multiply the work. */
function isPlainAttribute(element: string, name: string, value: string, isInClip: boolean): boolean {
  if (name === 'style')
    return value.split(';').every((one) => {
      const [, property, set = ''] = /^\s*([a-z-]+)\s*:([^]*)$/.exec(one) ?? [];
      return property === undefined ? one.trim() === '' : isPlainProperty(property, set, isInClip);
    });
  if (properties.has(name)) return isPlainProperty(name, value, isInClip);
  if (name === 'href' || name === 'xlink:href') return /Gradient$/.test(element) && /^#[\w.-]*$/.test(value);
  if (name === 'xmlns') return value === 'http://www.w3.org/2000/svg';
  return attributes.has(name) || /^(?:xmlns:|data-|aria-)[\w-]+$/.test(name);
}

/**
 * Whether a property is in the list of allowed properties and its value refers to nothing outside of the image. Escapes
 * are refused, because they can hide a URL.
 */
function isPlainProperty(name: string, value: string, isInClip: boolean): boolean {
  if (!properties.has(name) || (isInClip && name === 'clip-path') || /[\\@{}]|&#|\/\*/.test(value)) return false;
  const rest = withReference.has(name) ? value.replace(/^\s*url\((["']?)#[\w.:-]+\1\)/, '') : value;
  return !/url/i.test(rest) || (name === 'font-family' && !rest.includes('('));
}
