import { test } from 'node:test';
import { withOpenValues } from '../../../../src/core/interchange/pasted/openValues.js';
import { inOneLine, isMeantAsServer, readPasted } from '../../../../src/core/interchange/pasted/readPasted.js';
import { pastedText, startText } from '../../../../src/core/present/form/pastedText.js';
import { assertLinear } from '../../../support/linearWork.js';

/** Reads the text and makes everything that a box shows of it. */
function readAndShow(text: string): void {
  const pasted = readPasted(text);
  if ('problem' in pasted) return;
  pastedText(pasted);
  for (const server of pasted.servers.slice(0, 1)) {
    withOpenValues(server, pasted.inputs);
    startText(server);
  }
}

for (const beginning of ['', 'npx -y ', '`', '```\n', '"', '{"command":"npx","args":["', 'https://', 'claude mcp add '])
  test(`[paste.linear] a hostile text after ${JSON.stringify(beginning)} is read in linear time`, () =>
    assertLinear(readAndShow, beginning));

test('[paste.linear] whether the clipboard holds a server is found in linear time', () =>
  assertLinear(isMeantAsServer));

test('[paste.linear] a text is put into one line in linear time', () => assertLinear(inOneLine, 'npx'));
