import type { AppDomains } from '../../../core/apps/appPolicy.js';
import { appPolicy } from '../../../core/apps/appPolicy.js';
import type { PageFrame } from '../../ui/pageHtml.js';
import { documentOf } from '../../ui/pageHtml.js';

/**
 * The document of the page around an app. The frame in it is made from text (`srcdoc`), and such a document inherits the
 * policy of the page around it: there is no way to give a frame more than its page has, and pages that show tools and
 * results run nothing but our own script (security requirement V1). So an app has a webview of its own, whose policy is
 * the app's, plus the place that our two files come from. The app's document brings the same policy without that place
 * (`appDocument`); both hold, so what the app can reach is what its server declared.
 *
 * Nothing of the server is part of this document: it comes by message and goes into the frame, or is text.
 */
export function appHtml(frame: PageFrame, domains: AppDomains): string {
  return documentOf(frame, appPolicy(domains, [frame.cspSource]));
}
