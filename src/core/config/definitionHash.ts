import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/canonicalJson.js';
import { devDebugOf } from './devDebug.js';
import type { ConfigSource, InputDefinition, ServerDefinition } from './serverDefinition.js';

/**
 * SHA-256 over everything that decides what a definition runs or reaches, before its variables are filled in. Any
 * difference asks for trust again; comments, order of keys and unknown fields make none.
 * @param envFileHash hash of the env file's content, where that is known.
 * @param inputs those that its variables name: an input of type `command` runs something, and options are what can be chosen.
 */
export function definitionHash(definition: ServerDefinition, source: Pick<ConfigSource, 'folderPath'>, envFileHash?: string, inputs: readonly InputDefinition[] = []): string {
  const decisive =
    definition.type === 'stdio'
      ? { type: definition.type, command: definition.command, args: definition.args, cwd: definition.cwd, env: definition.env, envFile: definition.envFile, envFileHash, debugpyPath: debugpyPathOf(definition) }
      : definition.type === 'builtin'
        ? { type: definition.type }
        : { type: definition.type, url: definition.url, headers: definition.headers, caFile: definition.caFile, oauth: definition.oauth };
  // Their order is no decision, and the text of the question neither.
  const asked = inputs.map((input) => canonicalJson({ ...input, description: undefined })).sort();
  return createHash('sha256')
    .update(canonicalJson({ ...decisive, folder: source.folderPath, inputs: asked.length === 0 ? undefined : asked }))
    .digest('hex');
}

/** It decides what a start under the debugger runs. */
function debugpyPathOf(definition: ServerDefinition): string | undefined {
  const debug = devDebugOf(definition);
  return debug?.type === 'debugpy' ? debug.debugpyPath : undefined;
}
