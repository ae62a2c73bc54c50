import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/jsonText.js';
import { debugpyPathOf } from './dev.js';
import type {
  ConfigSource,
  InputDefinition,
  ServerDefinition,
  StdioDefinition,
  StdioFraming,
} from './serverDefinition.js';
import { collectVariables, isPortableOnly } from './variableSyntax.js';

/**
 * Facts about the files and values that a definition refers to. They affect a start as much as the definition, and can
 * change independently of it.
 */
export interface StartFacts {
  /**
   * ID of the server. Rules, disabled tools and presets refer to the ID, so a different ID means a different server.
   */
  server?: string;
  /** Hashes of the files with code or settings that the launcher would use, by path. */
  launcherFiles?: Readonly<Record<string, string>>;
  /**
   * The workspace folder whose files can change the code that a server from the user settings runs, or the program that
   * PATH yields.
   */
  leadingFolder?: string;
  /** Hash of the content of the env file. */
  envFileHash?: string;
  /** Hash of the content of the file with certificate authorities. */
  caFileHash?: string;
  /** Digests of the changes in the files of bundles that the definition uses, by folder. */
  changedBundles?: Readonly<Record<string, string>>;
  /** The values of the inputs that decide what runs or is contacted, as far as they are known. The key is the ID. */
  entered?: Readonly<Record<string, string>>;
  /** Values that the workspace gives to variables. The key is the text between the braces. */
  values?: Readonly<Record<string, string>>;
}

/**
 * SHA-256 over everything that decides what a definition runs or connects to, before its variables are filled in. Any
 * change requires a new approval. Comments, the order of keys and unknown fields do not count as changes.
 * @param facts facts about the referenced files and values. Default none: only the definition is hashed. The registry
 * passes no facts.
 * @param inputs the inputs that the variables of the definition use. They are part of the hash because an input of type
 * `command` runs code, and because options restrict the values.
 */
export function definitionHash(
  definition: ServerDefinition,
  source: Pick<ConfigSource, 'folderPath'> & Partial<Pick<ConfigSource, 'kind'>>,
  facts: StartFacts = {},
  inputs: readonly InputDefinition[] = [],
): string {
  const { envFileHash, caFileHash, ...others } = facts;
  const decisive =
    definition.type === 'stdio'
      ? {
          type: definition.type,
          command: definition.command,
          args: definition.args,
          cwd: definition.cwd,
          env: definition.env,
          envFile: definition.envFile,
          envFileHash,
          framing: framingOf(definition),
          debugpyPath: debugpyPathOf(definition),
        }
      : definition.type === 'builtin'
        ? { type: definition.type, mock: definition.mock }
        : {
            type: definition.type,
            url: definition.url,
            headers: definition.headers,
            caFile: definition.caFile,
            caFileHash,
            oauth: definition.oauth,
          };
  // The order of inputs and the text of their questions have no effect, so they are not part of the hash.
  const asked = inputs.map((input) => canonicalJson({ ...input, description: undefined })).sort();
  return createHash('sha256')
    .update(
      canonicalJson({
        ...decisive,
        ...others,
        folder: source.folderPath,
        // In `.mcp.json`, `${NAME}` is an environment variable; in other files, it has no value.
        portable: (source.kind === 'portable' && collectVariables(definition).some(isPortableOnly)) || undefined,
        inputs: asked.length === 0 ? undefined : asked,
      }),
    )
    .digest('hex');
}

/** The framing; undefined for the default framing, so that the hash is the same as without the field. */
function framingOf({ framing }: StdioDefinition): StdioFraming | undefined {
  return framing === 'newline' ? undefined : framing;
}
