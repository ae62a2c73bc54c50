import type { StartDescription } from '../config/describeStart.js';
import { describeStart } from '../config/describeStart.js';
import { exactText } from '../base/exactText.js';
import { parseConfigText } from '../config/parseConfig.js';
import type { ConfigSource, InputDefinition } from '../config/serverDefinition.js';
import { baseFolder } from '../config/variables.js';
import type { CarriedServer } from './carried.js';

/**
 * What a start of a server would do that is not written anywhere yet, as it will be read from `source`; a problem where
 * it could not be used.
 * @param userHome to say where it would run when nobody wrote that down. Absent: that is not said, because the place is not known yet.
 */
export function describeCarried(server: CarriedServer, inputs: readonly InputDefinition[], source: ConfigSource, userHome?: string): StartDescription | { problem: string } {
  const { servers, problems } = parseConfigText(JSON.stringify({ servers: { [server.name]: server.fields }, inputs }), { ...source, kind: 'vscode' });
  const [read] = servers;
  if (!read) return { problem: problems[0]?.message ?? '' };
  const description = describeStart({ name: server.name, definition: read.definition, source, inputs });
  if (read.definition.type !== 'stdio' || description.cwd !== undefined || userHome === undefined) return description;
  return { ...description, cwd: exactText(baseFolder({ folderPath: source.folderPath, userHome })) };
}
