import { literalStart, templateMatcher } from '../protocol/templateMatch.js';

/** Maximum number of characters of the literal start that are compared; limits the time of a search. */
const maxStart = 255;

/** Maximum length and number of expressions of a template that keeps its URI: every URI in a result may be compared. */
const maxLength = 1_000;
const maxExpressions = 20;

/** Maximum number of templates of one server that keep their URI. */
const maxOfServer = 1_000;

/** Maximum number of templates with one literal start; a URI is compared with each of them. */
const maxOfStart = 50;

/** Maximum number of different lengths of literal starts; the start of a URI is looked up for each of them. */
const maxStartLengths = 50;

interface OwnedTemplate {
  server: string;
  template: string;
  fits: (uri: string) => boolean;
}

/**
 * The templates that clients see unchanged. If a URI could match templates of two servers, only one of these templates
 * is unchanged. So a URI matches unchanged templates of at most one server.
 */
export class TemplateOwners {
  /** The templates by the start of their literal text. All templates with one start belong to one server. */
  private readonly byStart = new Map<string, OwnedTemplate[]>();
  private readonly startLengths = new Set<number>();
  /** The starts, sorted. */
  private readonly starts: string[] = [];
  private readonly counts = new Map<string, number>();

  /** Whether clients may see the template unchanged. */
  claim(server: string, template: string): boolean {
    const start = literalStart(template).slice(0, maxStart);
    // Without a literal scheme, the template would match URIs of every server.
    if (!/^[a-z][a-z0-9+.-]*:./i.test(start)) return false;
    if (template.length > maxLength || template.split('{', maxExpressions + 2).length > maxExpressions + 1)
      return false;
    const there = this.byStart.get(start);
    if (there?.[0]?.server === server && there.some((one) => one.template === template)) return true;
    const count = this.counts.get(server) ?? 0;
    const isFull = there
      ? there.length >= maxOfStart
      : !this.startLengths.has(start.length) && this.startLengths.size >= maxStartLengths;
    if (isFull || count >= maxOfServer || this.overlapsOther(server, start)) return false;
    this.counts.set(server, count + 1);
    const owned = { server, template, fits: templateMatcher(template) };
    if (there) there.push(owned);
    else {
      this.byStart.set(start, [owned]);
      this.startLengths.add(start.length);
      this.starts.splice(this.placeOf(start), 0, start);
    }
    return true;
  }

  /** The server whose templates may match the URI, according to their literal starts. */
  couldOwn(uri: string): string | undefined {
    for (const length of this.startLengths) {
      const there = this.byStart.get(uri.slice(0, length))?.[0];
      if (there && uri.length >= length) return there.server;
    }
    return undefined;
  }

  /** The server with a template that matches the URI. */
  ownerOf(uri: string): string | undefined {
    for (const length of this.startLengths)
      for (const { server, fits } of this.byStart.get(uri.slice(0, length)) ?? []) if (fits(uri)) return server;
    return undefined;
  }

  /** Whether a template of another server has a start that begins with this start, or that this start begins with. */
  private overlapsOther(server: string, start: string): boolean {
    const isOther = (one: string | undefined) => one !== undefined && this.byStart.get(one)?.[0]?.server !== server;
    for (const length of this.startLengths) {
      const shorter = start.slice(0, length);
      if (this.byStart.has(shorter) && isOther(shorter)) return true;
    }
    for (let place = this.placeOf(start); this.starts[place]?.startsWith(start) === true; place++)
      if (isOther(this.starts[place])) return true;
    return false;
  }

  /** The index of the start in `starts`, or the index at which to insert it. */
  private placeOf(start: string): number {
    let [from, to] = [0, this.starts.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.starts[middle] ?? '') < start) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
