import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';

// Builds the site of the documents: `npm run docs` writes `docs/site/dist`, with a page for each Markdown file, a list of the pages (docs/README.md) and a search.
// The pages have the order and the anchors that they have in the repository. Files that are no pages are linked in the repository at REPOSITORY_URL; without it, only their text stays.

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(import.meta.dirname, 'dist');
const REPOSITORY_URL = process.env.REPOSITORY_URL;
const INDEX = 'docs/README.md';

const paths = globSync(['*.md', 'docs/*.md', 'docs/decisions/*.md', 'packages/*/README.md', 'bench/**/*.md'], {
  cwd: ROOT,
});
const pages = new Set(paths.filter((path) => !path.includes('node_modules') && path !== 'THIRD-PARTY-NOTICES.md'));

const addressOf = (page: string) =>
  page === 'README.md' ? 'index.html' : page.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');

/** Returns the anchor that GitHub gives a heading that is unique and has no link. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Returns where a link of a page leads on the site, or undefined when it leads nowhere. */
function targetOf(href: string, page: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = posix.join(posix.dirname(page), path);
  const linkedPage = [file, posix.join(file, 'README.md')].find((one) => pages.has(one));
  if (linkedPage === undefined) return REPOSITORY_URL === undefined ? undefined : `${REPOSITORY_URL}/blob/main/${file}`;
  const way = posix.relative(posix.dirname(page), addressOf(linkedPage));
  return anchor === undefined ? way : `${way}#${anchor}`;
}

function markdownOf(page: string): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
      link({ href, tokens }) {
        const target = targetOf(href, page);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
      image({ href, text }) {
        const file = posix.join(posix.dirname(page), href);
        mkdirSync(join(OUT, dirname(file)), { recursive: true });
        copyFileSync(join(ROOT, file), join(OUT, file));
        return `<img src="${href}" alt="${text}" />`;
      },
      code: ({ text, lang }) => (lang === 'mermaid' ? `<pre class="mermaid">${text}</pre>` : false),
    },
  });
}

/** Returns the list of all pages as a page links them, from the headings and list entries of the index. */
function listOfPages(page: string): string {
  const entries = [...readFileSync(join(ROOT, INDEX), 'utf8').matchAll(/^## (.+)$|^- \[(.+?)\]\((.+?)\)/gm)];
  const fromHere = posix.relative(posix.dirname(page), posix.dirname(INDEX)) || '.';
  return entries
    .map(([, heading, text, href]) => {
      if (heading !== undefined) return `<h2>${heading}</h2>`;
      const target = targetOf(posix.join(fromHere, href ?? ''), page);
      return target === undefined ? '' : `<a href="${target}">${text}</a>`;
    })
    .join('\n');
}

function document(page: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const title = /^# (.*)$/m.exec(text)?.[1] ?? 'va-wave';
  const top = posix.relative(posix.dirname(page), '.') || '.';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · va-wave</title>
    <link rel="stylesheet" href="${top}/text.css" />
    <link rel="stylesheet" href="${top}/pagefind/pagefind-component-ui.css" />
    <link rel="stylesheet" href="${top}/site.css" />
    <script type="module" src="${top}/pagefind/pagefind-component-ui.js"></script>
    <script src="${top}/mermaid.min.js" defer></script>
  </head>
  <body>
    <header>
      <a href="${top}/index.html">va-wave</a>
      <pagefind-searchbox></pagefind-searchbox>
    </header>
    <nav aria-label="Pages"><details open><summary>All pages</summary>${listOfPages(page)}</details></nav>
    <script>if (matchMedia('(max-width: 900px)').matches) document.querySelector('nav details').open = false;</script>
    <main data-pagefind-body>
${markdownOf(page).parse(text)}
    </main>
  </body>
</html>
`;
}

rmSync(OUT, { recursive: true, force: true });
for (const page of pages) {
  const file = join(OUT, addressOf(page));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, document(page));
}
copyFileSync(join(ROOT, 'dashboard/public/help/help.css'), join(OUT, 'text.css'));
copyFileSync(join(import.meta.dirname, 'site.css'), join(OUT, 'site.css'));
copyFileSync(join(import.meta.dirname, 'node_modules/mermaid/dist/mermaid.min.js'), join(OUT, 'mermaid.min.js'));
execFileSync(join(import.meta.dirname, 'node_modules/.bin/pagefind'), ['--site', OUT], { stdio: 'inherit' });
