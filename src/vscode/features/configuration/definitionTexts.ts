/** The messages, warnings and buttons of the page with the form of a server definition. */
import * as vscode from 'vscode';
import { visibleLine } from '../../../core/base/hostileText.js';
import { describePortable } from '../../../core/interchange/portableDefinition.js';
import { failureActionLabel } from '../../../core/present/failure/failureActions.js';
import type { FailureMessage } from '../../../core/present/failure/failureText.js';
import type { WrittenFields } from '../../../core/present/form/serverForm.js';
import { plainSecretNames } from '../../../core/present/form/serverForm.js';
import type { FormFailure, FormRequestState, Remedy } from '../../../shared/panel/formRequestPage.js';
import { isRemedy } from '../../../shared/panel/formRequestPage.js';
import { descriptionOfPlace } from '../../adapters/ownPlaces.js';
import type { NewServer } from '../../ui/pages.js';
import type { Edited } from '../../ui/saveServer.js';
import type { DefinitionSubject } from './definitionSubject.js';
import { isNew } from './definitionSubject.js';

/** Warnings about dangerous parts of a definition and about hidden characters, which a form would not show. */
export function warningsOf(subject: DefinitionSubject, name: string, fields: WrittenFields): string[] {
  const source = isNew(subject) ? { id: 'new', kind: 'vscode' as const, label: '' } : subject.place.source;
  const description = describePortable({ name, fields }, [], source);
  return 'problem' in description ? [] : [...new Set(description.warnings)];
}

export function secretWarnings(name: string, fields: WrittenFields): string[] {
  return plainSecretNames(name, fields).map((secret) =>
    vscode.l10n.t(
      '"{0}" looks like a secret and is stored as plain text. To keep it in secret storage, use an input.',
      visibleLine(secret, 80),
    ),
  );
}

export function newMessage({ secrets, needs, notes }: NewServer): string {
  const list = (names: readonly string[]) => names.map((name) => visibleLine(name, 60)).join(', ');
  return [
    vscode.l10n.t('Check what the server runs or connects to. "Save and Start" approves what this page shows.'),
    ...(secrets.some(({ field }) => field === 'args')
      ? [
          vscode.l10n.t(
            'This page does not show arguments that are kept in secret storage, so you are asked before the server starts or is added to your user settings. Check these arguments in the text that you pasted.',
          ),
        ]
      : []),
    ...(secrets.length === 0
      ? []
      : [
          vscode.l10n.t(
            'Moved to secret storage: {0}.',
            list(
              secrets.map(({ field, name }) =>
                field === 'args' ? vscode.l10n.t('argument {0}', Number(name) + 1) : name,
              ),
            ),
          ),
        ]),
    ...(needs.length === 0
      ? []
      : [vscode.l10n.t('MCP Deck asks for these values when the server starts: {0}.', list(needs))]),
    ...notes,
  ].join('\n');
}

export function editMessage({ place }: Edited): string {
  const edit = vscode.l10n.t(
    'Variables such as ${workspaceFolder}, ${env:NAME} and ${input:id} are replaced when the server starts.',
  );
  const scope = vscode.l10n.t('This server is {0}.', descriptionOfPlace(place));
  if (place.kind === 'user') return `${scope} ${edit}`;
  return [
    `${scope} ${edit}`,
    vscode.l10n.t(
      'If you change the definition, "Save and Start" approves what this page shows. Otherwise, MCP Deck asks for your approval before the server starts.',
    ),
  ].join('\n');
}

export function openFile(): FormRequestState['ways'][number] {
  return {
    way: 'openSource',
    text: vscode.l10n.t('Open File'),
    tooltip: vscode.l10n.t('Shows the definition where it is written'),
    icon: 'go-to-file',
  };
}

export function discard(): FormRequestState['ways'][number] {
  return {
    way: 'cancel',
    text: vscode.l10n.t('Discard'),
    tooltip: vscode.l10n.t('Closes the form without saving'),
    icon: 'discard',
  };
}

/** The buttons for a failed start: first those that remove the cause, and then those that explain it. */
export function failureWays(message: FailureMessage | undefined): FormFailure['ways'] {
  const label = (remedy: Remedy) => failureActionLabel(remedy, message?.variable);
  const icons: Partial<Record<Remedy, string>> = {
    setSecret: 'key',
    replaceSecret: 'key',
    signIn: 'account',
    reviewTrust: 'shield',
  };
  return [
    ...(message?.actions ?? [])
      .filter((action) => isRemedy(action))
      .map((way) => ({ way, text: label(way), tooltip: label(way), icon: icons[way] ?? 'gear' })),
    {
      way: 'showLog',
      text: vscode.l10n.t('Show Log'),
      tooltip: vscode.l10n.t('Shows everything that the server wrote'),
      icon: 'output',
    },
    {
      way: 'diagnose',
      text: vscode.l10n.t('Diagnose'),
      tooltip: vscode.l10n.t('Checks everything that the server needs to start'),
      icon: 'pulse',
    },
  ];
}
