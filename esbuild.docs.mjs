// Creates the documentation for the package: dist/readme.md for the extension page in VS Code, and dist/docs for the
// command "Open Documentation…". It differs from the repository in three ways:
// - Images are removed. The extension page removes all images that do not have an https address, including relative
//   paths and data URLs, and the images would double the size of the package.
// - Links to files that the reader cannot open are replaced by their text.
// - The extension page leaves out the sections for readers who have not installed the extension.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const sectionsOfRepository = ['Try it', 'Install', 'Contributing'];
const source = 'docs';
const target = path.join('dist', 'docs');

/** Writes `dist/readme.md` and `dist/docs/*.md`. */
export function writeDocs() {
  mkdirSync(target, { recursive: true });
  writeFileSync(
    path.join('dist', 'readme.md'),
    shippedPage(withoutSections(readFileSync('README.md', 'utf8')), () => false),
  );
  for (const file of readdirSync(source).filter((name) => name.endsWith('.md'))) {
    writeFileSync(
      path.join(target, file),
      shippedPage(readFileSync(path.join(source, file), 'utf8'), (link) => !link.includes('/')),
    );
  }
}

/** Removes the sections with these titles, each up to the next heading of the same level. */
function withoutSections(text) {
  const sections = text.split(/^(?=## )/m);
  return sections
    .filter((section) => !sectionsOfRepository.some((title) => section.startsWith(`## ${title}\n`)))
    .join('');
}

/** `isReachable` returns whether a relative link works on the page. */
function shippedPage(text, isReachable) {
  return text
    .replace(/^!\[[^\]]*\]\([^)]*\)\n\n?/gm, '')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label, link) =>
      /^(https:|#)/.test(link) || isReachable(link) ? whole : label,
    );
}
