import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';
import { build } from 'vite';
import { HELP_PAGES } from './src/help-pages.ts';

// Builds the dashboard: `node dashboard/build.ts <folder>` writes `<folder>/page` and `<folder>/assets`, which the stack puts below /dashboard/.

const DOCS = join(import.meta.dirname, '../docs');

/** Writes the pages of the help into a folder, without pictures, and the files of examples that they link. Of a link to a document that is no page of the help, only the text stays. */
function writeHelp(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const page of HELP_PAGES) {
    const text = readFileSync(join(DOCS, `${page}.md`), 'utf8');
    writeFileSync(join(folder, `${page}.html`), document(titleOf(text), String(markdown.parse(text))));
  }
  for (const file of linkedExamples) copyFileSync(join(DOCS, file), join(folder, copyName(file)));
}

/** The files of examples that the pages link, added by `link` below. Their copies end with `.txt`, so that a browser shows them instead of saving them. */
const linkedExamples = new Set<string>();
const copyName = (file: string) => `${file.replace('../examples/', '').replaceAll('/', '-')}.txt`;

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
    image: () => '',
    link({ href, tokens }) {
      const linkText = this.parser.parseInline(tokens);
      const [, page, anchor = ''] = /^([\w-]*)(?:\.md)?(#.*)?$/.exec(href) ?? [];
      if (page === '' || HELP_PAGES.some((known) => known === page)) {
        return `<a href="${page === '' ? '' : `${page}.html`}${anchor}">${linkText}</a>`;
      }
      if (/^\.\.\/examples\/[\w/-]+\.\w+$/.test(href)) {
        linkedExamples.add(href);
        return `<a href="${copyName(href)}">${linkText}</a>`;
      }
      return href.startsWith('https://') ? `<a href="${href}">${linkText}</a>` : linkText;
    },
  },
});

const titleOf = (text: string) => /^# (.*)$/m.exec(text)?.[1] ?? 'Help';

/** Returns the anchor that GitHub gives a heading that is unique and has no link, so that the links with `#` in the documents work here too. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const document = (title: string, body: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <script src="/dashboard/theme.js"></script>
    <title>${title} · va-wave</title>
    <link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/dashboard/help/help.css" />
  </head>
  <body>
    <main>
${body}
    </main>
  </body>
</html>
`;

const [, , out] = process.argv;
if (out === undefined) throw new Error('Usage: node dashboard/build.ts <folder>');

await build({
  root: import.meta.dirname,
  base: '/dashboard/',
  configFile: false,
  logLevel: 'error',
  // Without it, Vite would look for a PostCSS configuration in the folders around the clone.
  css: { postcss: {} },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'es2023',
    // Inlines nothing, because the page's policy allows only files of its own origin and no data: URLs.
    assetsInlineLimit: 0,
    // Every browser that the dashboard supports preloads modules itself.
    modulePreload: { polyfill: false },
  },
});

writeHelp(join(out, 'help'));

// Two folders for two deployments: browsers may cache files with hashed names without limit, and must not cache the others.
const page = join(out, 'page');
mkdirSync(page);
for (const name of readdirSync(out)) {
  if (name !== 'assets' && name !== 'page') renameSync(join(out, name), join(page, name));
}
