// A caller of both eras for the benchmark of the gateway. It checks and validates as little as possible.
import http from 'node:http';

const prefix = 'io.modelcontextprotocol/';
const meta = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientCapabilities`]: {},
  [`${prefix}clientInfo`]: { name: 'bench', version: '1' },
};

export class Caller {
  constructor(era, { url, token }) {
    this.isModern = era === 'modern';
    this.url = new URL(url);
    this.token = token;
    this.agent = new http.Agent({ keepAlive: true });
    this.lastId = 0;
  }

  /** A caller after its handshake. */
  static async open(era, target) {
    const caller = new Caller(era, target);
    if (era === 'legacy') {
      const clientInfo = { name: 'bench', version: '1' };
      await caller.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      await caller.post('notifications/initialized', { jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    return caller;
  }

  async request(method, params = {}) {
    const id = ++this.lastId;
    const whole = this.isModern ? { ...params, _meta: meta } : params;
    const { result, error } = await this.post(method, { jsonrpc: '2.0', id, method, params: whole }, params.name);
    if (error) throw new Error(error.message);
    return result;
  }

  post(method, message, name) {
    const body = JSON.stringify(message);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
      ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
      ...(this.isModern ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method } : {}),
      ...(this.isModern && name !== undefined ? { 'mcp-name': name } : {}),
      ...(this.session === undefined ? {} : { 'mcp-session-id': this.session }),
    };
    return this.send('POST', headers, body);
  }

  send(method, headers, body) {
    const { hostname, port, pathname } = this.url;
    return new Promise((resolve, reject) => {
      const options = { agent: this.agent, hostname, port, path: pathname, method, headers };
      const request = http.request(options, (response) => {
        this.session ??= response.headers['mcp-session-id'];
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('end', () => resolve(text === '' ? {} : JSON.parse(text)));
      });
      request.on('error', reject).end(body);
    });
  }

  async close() {
    if (this.session !== undefined)
      await this.send('DELETE', { 'mcp-session-id': this.session, authorization: `Bearer ${this.token}` });
    this.agent.destroy();
  }
}
