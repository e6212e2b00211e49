import type { Page } from 'playwright-core';
import { pageScript } from '../page-script.ts';
import { framesDrawn } from '../page-state.ts';
import { harness, STUB } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages that switch their language or their theme while they stand, also after they have replaced their body.

/** A view that counts how often it is mounted. */
const VIEW = `${STUB}<script>window.mounts = 0; vaWave('conversation', { mount() { window.mounts++; } })</script>`;
const launcherIs = (page: Page, name: string) => page.locator('va-wave-widget').getByLabel(name).first().waitFor();
const language = (page: Page, lang: string) => page.evaluate(`document.documentElement.lang = '${lang}'`);

test('a page that switches its language has the panel in the new one, with its form and its draft, by no further init', async () => {
  const { page, widget, errors } = await harness.visit();
  await widget.openForm();
  await widget.field('Message').fill('Twelve bikes');
  const inits = harness.service.to('init').length;
  await language(page, 'de');
  await widget.button('Senden').waitFor();
  expect(await widget.field('Message').inputValue()).toBe('Twelve bikes');
  await language(page, 'ar');
  await page.locator('va-wave-widget [dir=rtl]').waitFor({ state: 'attached' });
  expect([await page.evaluate('vaWave.isOpen()'), await widget.host.count()]).toEqual([true, 1]);
  expect(harness.service.to('init')).toHaveLength(inits);
  expect(errors).toEqual([]);
});

test('a page that switches back at once keeps its language, whichever texts arrive last', async () => {
  const { page, widget, settled } = await harness.visit();
  await widget.launcher.waitFor();
  for (const lang of ['de', 'fr', 'en']) await language(page, lang);
  await framesDrawn(page);
  await settled();
  await launcherIs(page, 'Help and contact');
});

test.each(['en-GB', 'EN', ''])('a page in English that writes its language as %j mounts no view anew', async (lang) => {
  const { page, widget, settled } = await harness.visit({ head: VIEW });
  await widget.launcher.click();
  await page.waitForFunction('window.mounts === 1');
  await language(page, lang);
  await framesDrawn(page);
  await settled();
  expect(await page.evaluate('window.mounts')).toBe(1);
});

test('a page that switches the direction of its text, between languages that the widget does not have, has the launcher on the other side', async () => {
  const { page, widget } = await harness.visit({ html: 'lang="fa" dir="rtl"' });
  expect((await widget.launcher.boundingBox())?.x).toBe(20);
  await page.evaluate(`document.documentElement.lang = 'hi'; document.documentElement.dir = 'ltr'`);
  await page.locator('va-wave-widget [dir=ltr]').waitFor({ state: 'attached' });
  expect((await widget.launcher.boundingBox())?.x).toBe(920);
});

test('data-language stays when the page switches', async () => {
  const { page, settled } = await harness.visit({ tag: 'data-site-id="site_test" data-language="de"' });
  await launcherIs(page, 'Hilfe und Kontakt');
  await language(page, 'fr');
  await framesDrawn(page);
  await settled();
  await launcherIs(page, 'Hilfe und Kontakt');
});

test('a page with Turbo switches language and theme with the page that follows, and with a button on it', async () => {
  const document = (lang: string, title: string) =>
    `<!doctype html><html lang="${lang}"><head><title>${title}</title><script src="/turbo.js"></script></head>
     <body><h1>${title}</h1><a href="/de">Deutsch</a>${harness.tag()}</body></html>`;
  const { page, widget } = await harness.visit({
    document: document('en', 'Shop'),
    files: { '/turbo.js': pageScript(`import '@hotwired/turbo'`), '/de': document('de', 'Laden') },
  });
  await widget.launcher.waitFor();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await launcherIs(page, 'Hilfe und Kontakt');
  expect(await page.locator('va-wave-widget .dark').count()).toBe(0);
  await page.evaluate(`document.body.style.colorScheme = 'dark'`);
  await page.locator('va-wave-widget .dark').waitFor({ state: 'attached' });
});
