/**
 * The client that the official conformance suite tests: `node dist/conformance-client.mjs <url>`. It is only the
 * shipped core; this file does what each scenario asks a user to do (environment: MCP_CONFORMANCE_SCENARIO,
 * MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT). Exit code 0 on success.
 */
import type { SessionOptions } from '../../src/core/session/mcpSession.js';
import { McpSession, openRemote, ServerSkills } from '../../src/core/index.js';
import { createConformanceAuthorizer } from './authDriver.js';

const url = process.argv[2] ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '2025-11-25';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, any>;

const isAuth = scenario.startsWith('auth/');
const authorizer = isAuth ? createConformanceAuthorizer(context, url) : undefined;

const options: SessionOptions = {
  client: { name: 'mcp-deck-conformance', version: '1.0.0' },
  protocol: revision === '2026-07-28' ? 'auto' : 'legacy',
  proposal: revision as SessionOptions['proposal'],
  startTimeoutMs: 15_000,
  handlers: {
    roots: () => [],
    createMessage: () => Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'none' }),
    elicit: () => Promise.resolve({ action: 'accept', content: {} }),
    ...(scenario.startsWith('sep-2640') ? { extensions: { 'io.modelcontextprotocol/skills': {} } } : {}),
  },
  listener: { onWarning: (line) => console.error(`warning: ${line}`) },
};
if (scenario === 'initialize') options.proposal = '2025-11-25';

const session = await McpSession.open(() => openRemote({ type: 'http', url, headers: {} }, { authorizer }), options);
try {
  await run();
} finally {
  await session.close();
}
process.exit(0);

async function run(): Promise<void> {
  if (scenario.startsWith('sep-2640')) {
    const skills = new ServerSkills(session);
    const entries = await skills.list();
    if (scenario.includes('no-prefetch')) return;
    for (const entry of entries) {
      await skills.read(entry.uri);
      for (const file of entry.files)
        if (typeof file !== 'string' && file.uri !== entry.uri) await skills.read(file.uri);
    }
    return;
  }
  const { items: tools } = await session.listTools();
  switch (scenario) {
    case 'initialize':
    case 'request-metadata':
    case 'json-schema-ref-no-deref':
      return;
    case 'tools_call':
      await session.callTool('add_numbers', { a: 5, b: 3 });
      return;
    case 'elicitation-sep1034-client-defaults':
      await session.callTool('test_client_elicitation_defaults', {});
      return;
    case 'sse-retry':
      await session.callTool('test_reconnection', {});
      return;
    case 'sep-2322-client-request-state':
      for (const tool of [
        'test_mrtr_echo_state',
        'test_mrtr_no_state',
        'test_mrtr_unrelated',
        'test_mrtr_no_result_type',
      ])
        await session.callTool(tool, {});
      return;
    case 'http-standard-headers': {
      for (const { name } of tools) await session.callTool(name, {});
      for (const { uri } of (await session.listResources()).items) await session.readResource(uri);
      for (const { name } of (await session.listPrompts()).items) await session.getPrompt(name, {});
      return;
    }
    case 'http-custom-headers':
      for (const call of context['toolCalls'] as { name: string; arguments: Record<string, unknown> }[])
        await session.callTool(call.name, call.arguments);
      return;
    case 'http-invalid-tool-headers':
      for (const { name } of tools) await session.callTool(name, { region: 'us-east1' });
      return;
    case 'json-schema-2020-12-preservation': {
      const tool = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
      await session.callTool('json_schema_echo', { schema: tool?.inputSchema });
      return;
    }
    default:
      if (isAuth && tools.some(({ name }) => name === 'test-tool')) await session.callTool('test-tool', {});
  }
}
