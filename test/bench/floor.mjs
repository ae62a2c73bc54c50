// The floor: the minimum work of a JavaScript client on the same pipe or socket. It has no timeouts, checks or limits.
// It is not a usable client; all figures are divided by its figures.
import { spawn } from 'node:child_process';

class Core {
  next = 1;
  pending = new Map();
  progress = new Map();
  listener;

  receive(message) {
    if (message.id !== undefined) {
      const open = this.pending.get(message.id);
      this.pending.delete(message.id);
      this.progress.delete(message.id);
      if (message.error) open.reject(message.error);
      else open.resolve(message.result);
    } else if (message.method === 'notifications/progress')
      this.progress.get(message.params.progressToken)?.(message.params);
    else this.listener?.(message);
  }

  request(method, params, onprogress) {
    const id = this.next++;
    if (onprogress) {
      params = { ...params, _meta: { progressToken: id } };
      this.progress.set(id, onprogress);
    }
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), id);
    });
  }

  async open() {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'floor', version: '1' },
    });
    this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return this;
  }

  callTool(name, args, options) {
    return this.request('tools/call', { name, arguments: args }, options?.onprogress);
  }

  async listAllTools() {
    const all = [];
    let cursor;
    do {
      const page = await this.request('tools/list', cursor ? { cursor } : {});
      for (const tool of page.tools) all.push(tool);
      cursor = page.nextCursor;
    } while (cursor);
    return all;
  }

  onNotification(listener) {
    this.listener = listener;
  }
}

/** Each byte is scanned once and copied at most once. */
function splitLines(onLine) {
  let parts = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (parts.length > 0) {
        parts.push(chunk.subarray(start, end));
        const line = Buffer.concat(parts).toString();
        parts = [];
        onLine(line);
      } else onLine(chunk.toString('utf8', start, end));
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  };
}

/** Events as the raw server sends them: one data line each. */
const splitEvents = (onData) => splitLines((line) => line.startsWith('data: ') && onData(line.slice(6)));

export const name = 'floor';

export async function connectStdio(command, args) {
  const core = new Core();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.on(
    'data',
    splitLines((line) => core.receive(JSON.parse(line))),
  );
  core.send = (text) => child.stdin.write(`${text}\n`);
  core.close = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.stdin.end();
    });
  return core.open();
}

/** Loaded only when used: a floor over pipes does not need it. */
async function loadHttp() {
  const { default: http } = await import('node:http');
  return { http, agent: new http.Agent({ keepAlive: true, maxSockets: 128 }) };
}

export async function connectHttp(url) {
  const { http, agent } = await loadHttp();
  const core = new Core();
  const { hostname, port, pathname } = new URL(url);
  const options = { agent, hostname, port, path: pathname, method: 'POST' };
  let session;
  core.send = (text, id) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(text),
    };
    if (session) headers['mcp-session-id'] = session;
    http
      .request({ ...options, headers }, (response) => {
        session ??= response.headers['mcp-session-id'];
        if (id === undefined) response.resume();
        else if (response.headers['content-type'].startsWith('application/json')) {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', () => core.receive(JSON.parse(Buffer.concat(chunks).toString())));
        } else
          response.on(
            'data',
            splitEvents((data) => core.receive(JSON.parse(data))),
          );
      })
      .end(text);
  };
  core.close = async () => undefined;
  return core.open();
}

export async function connectSse(url) {
  const { http, agent } = await loadHttp();
  const core = new Core();
  const { hostname, port, pathname } = new URL(url);
  let stream;
  await new Promise((resolve) => {
    stream = http.get({ hostname, port, path: pathname, agent: false }, (response) => {
      response.on('error', () => undefined);
      let path;
      response.on(
        'data',
        splitEvents((data) => {
          if (path !== undefined) core.receive(JSON.parse(data));
          else {
            path = data;
            resolve();
          }
        }),
      );
      core.send = (text) =>
        http
          .request(
            {
              agent,
              hostname,
              port,
              path,
              method: 'POST',
              headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
            },
            (answer) => answer.resume(),
          )
          .end(text);
    });
    stream.on('error', () => undefined);
  });
  core.close = async () => stream.destroy();
  return core.open();
}

export async function connectWs(url) {
  const { WebSocket } = await import('ws');
  const core = new Core();
  const socket = new WebSocket(url, 'mcp', { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  socket.on('message', (data) => core.receive(JSON.parse(data.toString())));
  core.send = (text) => socket.send(text);
  core.close = async () => socket.close();
  return core.open();
}
