import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { atFailedTest } from '../../harness/failed-test.ts';

const INSTALLED = [
  process.env.CHROME_PATH ?? '',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A page of a test lives for seconds. V8's optimizing compilers would take more time than they save. */
const UNOPTIMIZED = '--js-flags=--no-maglev --no-opt';

/**
 * Starts an installed Chrome or Chromium, or the one from the npm package.
 * @param further additional arguments of the browser
 */
export async function launchBrowser(further: readonly string[] = []): Promise<Browser> {
  // The root user of a container cannot use the sandbox. These tests load only their own pages.
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', UNOPTIMIZED, ...further];
  const installed = INSTALLED.find((path) => path !== '' && existsSync(path));
  if (installed !== undefined) return chromium.launch({ executablePath: installed, args });
  const folder = await unpackedChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [...args, '--headless=shell'],
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  });
}

/** Lines of a console that a failed test shows. A page of the dashboard lives for many tests. */
const CONSOLE_MAX_LINES = 200;

/** Opens a context, for a visitor without stored data. When a test fails, the error names a folder with a picture and the console of each of its pages. */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  context.on('page', (page) => {
    const lines: string[] = [];
    page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => lines.push(`uncaught: ${error.stack}`));
    consoles.set(page, lines);
    page.once('close', () => consoles.delete(page));
  });
  return context;
}

const consoles = new Map<Page, string[]>();
atFailedTest((folder) =>
  Promise.all(
    [...consoles].map(async ([page, lines], index) => {
      const path = join(folder, `page-${index + 1}`);
      writeFileSync(`${path}.txt`, [page.url(), ...lines.slice(-CONSOLE_MAX_LINES)].join('\n'));
      // A page that hangs has no picture.
      await page.screenshot({ path: `${path}.png`, timeout: 10_000 }).catch(() => undefined);
    }),
  ),
);

/**
 * Unpacks the browser into a new folder and then renames the folder in one step. The package accepts any file with the right name, so of
 * two test processes that unpack at the same time, one could otherwise start an incomplete browser. The folder belongs to this
 * repository, because another user could put a program at a known path of the shared temporary folder.
 */
async function unpackedChromium(): Promise<string> {
  const manifest = new URL('../../../node_modules/@sparticuz/chromium/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const cache = fileURLToPath(new URL('../../../node_modules/.cache/va-wave', import.meta.url));
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(join(folder, 'chromium'))) return folder;
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, 'unpack-'));
  const script = 'await (await import("@sparticuz/chromium")).default.executablePath()';
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: own },
  });
  writeFileSync(join(own, 'fonts.conf'), fontsOf(folder, join(cache, 'fonts')));
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(join(folder, 'chromium'))) throw error;
  }
  return folder;
}

/**
 * Returns a font configuration. The package's own configuration names folders of another system, and a machine may have no fonts.
 * @param cache outside of the browser's folder, because a browser that outlives its test would otherwise make that folder again
 */
function fontsOf(folder: string, cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${cache}</cachedir>
</fontconfig>
`;
}
