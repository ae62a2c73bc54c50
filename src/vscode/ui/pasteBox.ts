import * as vscode from 'vscode';
import type { PastedServers } from '../../core/interchange/pasted/readPasted.js';
import { pastedText } from '../../core/present/form/pastedText.js';
import { createInput } from '../adapters/userMessages.js';
import { showInput } from './steps.js';

export interface PasteQuestion {
  title: string;
  prompt: string;
  placeholder: string;
  /** Returns why the servers cannot be used for this command, or undefined. Default: all servers can be used. */
  refuse?: (pasted: PastedServers) => string | undefined;
  /** The text below the box. Default: the servers that were found. */
  describe?: (pasted: PastedServers) => string;
}

/** Minimum number of characters that are added at once by pasting. Fewer characters are treated as typed. */
const minPasted = 8;

/**
 * Asks for servers in any supported format, and shows below the box which ones were recognized. Suggests the text of
 * the clipboard if it describes a server. Runs nothing. Returns undefined if the user cancels.
 */
export async function askPasted({
  title,
  prompt,
  placeholder,
  refuse = () => undefined,
  describe = pastedText,
}: PasteQuestion): Promise<PastedServers | undefined> {
  // Loaded on first use, because it needs the YAML library.
  const { inOneLine, isMeantAsServer, maxPastedLength, readPasted } =
    await import('../../core/interchange/pasted/readPasted.js');
  const originals = new Map<string, string>();
  // An input box has only one line, so a pasted text loses its line breaks. Comments and continued lines need them, so
  // the original text is read from the clipboard.
  const remember = async () => {
    // If the clipboard cannot be read, the text in the box is used.
    const text = await Promise.resolve(vscode.env.clipboard.readText()).catch(() => '');
    if (text.length <= maxPastedLength) originals.set(plain(text), text);
    return text;
  };
  const read = (value: string): PastedServers | { problem: string } => {
    const pasted = readPasted(originals.get(plain(value)) ?? value);
    if ('problem' in pasted) return pasted;
    const problem = refuse(pasted);
    return problem === undefined ? pasted : { problem };
  };
  const { box, problem } = createInput({ title, prompt, placeholder, ignoreFocusOut: true });
  const show = (isEnd: boolean) => {
    const pasted = read(box.value);
    const { Error: wrong, Warning: warning, Info: info } = vscode.InputBoxValidationSeverity;
    if (!('problem' in pasted)) problem(describe(pasted), info);
    else if (isEnd || box.value.trim() !== '') problem(pasted.problem, isEnd ? wrong : warning);
    else problem(undefined);
    return pasted;
  };
  let length = box.value.length;
  box.onDidChangeValue((text) => {
    const isPasted = text.length - length >= minPasted;
    length = text.length;
    show(false);
    if (isPasted) void remember().then(() => show(false));
  });
  // The box opens without waiting for the clipboard. If the user has already typed something, the clipboard is not
  // suggested.
  void remember().then((text) => {
    const value = isMeantAsServer(text) ? inOneLine(text) : '';
    if (box.value !== '' || value === '' || 'problem' in read(value)) return;
    box.value = value;
    box.valueSelection = [0, value.length];
    length = value.length;
    show(false);
  });
  return showInput(box, () => {
    const pasted = show(true);
    return 'problem' in pasted ? undefined : pasted;
  });
}

/** Removes white space, so that a text in the box can be compared with the original. Input boxes change line breaks. */
function plain(text: string): string {
  return text.replace(/\s+/g, '');
}
