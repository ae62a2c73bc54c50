const CR = 13;
const LF = 10;

/**
 * Converts the lone carriage returns of an event stream to line feeds (WHATWG HTML section 9.2: a line ends in LF, CRLF
 * or CR), across the chunks of one stream.
 */
export class LineFeeds {
  /**
   * Whether the last byte was a CR, which was passed on as LF. If so, an LF that follows directly is the second half of
   * a CRLF.
   */
  private endedWithCr = false;

  /**
   * The chunk itself, or a part of it, if each CR in it is followed by LF; otherwise a copy in which every line ends in
   * LF.
   */
  convert(chunk: Buffer): Buffer {
    if (this.endedWithCr && chunk.length > 0) {
      this.endedWithCr = false;
      if (chunk[0] === LF) chunk = chunk.subarray(1);
    }
    // JSON strings contain no raw carriage returns, so the search stops only at line ends, which are few.
    return hasLoneCr(chunk) ? this.copy(chunk) : chunk;
  }

  /**
   * A copy of the chunk in which every line ends in LF. A CR at the very end may be the first half of a CRLF; the next
   * `convert` handles that.
   */
  private copy(chunk: Buffer): Buffer {
    const out = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    let previous = 0;
    for (const byte of chunk) {
      if (byte !== LF || previous !== CR) out[length++] = byte === CR ? LF : byte;
      previous = byte;
    }
    this.endedWithCr = previous === CR;
    return out.subarray(0, length);
  }
}

/** True when some CR is not directly followed by an LF. */
function hasLoneCr(chunk: Buffer): boolean {
  for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, at + 2)) {
    if (chunk[at + 1] !== LF) return true;
  }
  return false;
}
