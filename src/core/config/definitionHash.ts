import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/canonicalJson.js';
import { debugpyPathOf } from './dev.js';
import type {
  ConfigSource,
  InputDefinition,
  ServerDefinition,
  StdioDefinition,
  StdioFraming,
} from './serverDefinition.js';

/**
 * What a start finds where its definition points to: it decides as much, and can change without a change of the
 * definition.
 */
export interface StartFacts {
  /** Id of the server: rules, switched-off tools and presets are found by it, so another id is another server. */
  server?: string;
  /** Hash of each file in the folder of a start whose code or settings the launcher would take, by its path. */
  launcherFiles?: Readonly<Record<string, string>>;
  /** Folder of the workspace whose files can change what a server of the user's own settings runs. */
  leadingFolder?: string;
  /** Hash of the env file's content. */
  envFileHash?: string;
  /** Hash of the content of the file with certificate authorities. */
  caFileHash?: string;
  /** What the workspace gives as values of variables, by what stands between the braces. */
  values?: Readonly<Record<string, string>>;
}

/**
 * SHA-256 over everything that decides what a definition runs or reaches, before its variables are filled in. Any
 * difference asks for trust again; comments, order of keys and unknown fields make none.
 * @param facts what was found where it points to. Default nothing: the definition alone, as the registry knows it.
 * @param inputs those that its variables name: an input of type `command` runs something, and options are what can be chosen.
 */
export function definitionHash(
  definition: ServerDefinition,
  source: Pick<ConfigSource, 'folderPath'>,
  facts: StartFacts = {},
  inputs: readonly InputDefinition[] = [],
): string {
  const decisive =
    definition.type === 'stdio'
      ? {
          type: definition.type,
          command: definition.command,
          args: definition.args,
          cwd: definition.cwd,
          env: definition.env,
          envFile: definition.envFile,
          envFileHash: facts.envFileHash,
          framing: framingOf(definition),
          debugpyPath: debugpyPathOf(definition),
        }
      : definition.type === 'builtin'
        ? { type: definition.type }
        : {
            type: definition.type,
            url: definition.url,
            headers: definition.headers,
            caFile: definition.caFile,
            caFileHash: facts.caFileHash,
            oauth: definition.oauth,
          };
  // Their order is no decision, and the text of the question neither.
  const asked = inputs.map((input) => canonicalJson({ ...input, description: undefined })).sort();
  const { server, launcherFiles, leadingFolder, values } = facts;
  return createHash('sha256')
    .update(
      canonicalJson({
        ...decisive,
        server,
        launcherFiles,
        leadingFolder,
        folder: source.folderPath,
        values,
        inputs: asked.length === 0 ? undefined : asked,
      }),
    )
    .digest('hex');
}

/** The default written down is no difference. */
function framingOf({ framing }: StdioDefinition): StdioFraming | undefined {
  return framing === 'newline' ? undefined : framing;
}
