import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = [
  process.env.CHROME_PATH ?? '',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Starts an installed Chrome or Chromium, else the one that comes as an npm package.
 * @param further arguments of the browser besides the usual ones
 */
export async function launchBrowser(further: readonly string[] = []): Promise<Browser> {
  // A container's root cannot use the sandbox; what these tests load is their own.
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', ...further];
  const installed = INSTALLED.find((path) => path !== '' && existsSync(path));
  if (installed !== undefined) return chromium.launch({ executablePath: installed, args });
  const folder = await unpackedChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [...args, '--headless=shell'],
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  });
}

/**
 * The package takes any file of the right name for a finished one, so two test processes that unpack side by side would start
 * half a browser. Unpacked in a folder of its own, which then takes its final name in one step.
 */
async function unpackedChromium(): Promise<string> {
  const manifest = new URL('../../../node_modules/@sparticuz/chromium/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const folder = join(tmpdir(), `va-wave-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(join(tmpdir(), 'va-wave-unpack-'));
  const script = 'await (await import("@sparticuz/chromium")).default.executablePath()';
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: own },
  });
  writeFileSync(join(own, 'fonts.conf'), fontsOf(folder));
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package's own font list names folders of another system; a bare machine may have no font at all. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
