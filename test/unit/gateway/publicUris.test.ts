import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce } from '../../../src/core/base/timeSlice.js';
import { PublicUris } from '../../../src/core/gateway/publicUris.js';

const addresses = [
  'file:///a/b c.txt',
  'ui://kit/app.html',
  'ui://mcp-deck/other/app.html',
  'mcp-deck://other/file:///secret',
  'mcp-deck://',
  'mcp-deck:///',
  'ui://',
  'ui://mcp-deck//',
  'kit://name/%2F?x=1#y',
  '',
  'no address',
  'line\nbreak',
];

/** Lists without templates. */
const lists = (uris: Record<string, readonly string[]>) =>
  Object.entries(uris).map(([server, of]) => ({ server, uris: of, templates: [] }));

test('[GW2] every listed address of every server leads back to that server and its own address', () => {
  const table = new PublicUris();
  const servers = ['one', 'two', 'other', 'with/slash', 'with%2Fpercent', 'ünï'];
  runAtOnce(table.settingLists(servers.map((server) => ({ server, uris: addresses, templates: [] }))));
  const seen = new Set<string>();
  for (const server of servers)
    for (const uri of addresses) {
      const published = table.ofResource({ server, uri });
      assert.ok(!seen.has(published), `${published} belongs to two`);
      seen.add(published);
      assert.deepEqual(table.find(published), { server, uri });
      assert.deepEqual(table.find(table.ofResult(server, uri)), { server, uri }, 'an address in a result');
    }
  assert.equal(seen.size, servers.length * addresses.length);
});

test('[GW2] a server cannot publish an address that means another server', () => {
  const table = new PublicUris();
  const forged = ['mcp-deck://victim/file:///x', 'ui://mcp-deck/victim/app.html', 'MCP-DECK://victim/x'];
  runAtOnce(table.settingLists(lists({ attacker: forged })));
  for (const uri of forged) {
    assert.deepEqual(table.find(table.ofResource({ server: 'attacker', uri })), { server: 'attacker', uri });
    assert.deepEqual(table.find(table.ofResult('attacker', uri)), { server: 'attacker', uri });
  }
});

test('the first server with an address keeps it, and addresses of apps stay addresses of apps', () => {
  const table = new PublicUris();
  const both = { one: ['ui://kit/app.html', 'kit://same'], two: ['ui://kit/app.html', 'kit://same'] };
  runAtOnce(table.settingLists(lists({ two: both.two })));
  runAtOnce(table.settingLists(lists(both)));
  assert.equal(table.ofResource({ server: 'two', uri: 'ui://kit/app.html' }), 'ui://kit/app.html');
  assert.equal(table.ofResource({ server: 'one', uri: 'ui://kit/app.html' }), 'ui://mcp-deck/one/kit/app.html');
  assert.equal(table.ofResource({ server: 'one', uri: 'kit://same' }), 'mcp-deck://one/kit://same');
});

test('[GW2] an address in a result never replaces the address of the server that lists it, now or later', () => {
  const table = new PublicUris();
  assert.equal(table.ofResult('attacker', 'file:///later'), 'file:///later');
  runAtOnce(table.settingLists(lists({ victim: ['file:///later', 'file:///now'] })));
  assert.deepEqual(table.find('file:///later'), { server: 'victim', uri: 'file:///later' });
  assert.equal(table.ofResult('attacker', 'file:///now'), 'mcp-deck://attacker/file:///now');
});

test('[GW2] templates of two servers never fit the same address', () => {
  const table = new PublicUris();
  const victim = { server: 'victim', uris: [], templates: ['file:///{+path}', 'db://{table}'] };
  runAtOnce(table.settingLists([victim]));
  const attacker = {
    server: 'attacker',
    uris: ['file:///secret/a', 'db://users'],
    templates: ['file:///secret/{name}', 'file:///{path}', '{+uri}', 'f{+uri}', 'db://users{?q}', 'own://{a}'],
  };
  for (const order of [
    [victim, attacker],
    [attacker, victim],
  ]) {
    runAtOnce(table.settingLists(order));
    for (const uri of ['file:///secret/a', 'file:///other', 'db://users'])
      assert.deepEqual(table.find(uri), { server: 'victim', uri });
    assert.equal(table.ofTemplate('victim', 'file:///{+path}'), 'file:///{+path}');
    assert.equal(table.ofTemplate('attacker', 'own://{a}'), 'own://{a}');
    for (const template of attacker.templates.slice(0, -1)) {
      const published = table.ofTemplate('attacker', template);
      assert.equal(table.find(published)?.server, 'attacker', template);
    }
    assert.deepEqual(table.find('own://1'), { server: 'attacker', uri: 'own://1' });
    assert.equal(table.find('own://1/2'), undefined, 'a value has no slash');
  }
});

test('[GW2] a scheme leads to a server only if one server lists it and it is not a common one', () => {
  const table = new PublicUris();
  runAtOnce(
    table.settingLists(lists({ one: ['kit://a', 'https://one.example/'], two: ['both://2'], three: ['both://3'] })),
  );
  assert.deepEqual(table.find('kit://b'), { server: 'one', uri: 'kit://b' });
  assert.equal(table.find('https://two.example/'), undefined);
  assert.equal(table.find('both://1'), undefined);
});

test('[GW2] a template that takes long to compare does not keep its address', () => {
  const table = new PublicUris();
  const templates = [`own://a${'{x}-'.repeat(20)}`, `own://b${'{x}-'.repeat(21)}`, `own://c{x}${'y'.repeat(1_000)}`];
  runAtOnce(table.settingLists([{ server: 's', uris: [], templates }]));
  assert.deepEqual(
    templates.map((template) => table.ofTemplate('s', template) === template),
    [true, false, false],
  );
});

test('[GW2] many templates and addresses cost linear work', () => {
  const table = new PublicUris();
  const before = process.cpuUsage().user;
  runAtOnce(
    table.settingLists([
      {
        server: 'one',
        uris: [],
        templates: Array.from({ length: 20_000 }, (_, index) => `x:${'a'.repeat(index % 400)}{v${index}}`),
      },
      {
        server: 'two',
        uris: Array.from({ length: 20_000 }, (_, index) => `x:${'a'.repeat(300)}${index}`),
        templates: [],
      },
    ]),
  );
  for (let index = 0; index < 100; index++) table.find(`x:${'a'.repeat(300)}/${index}`);
  // About 0.5 s; the product of both numbers takes minutes.
  assert.ok(process.cpuUsage().user - before < 15_000_000);
});

test('an address that no server has listed is not found', () => {
  assert.equal(new PublicUris().find('file:///x'), undefined);
});

for (const [what, templateOf] of [
  ['have the same start', (index: number) => `x://{a}/{b}/{c}/{d}/q${index}`],
  ['have starts of different lengths', (index: number) => `x://${'a'.repeat(index % 250)}{a}/q${index}`],
] as const)
  test(`[GW16] 20,000 addresses are looked up among 1,000 templates that ${what}`, () => {
    const addresses = new PublicUris();
    const templates = Array.from({ length: 1_000 }, (_, index) => templateOf(index));
    const before = process.cpuUsage().user;
    runAtOnce(addresses.settingLists([{ server: 's', uris: [], templates }]));
    for (let index = 0; index < 20_000; index++) addresses.ofResult('s', `x://${'a/'.repeat(200)}${index}/nope`);
    // About 0.3 s; to parse each template for each address takes 40 s.
    assert.ok(process.cpuUsage().user - before < 3_000_000);
  });

test('[GW2] a long address in a result has the name of its server, so it need not be remembered', () => {
  const table = new PublicUris();
  const long = `note:${'x'.repeat(3_000)}`;
  runAtOnce(table.settingLists(lists({ one: [], two: [`${long}listed`] })));
  const published = table.ofResult('one', long);
  assert.equal(published, `mcp-deck://one/${long}`);
  assert.deepEqual(table.find(published), { server: 'one', uri: long });
  assert.equal(table.ofResult('two', `${long}listed`), `${long}listed`, 'a list has it');
  assert.equal(table.ofResult('one', 'memo:short'), 'memo:short');
});
