import type { AppDomains } from '../../../core/apps/appPolicy.js';
import { appPolicy } from '../../../core/apps/appPolicy.js';
import type { PageFrame } from '../../ui/pageHtml.js';
import { documentOf } from '../../ui/pageHtml.js';

/**
 * The HTML document of the page around an app. The page shows the app in a frame with a `srcdoc` document. Such a
 * document inherits the content security policy of its page, so a frame cannot get more permissions than its page.
 * Pages that show tools and results run only the extension's script (security requirement V1). Therefore each app has
 * its own webview with the policy of the app plus the origin of the extension's script and styles. The document of the
 * app has the same policy without that origin (`appDocument`). Both policies apply, so the app can reach only the
 * origins that its server declared.
 *
 * This document contains no server content. Server content arrives in messages and is put into the frame or shown as
 * text.
 */
export function appHtml(frame: PageFrame, domains: AppDomains): string {
  return documentOf(frame, appPolicy(domains, [frame.cspSource]));
}
