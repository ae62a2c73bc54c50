import { isAuthError } from '../../auth/authProblem.js';
import { HostError } from '../../base/hostError.js';
import { missingVariableOf } from '../failure/failureText.js';
import type { WrittenFields } from './serverForm.js';

/**
 * The field of a definition that a failed start points to, as a JSON pointer. Undefined if the failure points to none,
 * or if the definition has no such field.
 */
export function failedField(error: unknown, fields: WrittenFields): string | undefined {
  const name = nameOf(error);
  if (name === undefined || !Object.hasOwn(fields, name)) return undefined;
  const { args } = fields;
  const missing = error instanceof HostError && error.code === 'exited' ? error.data.missing : undefined;
  if (name !== 'args' || !missing || !Array.isArray(args)) return `/${name}`;
  const at = args.findIndex((argument) => argument === (missing.argument ?? missing.file));
  return at === -1 ? '/args' : `/args/${at}`;
}

function nameOf(error: unknown): string | undefined {
  if (!(error instanceof HostError)) return undefined;
  if (isAuthError(error)) return error.data.sentHeader === undefined ? undefined : 'headers';
  switch (error.code) {
    case 'exited':
      if (error.data.missing) return 'args';
      return missingVariableOf(error) === undefined ? undefined : 'env';
    case 'spawn-failed':
      return error.data.why === 'no-folder' ? 'cwd' : 'command';
    case 'connection-refused':
    case 'http-status':
      return 'url';
    default:
      return undefined;
  }
}
