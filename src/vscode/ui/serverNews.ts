import type { ServersApi } from '../../core/host/hostServers.js';
import { serverLine } from '../../core/present/form/toolView.js';
import type { ServerLine } from '../../shared/panel/itemPage.js';

/** Creates the server line at the top of a page, and remembers the last line that was sent. */
export class ServerNews {
  private lastSent = '';

  /**
   * @param goneText the text that is shown when the server no longer offers the item of the page. It follows the
   * server's name in a sentence.
   */
  constructor(
    private readonly servers: Pick<ServersApi, 'get'>,
    private readonly server: string,
    private readonly goneText: string,
  ) {}

  /** Returns the current line and remembers it as sent. */
  line(isOffered: boolean): ServerLine {
    const view = this.servers.get(this.server);
    const line = serverLine(this.server, view, Date.now());
    const now: ServerLine = view?.features && !isOffered ? { ...line, state: 'failed', text: this.goneText } : line;
    this.lastSent = JSON.stringify(now);
    return now;
  }

  /** Returns the current line if it differs from the last one that was sent. */
  news(isOffered: boolean): ServerLine | undefined {
    const before = this.lastSent;
    const line = this.line(isOffered);
    return this.lastSent === before ? undefined : line;
  }
}
