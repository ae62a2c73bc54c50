import * as vscode from 'vscode';
import type { HostApi } from '../core/host/hostApi.js';
import type { RunHistory } from '../core/runs/runHistory.js';
import { drawNodes } from '../core/present/tree/treeNode.js';
import type { ServerUpdates } from '../core/gallery/updates/serverUpdates.js';
import type { ResourcePins } from '../core/catalog/resourcePins.js';
import { runNodes } from '../core/runs/runNodes.js';
import { rootNodes } from '../core/present/tree/serverNodes.js';
import { summarizeServer } from '../core/present/server/serverSummary.js';
import type { DeckApi } from './api.js';
import type { LockMarks } from './ui/lockMarks.js';
import { namedServer } from './ui/chooseServer.js';
import { ScriptCalls } from './ui/scripting.js';
import type { SchemaChecks } from './ui/schemaChecks.js';

/** Implements the API for other extensions with the host. */
export function deckApi(
  host: Pick<HostApi, 'servers' | 'lifecycle' | 'calls'>,
  schemas: SchemaChecks,
  {
    pins,
    history,
    updates,
    lockMarks,
  }: { pins: ResourcePins; history: RunHistory; updates: Pick<ServerUpdates, 'of'>; lockMarks: Pick<LockMarks, 'of'> },
): DeckApi {
  const scripts = new ScriptCalls(host, schemas);
  const summary = (server: unknown) => summarizeServer(namedServer(host.servers, server));
  /** Starts the server if it is not running. Does not ask the user, so this fails if the server needs approval. */
  const running = async (server: unknown) => {
    const view = namedServer(host.servers, server);
    if (view.state.kind !== 'running') await host.lifecycle.start(view.id, { interactive: false });
  };
  return {
    apiVersion: 1,
    listServers: () => Promise.resolve(scripts.listServers()),
    async startServer({ server }) {
      await running(server);
      return summary(server);
    },
    async stopServer({ server }) {
      await host.lifecycle.stop(namedServer(host.servers, server).id);
      return summary(server);
    },
    async restartServer({ server }) {
      await host.lifecycle.restart(namedServer(host.servers, server).id, { interactive: false });
      return summary(server);
    },
    runTool: (call, options) => scripts.runTool({ ...call }, { ...options, caller: 'script', isApi: true }),
    readResource: (call, options) => scripts.readResource({ ...call }, options),
    getPrompt: (call, options) => scripts.getPrompt({ ...call }, options),
    async drawRuns() {
      await history.whenRead();
      return drawNodes(
        runNodes({ runs: history.runs(), favourites: history.favourites() }, Date.now(), vscode.env.language),
      );
    },
    drawServers: () =>
      Promise.resolve(
        drawNodes(
          rootNodes(
            {
              servers: host.servers.list(),
              broken: host.servers.brokenEntries(),
              pins: pins.list(),
              news: (id) => updates.of(id),
              drift: (id) => lockMarks.of(id),
            },
            Date.now(),
          ),
        ),
      ),
  };
}
