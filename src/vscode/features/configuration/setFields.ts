import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { definitionProblem } from '../../../core/present/form/serverForm.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import { askToWiden } from '../../ui/confirm.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { changeQuestion } from '../../ui/changeQuestion.js';
import { changedFields } from '../../ui/saveServer.js';
import { readFields } from '../../adapters/ownPlaces.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { writeOwnPlace } from '../../adapters/ownPlaces.js';

/**
 * Sets fields of a server for a script, after the user has agreed. Null removes a field. Rejects if the result is not a
 * valid definition.
 */
export async function setFields(
  { consent }: Pick<ExtensionServices, 'consent'>,
  invocation: Invocation<'editServer'>,
  entry: ServerEntry,
  place: OwnPlace,
): Promise<void> {
  const { name } = entry;
  const fields = invocation.call?.fields;
  if (!isObject(fields))
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('The argument object must contain "fields" (an object). To remove a field, set it to null.'),
    );
  const before = await readFields(name, place);
  const after = Object.fromEntries(Object.entries({ ...before, ...fields }).filter(([, value]) => value !== null));
  const problem = definitionProblem(name, after);
  if (problem !== undefined) throw new HostError('invalid-arguments', problem);
  const changed = changedFields(before, after);
  const { message, detail } = await changeQuestion(
    vscode.l10n.t(
      'Change "{0}" in {1}? Fields: {2}',
      visibleName(name),
      place.label,
      changed.map((field) => visibleName(field, 60)).join(', '),
    ),
    name,
    after,
    entry,
    place,
  );
  await askToWiden(consent.audit, invocation, {
    server: entry.id,
    message,
    detail,
    go: vscode.l10n.t('Change Server'),
  });
  // The definition may have been edited while the question was open.
  if (changedFields(before, await readFields(name, place)).length > 0)
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('"{0}" was edited in the meantime, so MCP Deck did not save your change.', visibleLine(name)),
      { data: { isComplete: true } },
    );
  await writeOwnPlace(place, { servers: { [name]: after } });
  consent.audit.note({
    event: 'server-edited',
    server: entry.id,
    source: place.label,
    fields: changed,
    caller: auditCallerOf(invocation),
  });
}
