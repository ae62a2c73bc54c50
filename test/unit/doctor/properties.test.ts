/**
 * Whatever the outcome of single checks, a diagnosis keeps its order, its end, its fixes and the secrets of the
 * definition.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { configuredCredentials } from '../../../src/core/auth/authorizer.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import type { Inspection } from '../../../src/core/catalog/inspection.js';
import type { ResolvedServer } from '../../../src/core/config/resolveDefinition.js';
import type { Check, CheckId, DoctorHost } from '../../../src/core/doctor/check.js';
import { checkIds } from '../../../src/core/doctor/check.js';
import { diagnosisText } from '../../../src/core/doctor/diagnosisText.js';
import { diagnose } from '../../../src/core/doctor/doctor.js';
import { ProtocolError } from '../../../src/core/protocol/jsonRpc.js';

/** If one of these checks failed, nothing follows it; the three file checks count as one kind. */
const ends: readonly CheckId[] = ['trust', 'variables', 'address', 'name', 'port', 'certificate', 'handshake'];
const files: readonly CheckId[] = ['folder', 'command', 'files'];

let folder: string;
let port: number;
let closedPort: number;
/** Answers `/<status>/…` with that status, and repeats everything that it received. */
const echo = http.createServer((request, response) => {
  const status = Number(/^\/(\d{3})/.exec(request.url ?? '')?.[1] ?? 200);
  const echo = `${request.url ?? ''} ${JSON.stringify(request.headers)}`;
  request.resume();
  response
    .writeHead(status, {
      'content-type': 'text/plain',
      'www-authenticate': `Bearer error_description="${echo.replace(/["\\]/g, '')}"`,
      location: `/${status}${request.url ?? ''}x`,
    })
    .end(echo);
});

const listen = (server: http.Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'doctor-'));
  for (const [name, says] of [
    ['tool', 'x'],
    ['node', 'v16.1.0'],
    ['python3', 'Python 3.12.1'],
  ] as const)
    writeFileSync(path.join(folder, name), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
  writeFileSync(path.join(folder, 'there.mjs'), '');
  port = await listen(echo);
  const closed = http.createServer();
  closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  echo.closeAllConnections();
  await new Promise((resolve) => echo.close(resolve));
});

/** All external outcomes; `{secret}` is replaced by the repeated secret. */
const outcomes = {
  isEnabled: fc.boolean(),
  isRefused: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  hasProblem: fc.boolean(),
  isResolved: fc.integer({ min: 0, max: 9 }).map((n) => n !== 0),
  start: fc.constantFrom('fails', 'refuses', 'ends', 'works', 'runs', 'is silent'),
  lists: fc.constantFrom('some', 'none', 'warnings'),
  /** Lengths that often cut a text within the secret. */
  padding: fc.oneof(fc.nat(250), fc.integer({ min: 120, max: 200 })),
  secret: fc.stringMatching(/^[A-Za-z0-9]{16,40}$/),
};
const local = fc.record({
  ...outcomes,
  cwd: fc.constantFrom('.', 'missing-{secret}', 'there.mjs'),
  command: fc.constantFrom('tool', 'tool', 'node', 'python3', 'missing', 'missing-{secret}'),
  args: fc.subarray(['there.mjs', 'missing-{secret}.mjs', '--token={secret}'], { minLength: 0 }),
});
const remote = fc.record({
  ...outcomes,
  scheme: fc.constantFrom('http', 'http', 'http', 'https', 'ws', 'gopher'),
  isOpen: fc.integer({ min: 0, max: 2 }).map((n) => n !== 0),
  status: fc.constantFrom(200, 302, 307, 400, 401, 403, 404, 407, 500, 503),
  isHeader: fc.boolean(),
  proxy: fc.constantFrom(undefined, undefined, 'http://ada:{secret}@127.0.0.1:{closed}', 'no address {secret}'),
});

type Outcomes = { [Name in keyof typeof outcomes]: (typeof outcomes)[Name] extends fc.Arbitrary<infer T> ? T : never };

/** Diagnoses the scene, and returns whether it was started. */
async function run(
  scene: Outcomes,
  resolved: ResolvedServer,
  environment: Record<string, string> = {},
): Promise<{ checks: readonly Check[]; starts: number; text: string }> {
  const { secret, padding } = scene;
  const message = `${'x'.repeat(padding)} ${secret} was said`;
  const source = { id: 'workspace', kind: 'portable', label: '.mcp.json' } as const;
  let starts = 0;
  let isRunning = scene.start === 'runs' || scene.start === 'is silent';
  const tools = scene.lists === 'some' ? [{ name: 'echo', inputSchema: {} }] : [];
  const features = {
    identity: { revision: '2025-11-25' },
    tools,
    resources: [],
    resourceTemplates: [],
    prompts: [],
    warnings: scene.lists === 'warnings' ? [message] : [],
  };
  const host: DoctorHost = {
    servers: {
      get: () =>
        ({
          state: { kind: isRunning ? 'running' : 'stopped' },
          ...(isRunning ? { features } : {}),
          stderr: ['first', message],
        }) as unknown as ServerView,
      problems: () =>
        scene.hasProblem
          ? [
              {
                source,
                problems: [
                  {
                    severity: 'warning',
                    message: 'A field is not known.',
                    server: 'sick',
                    position: { line: 0, character: 0, endLine: 0, endCharacter: 0 },
                  },
                ],
              },
            ]
          : [],
      secretValues: () => [],
    },
    lifecycle: {
      start: () => {
        starts++;
        if (scene.start === 'fails')
          return Promise.reject(
            new HostError('exited', `It ended: ${message}`, { data: { code: 1, stderr: [message] } }),
          );
        if (scene.start === 'refuses') return Promise.reject(new ProtocolError(-32_000, message));
        isRunning = scene.start !== 'ends';
        return Promise.resolve();
      },
    },
    calls: {
      ping: () => (scene.start === 'is silent' ? Promise.reject(new HostError('timeout', message)) : Promise.resolve()),
    },
    signIns: { accounts: () => Promise.resolve([]) },
  };
  const inspection = {
    entry: {
      id: 'sick',
      name: 'sick',
      source,
      definition: { type: resolved.type },
      isEnabled: scene.isEnabled,
      inputs: [],
    },
    refusal: scene.isRefused ? new HostError('not-trusted', 'needs your approval') : undefined,
    resolve: () =>
      scene.isResolved
        ? Promise.resolve(resolved)
        : Promise.reject(new HostError('bad-configuration', 'A variable has no value.')),
    environment: () => Promise.resolve({ PATH: folder }),
    authorizer: () => Promise.resolve(configuredCredentials('sick', 'header-refused')),
    platform: process.platform,
    env: environment,
    getSetting: () => undefined,
  } as unknown as Inspection;
  const diagnosis = await diagnose(host, 'sick', inspection, {
    signal: AbortSignal.timeout(20_000),
    stepMs: 2_000,
  });
  return { ...diagnosis, starts, text: diagnosisText('sick', diagnosis) };
}

function assertHolds(scene: Outcomes, { checks, starts, text }: Awaited<ReturnType<typeof run>>): void {
  const ids = checks.map(({ id }) => id);
  assert.deepEqual(
    ids,
    checkIds.filter((id) => ids.includes(id)),
    'in order, and each once',
  );
  for (const [at, check] of checks.entries()) {
    assert.match(check.seen, /\w/, 'something was seen');
    if (check.outcome !== 'failed' && check.outcome !== 'warning') assert.equal(check.fix, undefined);
    else assert.match(check.fix, /^[A-Z"].*\.$/s, `what to do is a sentence: ${JSON.stringify(check)}`);
    const rest = ids.slice(at + 1);
    if (check.outcome !== 'failed') continue;
    // A skipped check is reported once, where it begins.
    if (check.id === 'trust') assert.deepEqual([rest, checks.at(-1)?.outcome], [['variables'], 'skipped']);
    else if (files.includes(check.id)) assert.ok(!rest.includes('handshake'), `${check.id} ends it`);
    else if (ends.includes(check.id)) assert.deepEqual(rest, [], `${check.id} ends it`);
  }
  if (checks.some(({ id, outcome }) => id === 'handshake' && outcome === 'ok'))
    assert.ok(
      checks.every(({ outcome }) => outcome !== 'failed'),
      'what works is not broken',
    );
  if (scene.isRefused || !scene.isEnabled || !scene.isResolved) assert.equal(starts, 0);
  const half = scene.secret.slice(0, scene.secret.length / 2);
  assert.ok(!JSON.stringify(checks).includes(half) && !text.replace(/\s+/g, '').includes(half), text);
}

test('a diagnosis of a local server keeps its order, its end, its fixes and its secrets', () =>
  fc.assert(
    fc.asyncProperty(local, async (scene) => {
      const fill = (part: string) => part.replaceAll('{secret}', scene.secret);
      const resolved: ResolvedServer = {
        type: 'stdio',
        command: path.join(folder, fill(scene.command)),
        args: scene.args.map(fill),
        cwd: path.resolve(folder, fill(scene.cwd)),
        env: { TOKEN: scene.secret },
        removedEnv: [],
        secretValues: [scene.secret],
      };
      assertHolds(scene, await run(scene, resolved));
    }),
    { numRuns: 100 },
  ));

test('a diagnosis of a remote server keeps its order, its end, its fixes and its secrets', () =>
  fc.assert(
    fc.asyncProperty(remote, async (scene) => {
      const { secret, padding } = scene;
      const url = `${scene.scheme}://127.0.0.1:${scene.isOpen ? port : closedPort}/${scene.status}/${'y'.repeat(padding)}?key=${secret}`;
      const proxy = scene.proxy?.replace('{secret}', secret).replace('{closed}', String(closedPort));
      // A connection through a proxy has no local address.
      const resolved: ResolvedServer = {
        type: 'http',
        url: proxy === undefined ? url : url.replace('127.0.0.1', '192.0.2.1'),
        headers: scene.isHeader ? { Authorization: `Bearer ${secret}` } : { 'X-Key': secret },
        secretValues: [secret, `Bearer ${secret}`],
      };
      const environment: Record<string, string> =
        proxy === undefined || !proxy.startsWith('http') ? {} : { HTTPS_PROXY: proxy };
      if (proxy !== undefined && !proxy.startsWith('http')) resolved.url = url;
      assertHolds(scene, await run(scene, resolved, environment));
    }),
    { numRuns: 100 },
  ));
