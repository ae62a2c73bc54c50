/** Screenshots as PNG files with a palette: a third of the size, without a visible difference. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const paletteSize = 256;

/**
 * `png`: 8 bits per channel, RGB or RGBA, not interlaced, as browsers write them. Transparency is dropped. `maxHeight`:
 * number of pixel rows to keep from the top; default: all.
 */
export function smallPng(png, maxHeight = Infinity) {
  const whole = decode(png);
  const { width } = whole;
  const height = Math.min(whole.height, maxHeight);
  const pixels = whole.pixels.subarray(0, width * height);
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  // Uniform areas keep their exact colors; the rare colors are at the edges of letters.
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  const palette = sorted.slice(0, paletteSize);
  const indexes = new Map(sorted.map((color, index) => [color, index < paletteSize ? index : nearest(palette, color)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + x + 1] = indexes.get(pixels[y * width + x]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const channels = (color) => [color >> 16, (color >> 8) & 255, color & 255];

function nearest(palette, color) {
  const wanted = channels(color);
  const distance = (other) => channels(other).reduce((sum, value, index) => sum + (value - wanted[index]) ** 2, 0);
  return palette.reduce((best, one, index) => (distance(one) < distance(palette[best]) ? index : best), 0);
}

function decode(png) {
  const data = [];
  let width = 0;
  let height = 0;
  let bytes = 0;
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') [width, height, bytes] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    const row = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; i++)
      row[i] += predicted(filter, i < bytes ? 0 : row[i - bytes], above[i], i < bytes ? 0 : above[i - bytes]);
    for (let x = 0; x < width; x++)
      pixels[y * width + x] = (row[x * bytes] << 16) | (row[x * bytes + 1] << 8) | row[x * bytes + 2];
    above = row;
  }
  return { width, height, pixels };
}

/**
 * The value that the filter of a row predicts from the pixels to the left, above, and above left (PNG specification,
 * section 9).
 */
function predicted(filter, left, up, upLeft) {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const estimate = left + up - upLeft;
      const [a, b, c] = [left, up, upLeft].map((one) => Math.abs(estimate - one));
      return a <= b && a <= c ? left : b <= c ? up : upLeft;
    }
    default:
      return 0;
  }
}

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(body.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}
