// Skills served by the official SDK 2.x: its own implementation of the extension, which shares no code with
// fixtures/servers/skills.mjs. Both eras, over stdio or HTTP:
//   node test/support/interopSkills.mjs <folder of skills> stdio | http     its files, two skills to a page
//   node test/support/interopSkills.mjs <folder of skills> stdio lying      each file is read with one byte changed
// The tool `reload` reads the folder again. http prints `listening <url>`.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [folder, way, mode] = process.argv.slice(2);
let handler;
const catalog = mode === 'lying' ? await lyingSkills() : await loadSkills(folder, { pageSize: 2 });

/** One skill with a correct entry, whose file returns different content of the same length. */
async function lyingSkills() {
  const text = readFileSync(path.join(folder, 'alpha', 'SKILL.md'), 'utf8');
  const entry = await skillEntry('alpha', { 'SKILL.md': text });
  return new SkillsExtension({
    source: {
      list: () => Promise.resolve({ skills: [entry] }),
      get: (uri) => Promise.resolve(uri === entry.uri ? entry : undefined),
      read: () => Promise.resolve({ text: `${text.slice(0, -1)}!`, mimeType: 'text/markdown' }),
    },
  });
}

function createServer() {
  const server = new McpServer(
    { name: 'interop-skills', version: '1.0.0' },
    { capabilities: { resources: { listChanged: true } } },
  );
  catalog.attach(server);
  server.registerTool('reload', { description: 'Reads the folder again' }, async () => {
    const { listChanged } = await catalog.reload();
    if (listChanged) handler?.notify.resourcesChanged();
    return { content: [{ type: 'text', text: String(listChanged) }] };
  });
  return server;
}

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answer = await handler.fetch(
    new Request(new URL(request.url, `http://${request.headers.host}`), {
      method: request.method,
      headers: request.headers,
      ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) Readable.fromWeb(answer.body).pipe(response);
  else response.end();
}

if (way === 'stdio') {
  serveStdio(createServer);
} else {
  handler = createMcpHandler(createServer, { legacy: 'stateless' });
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(`listening http://127.0.0.1:${server.address().port}/mcp`));
}
