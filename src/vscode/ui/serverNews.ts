import type { ServersApi } from '../../core/host/hostServers.js';
import { serverLine } from '../../core/present/form/toolView.js';
import type { ServerLine } from '../../shared/toolPanel.js';

/** The line about the server at the head of a page, and what the page was told of it last. */
export class ServerNews {
  private told = '';

  /**
   * @param goneText said when the server has no longer what the page is about; completes a sentence that begins with
   * the server.
   */
  constructor(
    private readonly servers: Pick<ServersApi, 'get'>,
    private readonly server: string,
    private readonly goneText: string,
  ) {}

  /** As it is now, and told with it. */
  line(isOffered: boolean): ServerLine {
    const view = this.servers.get(this.server);
    const line = serverLine(this.server, view, Date.now());
    const now: ServerLine = view?.offer && !isOffered ? { ...line, state: 'failed', text: this.goneText } : line;
    this.told = JSON.stringify(now);
    return now;
  }

  /** The same, where it is another than was told last. */
  news(isOffered: boolean): ServerLine | undefined {
    const before = this.told;
    const line = this.line(isOffered);
    return this.told === before ? undefined : line;
  }
}
