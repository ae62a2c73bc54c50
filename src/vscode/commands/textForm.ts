import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { HostApi } from '../../core/catalog/hostApi.js';
import type { CompletionReference } from '../../core/protocol/mcp.js';
import { askSuggestedText, askText, back, runSteps } from '../steps.js';

/** One text that a prompt or a template wants. */
export interface TextField {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  isRequired: boolean;
}

export interface TextForm {
  /** Above every field. */
  title: string;
  server: string;
  /** What the values are for: the server may have suggestions. */
  reference: CompletionReference;
  fields: readonly TextField[];
  /** What the fields hold at first; follows what is filled in, also when the form is left. */
  values: Map<string, string>;
}

/**
 * Asks for texts one by one, with a way back and the server's suggestions. Optional ones that are left empty are absent from
 * the answer. Rejects with `cancelled` when the user gives up.
 */
export async function askTexts(host: HostApi, { title, server, reference, fields, values }: TextForm): Promise<Record<string, string>> {
  const hasSuggestions = host.server(server)?.offer?.identity.capabilities.completions !== undefined;
  const filled = (except?: string) => Object.fromEntries([...values].filter(([name, value]) => value !== '' && name !== except));
  await runSteps(
    fields.map(({ name, title: fieldTitle, description, isRequired }) => async (step) => {
      const label = visibleLine(fieldTitle ?? name, 80);
      const what = description === undefined ? label : `${label}: ${visibleLine(description, 400)}`;
      const question = {
        title,
        step,
        totalSteps: fields.length,
        prompt: isRequired ? what : vscode.l10n.t('{0} (optional, leave empty to leave it out)', what),
        value: values.get(name) ?? '',
        check: (text: string) => (isRequired && text === '' ? vscode.l10n.t('{0} is required', label) : undefined),
      };
      const suggest = async (value: string, signal: AbortSignal) => (await host.complete({ server, reference, argument: { name, value }, context: filled(name) }, signal)).values;
      const value = await (hasSuggestions ? askSuggestedText({ ...question, suggest }) : askText(question));
      if (value === undefined) return 'cancel';
      if (value === back) return 'back';
      values.set(name, value);
      return 'next';
    }),
  );
  return filled();
}
