// The documentation as it ships: dist/readme.md for the page of the extension in VS Code, and dist/docs for the command
// "Open Documentation…". Three things differ from the repository:
//   Pictures are left out. The page of the extension removes every picture that is not at an https address, a relative path
//   or a data: address included, and the pictures would double the size of the package.
//   A link to a file that the reader cannot reach from there becomes its text.
//   The page of the extension has no sections for readers who have the repository and not yet the extension.
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

/** Leaves out the sections with these titles, each up to the next heading of its level. */
function withoutSections(text) {
  const sections = text.split(/^(?=## )/m);
  return sections
    .filter((section) => !sectionsOfRepository.some((title) => section.startsWith(`## ${title}\n`)))
    .join('');
}

/** `isReachable` says whether a relative link works where the page is shown. */
function shippedPage(text, isReachable) {
  return text
    .replace(/^!\[[^\]]*\]\([^)]*\)\n\n?/gm, '')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label, link) =>
      /^(https:|#)/.test(link) || isReachable(link) ? whole : label,
    );
}
