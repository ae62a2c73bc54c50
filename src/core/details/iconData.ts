import { isPlainSvg } from '../present/result/plainSvg.js';
import { decodeBase64, detectMediaType } from '../present/text/mediaType.js';

/** Maximum length of an icon's URL, in UTF-16 code units. */
const maxAddress = 64 * 1_024;
/** Maximum number of pixels of an icon, which determines the memory that the browser needs. */
const maxPixels = 1_024 * 1_024;

/**
 * The icon as a `data:` URL that is safe to draw, or undefined. An icon is never loaded from the network (security
 * requirement V7), and the type that the server states is not used.
 */
export function iconData(src: string): string | undefined {
  if (src.length > maxAddress) return undefined;
  const found = /^data:[\w.+/-]{0,100}((?:;[\w.=-]{1,50}){0,4}),/i.exec(src);
  if (!found) return undefined;
  const rest = src.slice(found[0].length);
  const bytes = /;base64$/i.test(found[1] ?? '') ? decodeBase64(rest) : decodedText(rest);
  if (!bytes || bytes.length === 0) return undefined;
  const type = detectMediaType(bytes);
  if (type?.kind === 'image') {
    const { width, height, mimeType } = type;
    if (width === undefined || height === undefined || width * height > maxPixels) return undefined;
    return dataAddress(mimeType, bytes);
  }
  // Used as an image, an SVG runs no script and loads nothing.
  return type === undefined && isSvg(bytes) ? dataAddress('image/svg+xml', bytes) : undefined;
}

/** Accepts UTF-8 only: in another encoding, a browser could parse the bytes to other elements than the checked ones. */
function isSvg(bytes: Uint8Array): boolean {
  try {
    return isPlainSvg(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The bytes are not UTF-8.
    return false;
  }
}

function decodedText(text: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(text));
  } catch {
    // A "%" in the URL is not followed by two hexadecimal digits.
    return undefined;
  }
}

function dataAddress(mimeType: string, bytes: Uint8Array): string {
  return `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
}
