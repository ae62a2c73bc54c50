/**
 * The signature of a bundle: a block after the zip archive. MCP Deck does not verify signatures, because bundles name
 * no authority to trust. MCP Deck only reports whether there is a signature. Source:
 * https://github.com/modelcontextprotocol/mcpb/blob/main/CLI.md
 */
import { open } from 'node:fs/promises';

/** Maximum size of the block with the signature, bytes. */
const maxBlockBytes = 60_000;
const endOfArchive = Buffer.from([0x50, 0x4b, 5, 6]);
/** Size of the end record of an archive without its comment, in bytes. */
const endBytes = 22;

/**
 * Removes the block of the signature from a file, unless the archive counts it as its comment. Returns whether there
 * was one.
 * @param file a copy that belongs to MCP Deck.
 */
export async function removeSignature(file: string): Promise<boolean> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxBlockBytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    if (!/(?:MCPB|DXT)_SIG_END$/.test(buffer.subarray(-20).toString('latin1'))) return false;
    const start = Math.max(buffer.lastIndexOf('MCPB_SIG_V1'), buffer.lastIndexOf('DXT_SIG_V1'));
    if (start < endBytes) return false;
    const end = buffer.lastIndexOf(endOfArchive, start - endBytes);
    const isWithoutComment = end === start - endBytes && buffer.readUInt16LE(start - 2) === 0;
    if (isWithoutComment) await handle.truncate(size - length + start);
    return true;
  } finally {
    await handle.close();
  }
}
