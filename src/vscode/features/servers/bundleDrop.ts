import * as vscode from 'vscode';
import { commandIds } from '../../manifest.js';
import type { TreeElement } from '../../ui/treeElement.js';

/** Matches the paths of bundle files. */
const bundleFile = /\.(?:mcpb|dxt)$/i;

/** Opens the page of each bundle file that the user drops on the Servers view. Other files are ignored. */
export const bundleDrop: vscode.TreeDragAndDropController<TreeElement> = {
  dropMimeTypes: ['text/uri-list'],
  dragMimeTypes: [],
  async handleDrop(_target, data) {
    const list = (await data.get('text/uri-list')?.asString()) ?? '';
    for (const line of list.split(/\r?\n/)) {
      const uri = line === '' || line.startsWith('#') ? undefined : vscode.Uri.parse(line);
      if (uri && bundleFile.test(uri.path)) await vscode.commands.executeCommand(commandIds.installBundle, uri);
    }
  },
};
