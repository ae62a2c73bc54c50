import type { AppDomains } from '../../../core/apps/appPolicy.js';
import { appPolicy } from '../../../core/apps/appPolicy.js';
import type { PageFrame } from '../../ui/pageHtml.js';
import { attribute } from '../../ui/pageHtml.js';

/**
 * The document of the page around an app. The frame in it is made from text (`srcdoc`), and such a document inherits the
 * policy of the page around it: there is no way to give a frame more than its page has, and pages that show tools and
 * results run nothing but our own script (security requirement V1). So an app has a webview of its own, whose policy is
 * the app's, plus the place that our two files come from. The app's document brings the same policy without that place
 * (`appDocument`); both hold, so what the app can reach is what its server declared.
 *
 * Nothing of the server is part of this document: it comes by message and goes into the frame, or is text.
 */
export function appHtml({ cspSource, script, styles, language, title }: PageFrame, domains: AppDomains): string {
  const links = styles.map((style) => `<link rel="stylesheet" href="${attribute(style)}">`).join('\n');
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(appPolicy(domains, [cspSource]))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${attribute(title)}</title>
${links}
</head>
<body>
<script type="module" src="${attribute(script)}"></script>
</body>
</html>
`;
}
