import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';
import type { GalleryPage } from './galleryPage.js';

/** "Find a Server…": finds servers in registries, and installs them. Loaded on first use. */
export const galleryFeature: Feature = {
  name: 'find a server',
  register(deck): Disposable {
    const store = new DisposableStore();
    let page: GalleryPage | undefined;
    store.add(
      deck.commands.defineCommand(commandIds.findServer, async () => {
        const { openGalleryPage } = await import('./galleryPage.js');
        if (page && !page.isClosed) page.reveal();
        else page = openGalleryPage(deck);
      }),
    );
    store.add({ dispose: () => page?.dispose() });
    return store;
  },
};
