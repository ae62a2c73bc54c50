import { test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import { ProtocolError } from '../../../../src/core/protocol/jsonRpc.js';
import { failureLine, failureMessage } from '../../../../src/core/present/failure/failureText.js';
import { assertLinear } from '../../../support/linearWork.js';

const errors: Readonly<Record<string, (text: string) => Error>> = {
  'an error of a server': (text) => new ProtocolError(-32_000, text),
  'an error that has another as its cause': (text) =>
    new HostError('exited', text, { cause: new ProtocolError(-32_000, text) }),
  'any other error': (text) => new Error(text),
};

for (const [title, make] of Object.entries(errors))
  test(`[L2] the message about ${title} is made in linear time`, () =>
    assertLinear((text) => {
      failureLine(make(text), 'acme');
      failureMessage(make(text), { isWorkspaceTrusted: true });
    }));
