import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { promptsMarkdown, resourcesMarkdown } from '../../../../src/core/present/chat/itemLists.js';
import { readPromptRequest, readReadRequest, readWhyRequest } from '../../../../src/core/present/chat/namedItems.js';
import {
  serversMarkdown,
  whyAllMarkdown,
  whyServerMarkdown,
  whyToolMarkdown,
} from '../../../../src/core/present/chat/serversList.js';
import { toolsMarkdown } from '../../../../src/core/present/chat/toolsList.js';
import type { ServerView } from '../../../../src/core/catalog/hostTypes.js';
import type { OffReason } from '../../../../src/core/presets/toolSwitches.js';
import { needsTrust, serverView, tool } from '../../../support/serverViews.js';

const evil = '[x](https://evil.example) <img src=x> **b** $(warning)';
const notes = serverView('my notes', {
  features: {
    tools: [tool('find'), tool('delete.all')],
    resources: [{ uri: 'note://1', name: 'first', description: 'The first note. More.', mimeType: 'text/plain' }],
    resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'any note' }],
    prompts: [
      {
        name: 'sum up',
        description: 'Sums up a note.',
        arguments: [{ name: 'id', required: true }, { name: 'tone' }],
      },
      { name: 'sum', description: 'Another.' },
    ],
  },
});
const other = serverView('other', { features: { resources: [{ uri: 'note://1', name: 'twin' }] } });
const stopped = serverView('off');

describe('/resources and /prompts', () => {
  test('list the items of each server with the form of the command that uses them', () => {
    assert.equal(
      resourcesMarkdown([notes, stopped]),
      '**my notes** (2)\n\n- `note://1` — first\\. The first note *(text\\/plain)*\n- `note://{id}` — any note\n\nTo read a resource: `@deck /read server URI`\n\n',
    );
    assert.match(
      promptsMarkdown([notes]),
      /- `my notes\.sum up` — Sums up a note.*Arguments: `id`, `tone` \(optional\)/,
    );
    assert.match(promptsMarkdown([other]), /No running server offers prompts/);
  });

  test('list only what contains the words', () => {
    assert.doesNotMatch(resourcesMarkdown([notes, other], 'twin'), /first/);
    assert.match(resourcesMarkdown([notes], 'zebra'), /Nothing matches `zebra`/);
    const many = serverView('many', {
      features: { resources: Array.from({ length: 70 }, (_, index) => ({ uri: `n://${index}`, name: String(index) })) },
    });
    assert.match(resourcesMarkdown([many]), /and 20 more/);
  });

  test('[V3] contain no link or markup of a server', () => {
    const hostile = serverView('srv', {
      features: {
        resources: [{ uri: `x:${evil}\`\``, name: evil, description: evil, mimeType: evil }],
        prompts: [{ name: evil, description: evil, arguments: [{ name: evil }] }],
      },
    });
    // Code spans are not Markdown.
    const text = (resourcesMarkdown([hostile]) + promptsMarkdown([hostile])).replace(/(`+).*?\1/g, '');
    assert.doesNotMatch(text, /(?<!\\)\]\(|(?<!\\)<img/);
  });
});

describe('/read', () => {
  const read = (text: string) => readReadRequest(text, [notes, other, stopped]);

  test('takes a server and an address, or an address that only one server has', () => {
    assert.deepEqual(read(' my notes  note://9?a b'), { server: 'my notes', uri: 'note://9?a b' });
    assert.deepEqual(read('note://7'), { server: 'my notes', uri: 'note://7' });
  });

  test('says what is missing', () => {
    const problem = (text: string) => (read(text) as { problem: string }).problem;
    assert.match(problem(''), /Specify a resource/);
    assert.match(problem('note://1'), /Several servers have this URI: `my notes`, `other`/);
    assert.match(problem('x://1'), /No running server has the resource `x:\/\/1`/);
    assert.match(problem('off x://1'), /`off` is not running/);
  });
});

describe('/prompt', () => {
  const read = (text: string) => readPromptRequest(text, [notes, stopped]);

  test('takes the longest name of a prompt, and its arguments', () => {
    const named = read('my notes.sum up {"id": "1"}');
    assert.ok('prompt' in named);
    assert.deepEqual([named.server, named.prompt.name, named.arguments], ['my notes', 'sum up', { id: '1' }]);
    const short = read('my notes.sum');
    assert.equal('prompt' in short && short.prompt.name, 'sum');
  });

  test('says what is missing', () => {
    const problem = (text: string) => (read(text) as { problem: string }).problem;
    assert.match(problem(''), /Specify a prompt/);
    assert.match(problem('my notes.sum up'), /These arguments are missing: `id`/);
    assert.match(problem('my notes.sum up {"id": 1}'), /`id` of a prompt must be a string/);
    assert.match(problem('my notes.sum up {"id"'), /Invalid JSON/);
    assert.match(problem('my notes.sing'), /No running server has the prompt/);
    assert.match(problem('off.x'), /`off` is not running/);
  });
});

describe('/servers and /why', () => {
  const failed = serverView('weather', { state: { kind: 'failed', error: new Error('it broke'), at: 0 } });
  const offBy = (why: OffReason): ServerView => ({
    ...notes,
    switches: { isLeftOut: false, whyOff: (name) => (name === 'find' ? why : undefined) },
  });

  test('every server has its state and its origin', () => {
    const text = serversMarkdown([notes, failed, serverView('x', { isEnabled: false })]);
    assert.match(text, /\*\*my notes\*\* — .*2 tools/);
    assert.match(text, /\*\*weather\*\* — it broke/);
    assert.match(text, /\*\*x\*\* — disabled/);
    assert.match(text, /`@deck \/why server`/);
    assert.doesNotMatch(serversMarkdown([notes]), /why/);
  });

  test('a server that does not run is explained with what to do', () => {
    assert.match(whyServerMarkdown(failed), /weather.*it broke/s);
    assert.match(whyServerMarkdown(stopped), /is stopped\. Start it/);
    assert.match(
      whyServerMarkdown(serverView('w', { state: needsTrust })),
      /Needs your approval .*Review what the server would run/,
    );
    const all = whyAllMarkdown([notes, failed, stopped, serverView('x', { isEnabled: false })]);
    assert.match(all, /weather.*off/s);
    assert.doesNotMatch(all, /my notes|\*\*x\*\*/);
    assert.match(whyAllMarkdown([notes]), /All enabled servers run/);
    const leftOut: ServerView = {
      ...serverView('p'),
      switches: { isLeftOut: true, preset: 'p', whyOff: () => 'preset' },
    };
    assert.match(whyAllMarkdown([notes, leftOut]), /All enabled servers of the active preset run/);
  });

  test('a tool that models cannot see is explained', () => {
    const [find] = notes.features?.tools ?? [];
    assert.ok(find);
    for (const [why, words] of [
      ['user', /you disabled it/],
      ['definition', /definition of its server disables it/],
      ['preset', /active preset does not include it/],
    ] as const) {
      assert.match(whyToolMarkdown(offBy(why), find, { effect: 'allow' }), words);
      assert.match(whyAllMarkdown([offBy(why)]), words);
    }
    assert.match(whyServerMarkdown({ ...notes, quarantined: new Set(['find']) }), /`find` \(it changed since/);
  });

  test('the rule that decides about calls of models is quoted', () => {
    const [find] = notes.features?.tools ?? [];
    assert.ok(find);
    const text = (effect: 'allow' | 'ask' | 'deny', rule?: string) =>
      whyToolMarkdown(notes, find, { effect, ...(rule === undefined ? {} : { rule }) });
    assert.match(text('ask'), /No rule applies.*waits for your approval/);
    assert.match(text('allow', 'allow find'), /without asking you, because of the rule `allow find`/);
    assert.match(text('deny', 'deny *'), /denied by the rule `deny \*`/);
    assert.match(text('ask', 'ask *'), /because of the rule `ask \*`/);
  });

  test('the name of a server or tool is read, and a similar one is suggested', () => {
    const read = (text: string) => readWhyRequest(text, [notes, stopped]);
    const tool = read('my notes.delete.all');
    assert.equal('view' in tool && tool.tool?.name, 'delete.all');
    assert.equal('view' in read('off.anything') && 'found', 'found');
    assert.match((read('my notes.fnd') as { problem: string }).problem, /Did you mean `my notes.find`/);
  });
});

test('/tools lists similar tools when no tool contains the words', () => {
  const similar = [{ server: 'my notes', tool: tool('find') }];
  assert.match(
    toolsMarkdown([notes], 'serach', similar),
    /No tool contains `serach`\. Similar tools:\n\n- `find`.*my notes/,
  );
  assert.doesNotMatch(toolsMarkdown([notes], 'find', similar), /Similar/);
});
