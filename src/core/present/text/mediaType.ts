/**
 * Detects the type of binary data by its first bytes. The server's MIME type is ignored, so it determines neither the
 * program that opens the file nor the file's name (security requirement V6).
 */

export interface MediaType {
  kind: 'image' | 'audio' | 'video' | 'other';
  /** The extension of the file, without the dot. */
  extension: string;
  mimeType: string;
  /** The width of an image, if its header contains the size. */
  width?: number;
  height?: number;
}

/** The type, or undefined for unknown data. */
export function detectMediaType(bytes: Uint8Array): MediaType | undefined {
  const known = signatures.find(({ test }) => test(bytes));
  if (!known) return undefined;
  const { kind, extension, mimeType } = known;
  const size = sizeOf(extension, bytes);
  return { kind, extension, mimeType, ...(size ?? {}) };
}

interface Signature extends MediaType {
  test: (bytes: Uint8Array) => boolean;
}

function signature(
  kind: MediaType['kind'],
  extension: string,
  mimeType: string,
  test: (bytes: Uint8Array) => boolean,
): Signature {
  return { kind, extension, mimeType, test };
}

const starts =
  (...expected: number[]) =>
  (bytes: Uint8Array) =>
    expected.every((byte, index) => bytes[index] === byte);

const text = (offset: number, expected: string) => (bytes: Uint8Array) =>
  [...expected].every((char, index) => bytes[offset + index] === char.charCodeAt(0));

const all =
  (...tests: ((bytes: Uint8Array) => boolean)[]) =>
  (bytes: Uint8Array) =>
    tests.every((test) => test(bytes));

/** The signatures, in order. The first one that matches is used. */
const signatures: readonly Signature[] = [
  signature('image', 'png', 'image/png', starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)),
  signature('image', 'jpg', 'image/jpeg', starts(0xff, 0xd8, 0xff)),
  signature('image', 'gif', 'image/gif', text(0, 'GIF8')),
  signature('image', 'webp', 'image/webp', all(text(0, 'RIFF'), text(8, 'WEBP'))),
  signature(
    'image',
    'bmp',
    'image/bmp',
    all(text(0, 'BM'), (bytes) => bytes[6] === 0 && bytes[7] === 0),
  ),
  signature('image', 'ico', 'image/x-icon', starts(0, 0, 1, 0)),
  signature(
    'image',
    'avif',
    'image/avif',
    all(text(4, 'ftyp'), (bytes) => text(8, 'avif')(bytes) || text(8, 'avis')(bytes)),
  ),
  signature('audio', 'wav', 'audio/wav', all(text(0, 'RIFF'), text(8, 'WAVE'))),
  signature('audio', 'mp3', 'audio/mpeg', text(0, 'ID3')),
  signature('audio', 'ogg', 'audio/ogg', text(0, 'OggS')),
  signature('audio', 'flac', 'audio/flac', text(0, 'fLaC')),
  signature('audio', 'm4a', 'audio/mp4', all(text(4, 'ftyp'), text(8, 'M4A'))),
  signature('video', 'mp4', 'video/mp4', text(4, 'ftyp')),
  signature('video', 'webm', 'video/webm', starts(0x1a, 0x45, 0xdf, 0xa3)),
  signature('other', 'pdf', 'application/pdf', text(0, '%PDF-')),
  signature('other', 'zip', 'application/zip', starts(0x50, 0x4b, 0x03, 0x04)),
  signature('other', 'gz', 'application/gzip', starts(0x1f, 0x8b, 0x08)),
  // AAC and MP3 frames without a file header. These signatures are the weakest, so they come last.
  signature('audio', 'aac', 'audio/aac', (bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0),
  signature('audio', 'mp3', 'audio/mpeg', (bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2),
];

function sizeOf(extension: string, bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (extension) {
      case 'png':
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 'gif':
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case 'bmp':
        return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
      case 'jpg':
        return jpegSize(view);
      case 'webp':
        return webpSize(view);
      default:
        return undefined;
    }
  } catch (error) {
    // The data is shorter than its header, so the size is unknown.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads the segments of a JPEG up to the first frame header. */
function jpegSize(view: DataView): { width: number; height: number } | undefined {
  for (let offset = 2; offset + 9 < view.byteLength;) {
    if (view.getUint8(offset) !== 0xff) return undefined;
    const marker = view.getUint8(offset + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    offset += 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

function webpSize(view: DataView): { width: number; height: number } | undefined {
  const form = String.fromCharCode(view.getUint8(12), view.getUint8(13), view.getUint8(14), view.getUint8(15));
  const uint24 = (offset: number) => view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16);
  if (form === 'VP8X') return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (form === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (form === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return undefined;
}

/** Decodes base64 strictly (both alphabets, line breaks allowed); undefined if the text is not base64. */
export function decodeBase64(data: string): Uint8Array | undefined {
  // If the number of decoded bytes matches the length, there were no invalid characters.
  if (data.length % 4 === 0 && !data.endsWith('=')) {
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length === (data.length / 4) * 3) return bytes;
  }
  // Two tests without backtracking, because a single pattern would take too long on megabytes of spaces.
  if (/[^A-Za-z0-9+/_=\s-]/.test(data)) return undefined;
  const digits = data.replace(/\s+/g, '').replace(/={1,2}$/, '');
  // A single remaining digit is less than a byte, so the text was cut off.
  if (digits.includes('=') || digits.length % 4 === 1) return undefined;
  return Buffer.from(digits, 'base64');
}
