/** Shared by the tests of the doctor: one diagnosis of one planted fault. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type http from 'node:http';
import type https from 'node:https';
import type { AddressInfo } from 'node:net';
import type net from 'node:net';
import path from 'node:path';
import type { CheckId, DoctorOptions } from '../../../src/core/doctor/check.js';
import type { Diagnosis } from '../../../src/core/doctor/doctor.js';
import { diagnose } from '../../../src/core/doctor/doctor.js';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import type { HostPorts } from '../../../src/core/host/ports.js';
import type { HeadlessOptions } from '../../support/headlessHost.js';
import { headlessHost } from '../../support/headlessHost.js';

export const odd = (mode: string): string[] => [path.resolve('test/fixtures/servers/odd.mjs'), mode];

type Machine = HostPorts['machine'];

/** The environment of the tests, optionally with other variables, settings or files. */
export function machine({
  env = {},
  settings = {},
  files = {},
}: {
  env?: Record<string, string>;
  settings?: Record<string, unknown>;
  files?: Record<string, string>;
}): Machine {
  return {
    env: { PATH: process.env['PATH'], VSCODE_PID: '1', ...env },
    platform: process.platform,
    userHome: process.cwd(),
    readFile: (file) =>
      files[file] === undefined
        ? Promise.reject(Object.assign(new Error(`ENOENT: ${file}`), { code: 'ENOENT' }))
        : Promise.resolve(files[file]),
    folders: () => [{ name: 'w', path: process.cwd() }],
    getSetting: (key) => settings[key],
    isSetByWorkspace: () => false,
  };
}

export function diagnoseAt(host: McpHost, options: Partial<DoctorOptions> = {}): Promise<Diagnosis> {
  return host.servers.inspect('sick').then((inspection) =>
    diagnose(host, 'sick', inspection, {
      signal: AbortSignal.timeout(60_000),
      handshakeMs: 20_000,
      stepMs: 20_000,
      ...options,
    }),
  );
}

/** Diagnoses a server with this definition on a separate host. */
export async function diagnosisOf(
  definition: object,
  ports: HeadlessOptions['ports'] = {},
  options: Partial<DoctorOptions> = {},
): Promise<Diagnosis> {
  const { host } = headlessHost({ servers: { sick: definition }, ports });
  await host.open();
  try {
    return await diagnoseAt(host, options);
  } finally {
    await host.close();
  }
}

/** The first failure, or the first remark if there is no failure. */
export function found({ checks }: Diagnosis): { id: string; seen: string; fix: string } | undefined {
  const bad = checks.find(({ outcome }) => outcome === 'failed') ?? checks.find(({ outcome }) => outcome === 'warning');
  return bad && { id: bad.id, seen: bad.seen, fix: bad.fix ?? '' };
}

/** The check with this name, which must exist. */
export function checkOf(diagnosis: Diagnosis, id: CheckId): { outcome: string; seen: string; fix: string } {
  const check = diagnosis.checks.find((one) => one.id === id);
  assert.ok(check, `there is no check "${id}" in ${JSON.stringify(diagnosis.checks, null, 1)}`);
  return { outcome: check.outcome, seen: check.seen, fix: check.fix ?? '' };
}

export function assertIs(diagnosis: Diagnosis, id: CheckId, seen: RegExp, fix: RegExp): void {
  const bad = found(diagnosis);
  assert.equal(bad?.id, id, JSON.stringify(diagnosis.checks, null, 1));
  assert.match(bad?.seen ?? '', seen);
  assert.match(bad?.fix ?? '', fix);
}

/** Asserts that the fault is found at its check, and that its fix is named. */
export async function assertFound(
  definition: object,
  id: CheckId,
  seen: RegExp,
  fix: RegExp,
  ports: HeadlessOptions['ports'] = {},
  options: Partial<DoctorOptions> = {},
): Promise<void> {
  assertIs(await diagnosisOf(definition, ports, options), id, seen, fix);
}

export async function withServer<T>(
  server: http.Server | https.Server | net.Server,
  work: (port: number) => Promise<T>,
): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  }
}

export const answering =
  (status: number, headers: http.OutgoingHttpHeaders = {}, body = ''): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };

/** A whole server in a few lines; a test overrides its answers by method. */
export const speakingMcp =
  (
    results: Record<string, unknown> = {},
    mayPass: (request: http.IncomingMessage, response: http.ServerResponse) => boolean = () => true,
  ): RequestListener =>
  async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (!mayPass(request, response)) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    const known: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'small', version: '1' },
      },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      ping: {},
      ...results,
    };
    const result = known[method];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        JSON.stringify(
          result === undefined
            ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
            : { jsonrpc: '2.0', id, result },
        ),
      );
  };
