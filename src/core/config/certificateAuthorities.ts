import { X509Certificate } from 'node:crypto';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { caFilePath } from './definitionPaths.js';
import type { RemoteDefinition } from './serverDefinition.js';
import type { VariableContext, VariableResolver } from './variables.js';

/**
 * Reads the `caFile` of a definition. Rejects with HostError `bad-configuration` if the file cannot be read, has no
 * certificate, or has a certificate that Node cannot read.
 */
export async function readAuthorities(
  definition: RemoteDefinition,
  context: VariableContext,
  resolver: VariableResolver,
): Promise<string> {
  const file = (await caFilePath(definition, context, resolver)) ?? '';
  const name = visibleLine(context.serverName);
  let text: string;
  try {
    text = await context.readFile(file);
  } catch (error) {
    if (error instanceof HostError) throw error;
    // The message contains the path as written, because the values of its variables may be secret.
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
    throw new HostError(
      'bad-configuration',
      `The "caFile" of "${name}" could not be read${code === '' ? '' : ` (${code})`}: ${visibleLine(definition.caFile ?? '')}`,
      {
        cause: error,
        data: { problem: 'ca-unreadable', subject: definition.caFile ?? '', ...(code === '' ? {} : { errno: code }) },
        hint: 'Correct the path, or remove the field.',
      },
    );
  }
  // Checked here, because Node ignores certificates that it cannot read, and every connection would then fail with a
  // misleading error.
  const certificates =
    text.match(/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g) ??
    [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    const found = certificates.length === 0 ? 'no certificate' : 'a certificate that cannot be read';
    throw new HostError(
      'bad-configuration',
      `The "caFile" of "${name}" contains ${found}: ${visibleLine(definition.caFile ?? '')}`,
      {
        data: { problem: certificates.length === 0 ? 'ca-empty' : 'ca-broken', subject: definition.caFile ?? '' },
        hint: 'It must be a PEM file with the certificates of the authorities.',
      },
    );
  }
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== '';
  } catch {
    return false;
  }
}
