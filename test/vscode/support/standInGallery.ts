/** Replaces the page *Find a Server*: the test sends the messages of the page. */
import { Channel } from '../../../src/shared/channel.js';
import type { GalleryFromPage, GalleryToPage, SourceLine } from '../../../src/shared/galleryPage.js';
import type { AnyPage } from './standInPages.js';
import { standIn } from './standInPages.js';

export class StandInGallery implements AnyPage {
  isClosed = false;
  readonly channel: Channel<GalleryFromPage, GalleryToPage>;
  /** The last state of the sources that the page received. */
  sources: readonly SourceLine[] | undefined;
  note: string | undefined;

  constructor(post: (frame: unknown) => void) {
    const keep = ({ sources, note }: { sources: readonly SourceLine[]; note?: string }) => {
      this.sources = sources;
      this.note = note;
    };
    this.channel = new Channel<GalleryFromPage, GalleryToPage>({
      post,
      handlers: {
        notices: { show: keep, changed: keep, progress: () => undefined, focusSearch: () => undefined },
        requests: {},
      },
      onBadFrame: () => undefined,
    });
  }
}

/** Active until `restore`. */
export function standInGalleries(): { pages: StandInGallery[]; restore(): void } {
  return standIn((post) => new StandInGallery(post));
}
