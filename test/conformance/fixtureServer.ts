/**
 * The server that the suite's server mode tests: our server half with the tools, resources and prompts that its
 * scenarios require (`@modelcontextprotocol/conformance`, "Server Implementation Requirements").
 *
 *   node dist/test/fixtureServer.mjs [port]      prints `listening <url>` on standard output
 */
import Ajv2020 from 'ajv/dist/2020.js';
import type { ContentBlock, ResourceContents } from '../../src/core/protocol/mcp.js';
import { HttpFront } from '../../src/core/serving/httpFront.js';
import { McpServer } from '../../src/core/serving/mcpServer.js';
import type {
  PromptProvider,
  ResourceProvider,
  TemplateProvider,
  ToolProvider,
} from '../../src/core/serving/servedFeatures.js';
import { PromptList, ResourceList, ToolList } from '../../src/core/serving/servedFeatures.js';
import { skillFiles, skillMethods, skillsExtension } from './fixtureSkills.js';
import {
  askingTools,
  contentTools,
  field,
  form,
  inputTools,
  noArguments,
  png,
  runningTools,
  text,
} from './fixtureTools.js';

/** Tools that change the offered lists. */
function triggers(tools: () => ToolList, prompts: () => PromptList): ToolProvider[] {
  return [
    {
      tool: {
        name: 'test_trigger_tool_change',
        description: 'Adds a tool and takes it away again',
        inputSchema: noArguments,
      },
      call: () => {
        const tool = { name: 'test_transient', description: 'Is hardly ever there', inputSchema: noArguments };
        tools()
          .add({ tool, call: () => text('here') })
          .dispose();
        return text('The list of tools changed.');
      },
    },
    {
      tool: {
        name: 'test_trigger_prompt_change',
        description: 'Adds a prompt and takes it away again',
        inputSchema: noArguments,
      },
      call: () => {
        prompts()
          .add({
            prompt: { name: 'test_transient', description: 'Is hardly ever there' },
            get: () => ({ messages: [] }),
          })
          .dispose();
        return text('The list of prompts changed.');
      },
    },
  ];
}

function resourceProviders(): ResourceProvider[] {
  const constant = (description: string, contents: ResourceContents): ResourceProvider => ({
    resource: {
      uri: contents.uri,
      name: contents.uri.replace('test://', ''),
      description,
      mimeType: contents.mimeType,
    },
    read: () => [contents],
  });
  return [
    constant('A text', {
      uri: 'test://static-text',
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
    }),
    constant('An image', { uri: 'test://static-binary', mimeType: 'image/png', blob: png }),
    constant('Can be subscribed to', { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched.' }),
  ];
}

const template: TemplateProvider = {
  template: {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data by id',
    mimeType: 'application/json',
  },
  match: (uri) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    return id === undefined ? undefined : { id };
  },
  read: (uri, { id }) => [
    { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
  ],
  complete: ({ value }) => ['1', '12', '123'].filter((id) => id.startsWith(value)),
};

function promptProviders(): PromptProvider[] {
  const user = (content: ContentBlock) => ({ role: 'user' as const, content });
  return [
    {
      prompt: { name: 'test_simple_prompt', description: 'Takes nothing' },
      get: () => ({ messages: [user({ type: 'text', text: 'This is a simple prompt for testing.' })] }),
    },
    {
      prompt: {
        name: 'test_prompt_with_arguments',
        description: 'Takes two arguments',
        arguments: [
          { name: 'arg1', description: 'First test argument', required: true },
          { name: 'arg2', description: 'Second test argument', required: true },
        ],
      },
      get: ({ arg1, arg2 }) => ({
        messages: [user({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
      }),
      complete: ({ value }) => ['paris', 'park', 'party', 'test'].filter((word) => word.startsWith(value)),
    },
    {
      prompt: {
        name: 'test_prompt_with_embedded_resource',
        description: 'Embeds a resource',
        arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
      },
      get: ({ resourceUri }) => ({
        messages: [
          user({
            type: 'resource',
            resource: {
              uri: resourceUri ?? '',
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          }),
          user({ type: 'text', text: 'Please process the embedded resource above.' }),
        ],
      }),
    },
    {
      prompt: { name: 'test_prompt_with_image', description: 'Shows an image' },
      get: () => ({
        messages: [
          user({ type: 'image', data: png, mimeType: 'image/png' }),
          user({ type: 'text', text: 'Please analyze the image above.' }),
        ],
      }),
    },
    {
      prompt: { name: 'test_input_required_result_prompt', description: 'Asks before it answers' },
      get: async (_args, context) => {
        const answer = await context.elicit(
          form('What context should the prompt use?', { context: { type: 'string' } }, ['context']),
          'user_context',
        );
        return { messages: [user({ type: 'text', text: `Context: ${field(answer, 'context')}` })] };
      },
    },
  ];
}

/** Everything that the suite requires. */
export function createFixtureServer(): McpServer {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const prompts = new PromptList(promptProviders());
  const tools: ToolList = new ToolList([
    ...contentTools(),
    ...runningTools(),
    ...askingTools(),
    ...inputTools(),
    ...triggers(
      () => tools,
      () => prompts,
    ),
  ]);
  return new McpServer({
    info: { name: 'mcp-deck-conformance-fixture', version: '1.0.0' },
    instructions: 'For the conformance suite.',
    tools,
    prompts,
    resources: new ResourceList([...resourceProviders(), ...skillFiles], [template]),
    extensions: skillsExtension,
    methods: skillMethods,
    cache: {
      'server/discover': { ttlMs: 60_000, scope: 'public' },
      'tools/list': { ttlMs: 1_000, scope: 'public' },
      'resources/read': { ttlMs: 0, scope: 'private' },
    },
    validate: (schema, value) => {
      const check = ajv.compile(schema);
      return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
    },
    log: { write: (level, line) => process.stderr.write(`${level}: ${line}\n`) },
  });
}

const front = new HttpFront({ server: createFixtureServer(), port: Number(process.argv[2] ?? 0) });
const { url } = await front.listen();
process.stdout.write(`listening ${url}\n`);
