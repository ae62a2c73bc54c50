/** The tools of the fixture server, by what they show: content, running work, questions, and inputs. */
import { UserError } from '../../src/core/base/hostError.js';
import type {
  CallToolResult,
  ContentBlock,
  ElicitRequest,
  ElicitResult,
  JsonSchema,
} from '../../src/core/protocol/mcp.js';
import type { ToolProvider } from '../../src/core/serving/servedFeatures.js';
import type { RequestContext } from '../../src/core/serving/requestContext.js';

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A wave file without samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

export const noArguments: JsonSchema = { type: 'object', properties: {} };

export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function form(message: string, properties: JsonSchema, required: string[] = []): ElicitRequest {
  return {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
  };
}

function question(message: string): Parameters<RequestContext['sample']>[0] {
  return { messages: [{ role: 'user', content: { type: 'text', text: message } }], maxTokens: 100 };
}

function textOf(content: unknown): string {
  return typeof content === 'object' && content !== null && 'text' in content
    ? String(content.text)
    : JSON.stringify(content);
}

export function field(answer: ElicitResult, name: string): string {
  const value = answer.content?.[name];
  return typeof value === 'string' ? value : 'no value';
}

function describe(answer: ElicitResult): string {
  return `action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}

/** Content of every kind. */
export function contentTools(): ToolProvider[] {
  const constant = (name: string, description: string, content: ContentBlock[]): ToolProvider => ({
    tool: { name, description, inputSchema: noArguments },
    call: () => ({ content }),
  });
  const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };
  return [
    constant('test_simple_text', 'Returns a text', [
      { type: 'text', text: 'This is a simple text response for testing.' },
    ]),
    constant('test_image_content', 'Returns an image', [image]),
    constant('test_audio_content', 'Returns a sound', [{ type: 'audio', data: wav, mimeType: 'audio/wav' }]),
    constant('test_embedded_resource', 'Returns a resource', [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ]),
    constant('test_multiple_content_types', 'Returns several kinds of content', [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ]),
    {
      tool: { name: 'test_error_handling', description: 'Always fails', inputSchema: noArguments },
      call: () => {
        throw new UserError('This tool intentionally returns an error for testing');
      },
    },
    {
      tool: {
        name: 'json_schema_2020_12_tool',
        description: 'Tool with JSON Schema 2020-12 features',
        inputSchema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          $defs: {
            address: {
              $anchor: 'addressDef',
              type: 'object',
              properties: { street: { type: 'string' }, city: { type: 'string' } },
            },
          },
          properties: {
            name: { type: 'string' },
            address: { $ref: '#/$defs/address' },
            contactMethod: { type: 'string', enum: ['phone', 'email'] },
            phone: { type: 'string' },
            email: { type: 'string' },
          },
          allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
          if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
          then: { required: ['phone'] },
          else: { required: ['email'] },
          additionalProperties: false,
        },
      },
      call: (args) => text(JSON.stringify(args)),
    },
    {
      tool: {
        name: 'test_header_parameters',
        description: 'Has parameters that travel in headers too',
        inputSchema: {
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            limit: { type: 'integer', 'x-mcp-header': 'Limit' },
            isDry: { type: 'boolean', 'x-mcp-header': 'Dry' },
          },
        },
      },
      call: (args) => text(JSON.stringify(args)),
    },
  ];
}

/** Tools that send notifications during a call. */
export function runningTools(): ToolProvider[] {
  const log = async (context: RequestContext): Promise<CallToolResult> => {
    context.log('info', 'Tool execution started');
    await pause(50);
    context.log('info', 'Tool processing data');
    await pause(50);
    context.log('info', 'Tool execution completed');
    return text('Logged three messages.');
  };
  return [
    {
      tool: { name: 'test_tool_with_logging', description: 'Logs while it runs', inputSchema: noArguments },
      call: (_args, context) => log(context),
    },
    {
      tool: { name: 'test_logging_tool', description: 'Logs while it runs, if it may', inputSchema: noArguments },
      call: (_args, context) => log(context),
    },
    {
      tool: { name: 'test_tool_with_progress', description: 'Reports progress', inputSchema: noArguments },
      call: async (_args, context) => {
        for (const progress of [0, 50, 100]) {
          context.progress({ progress, total: 100 });
          await pause(50);
        }
        return text('Done.');
      },
    },
    {
      tool: {
        name: 'test_reconnection',
        description: 'Hangs up in the middle of the call; the client has to come back',
        inputSchema: noArguments,
      },
      call: async (_args, context) => {
        context.releaseStream(100);
        await pause(100);
        return text('Reconnection test completed successfully.');
      },
    },
  ];
}

/** Tools that send requests to the client. */
export function askingTools(): ToolProvider[] {
  return [
    {
      tool: {
        name: 'test_sampling',
        description: 'Asks the language model of the client',
        inputSchema: {
          type: 'object',
          properties: { prompt: { type: 'string', description: 'The prompt' } },
          required: ['prompt'],
        },
      },
      call: async (args, context) =>
        text(`LLM response: ${textOf((await context.sample(question(String(args['prompt'])))).content)}`),
    },
    {
      tool: {
        name: 'test_elicitation',
        description: 'Asks the user',
        inputSchema: {
          type: 'object',
          properties: { message: { type: 'string', description: 'What to show' } },
          required: ['message'],
        },
      },
      call: async (args, context) => {
        const properties = {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        };
        return text(
          `User response: ${describe(await context.elicit(form(String(args['message']), properties, ['username', 'email'])))}`,
        );
      },
    },
    {
      tool: {
        name: 'test_elicitation_sep1034_defaults',
        description: 'Asks with default values',
        inputSchema: noArguments,
      },
      call: async (_args, context) => {
        const answer = await context.elicit(
          form('Please review the values', {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          }),
        );
        return text(`Elicitation completed: ${describe(answer)}`);
      },
    },
    {
      tool: {
        name: 'test_elicitation_sep1330_enums',
        description: 'Asks with every kind of choice',
        inputSchema: noArguments,
      },
      call: async (_args, context) => {
        const options = ['option1', 'option2', 'option3'];
        const titled = (names: string[]): unknown[] => names.map((title, i) => ({ const: `value${i + 1}`, title }));
        const answer = await context.elicit(
          form('Please choose', {
            untitledSingle: { type: 'string', enum: options },
            titledSingle: { type: 'string', oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
            titledMulti: { type: 'array', items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) } },
          }),
        );
        return text(`Elicitation completed: ${describe(answer)}`);
      },
    },
    {
      tool: { name: 'test_missing_capability', description: 'Needs a client with sampling', inputSchema: noArguments },
      call: async (_args, context) => text(textOf((await context.sample(question('Hello'))).content)),
    },
    {
      tool: { name: 'test_streaming_elicitation', description: 'Reports, then asks', inputSchema: noArguments },
      call: async (_args, context) => {
        context.progress({ progress: 1, total: 2 });
        return text(describe(await context.elicit(form('Go on?', { ok: { type: 'boolean' } }))));
      },
    },
  ];
}

/** Rounds of input as in 2026-07-28. */
export function inputTools(): ToolProvider[] {
  const name = { name: { type: 'string' } };
  const ok = { ok: { type: 'boolean' } };
  const tool = (
    suffix: string,
    description: string,
    call: (context: RequestContext) => Promise<CallToolResult>,
  ): ToolProvider => ({
    tool: { name: `test_input_required_result_${suffix}`, description, inputSchema: noArguments },
    call: (_args, context) => call(context),
  });
  const confirm = async (context: RequestContext): Promise<CallToolResult> => {
    await context.elicit(form('Please confirm', ok, ['ok']), 'confirm');
    return text('state-ok');
  };
  return [
    tool('elicitation', 'Asks for a name', async (context) => {
      const answer = await context.elicit(form('What is your name?', name, ['name']), 'user_name');
      return text(`Hello, ${field(answer, 'name')}!`);
    }),
    tool('sampling', 'Asks the model', async (context) =>
      text(textOf((await context.sample(question('What is the capital of France?'), 'capital_question')).content)),
    ),
    tool('list_roots', 'Asks for the roots', async (context) =>
      text((await context.listRoots('client_roots')).map((root) => root.uri).join(', ')),
    ),
    tool('request_state', 'Asks for a confirmation', confirm),
    tool('tampered_state', 'Asks for a confirmation and refuses changed state', confirm),
    tool('multiple_inputs', 'Asks three things at once', async (context) => {
      const [who, greeting, roots] = await Promise.all([
        context.elicit(form('What is your name?', name, ['name']), 'user_name'),
        context.sample(question('Generate a greeting'), 'greeting'),
        context.listRoots('client_roots'),
      ]);
      return text(`${textOf(greeting.content)} ${describe(who)} ${roots.length}`);
    }),
    tool('multi_round', 'Asks twice', async (context) => {
      const first = await context.elicit(form('Step 1: What is your name?', name, ['name']), 'step1');
      const second = await context.elicit(
        form('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']),
        'step2',
      );
      return text(`${describe(first)} ${describe(second)}`);
    }),
    tool('capabilities', 'Asks whatever the client can answer', async (context) => {
      const { elicitation, sampling } = context.clientCapabilities;
      const answers: unknown[] = await Promise.all([
        ...(elicitation ? [context.elicit(form('Confirm?', ok))] : []),
        ...(sampling ? [context.sample(question('Say hello'))] : []),
      ]);
      return text(`${answers.length} answers`);
    }),
  ];
}
