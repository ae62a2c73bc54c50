import * as vscode from 'vscode';
import { commandIds } from '../../manifest.js';
import type { TreeElement } from '../../ui/treeElement.js';

/** The files of bundles. */
const bundleFile = /\.(?:mcpb|dxt)$/i;

/** Files that are dropped on the Servers view: the page of each bundle opens. Other files are ignored. */
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
