import * as vscode from 'vscode';
import type { ResourceAddress } from '../../core/resources/resourcePath.js';
import { resourceAt } from '../../core/resources/resourcePath.js';
import { resourceScheme } from '../manifest.js';

/** Returns the resource that an editor URI identifies. */
export function resourceOf(uri: vscode.Uri): ResourceAddress | undefined {
  return uri.scheme === resourceScheme ? resourceAt(uri.path) : undefined;
}

/** Returns the resource in the focused editor. */
export function activeResource(): ResourceAddress | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom
    ? resourceOf(input.uri)
    : undefined;
}
