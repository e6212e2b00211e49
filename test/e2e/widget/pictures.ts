import type { BrowserContextOptions, Page } from 'playwright-core';
import { CONTACT_FORM, INIT } from './fake-service.ts';
import { startHarness, widgetOf } from './harness.ts';

/** Takes the pictures of the documentation: `node test/e2e/widget/pictures.ts`. Look at them before they are committed. */

const FOLDER = new URL('../../../docs/images/', import.meta.url).pathname;
const STYLE = `<style>
  :root { color-scheme: light dark }
  body { margin: 0; padding: 40px; background: light-dark(#f5f6f3, #111512); color: light-dark(#1b211c, #e8ede9); font: 17px/1.6 system-ui, sans-serif }
  h1 { font-size: 40px; line-height: 1.1; margin: 0 0 12px; letter-spacing: -.02em }
  p { max-width: 300px; margin: 0 }
</style>`;

const HEBREW = [
  { ...CONTACT_FORM, name: 'צרו קשר', fields: hebrew() },
  { slug: 'call', name: 'התקשרו אליי', fields: [] },
];

function hebrew() {
  const labels = ['שם', 'דואר אלקטרוני', 'טלפון', 'כמה אופניים?', 'הודעה'];
  return CONTACT_FORM.fields.map((field, index) => ({ ...field, label: labels[index] ?? field.label }));
}

const harness = await startHarness();

async function picture(
  name: string,
  act: (page: Page) => Promise<unknown>,
  options: BrowserContextOptions = {},
  html = 'lang="en"',
): Promise<void> {
  const { page } = await harness.visit(
    { head: STYLE, html, body: '<main><h1>Northwind Bikes</h1><p>We build bikes for cities.</p></main>' },
    { viewport: { width: 780, height: 740 }, ...options },
  );
  await widgetOf(page).launcher.waitFor();
  await act(page);
  await page.mouse.move(5, 700);
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${FOLDER}widget-${name}.png` });
}

const form = async (page: Page) => widgetOf(page).openForm();

await picture('closed', async () => {});
await picture('open', (page) => widgetOf(page).launcher.click());
await picture('error', async (page) => {
  await form(page);
  await widgetOf(page).field('Your name').fill('Ada Lovelace');
  await widgetOf(page).field('Email').fill('ada@');
  await widgetOf(page).field('Message').fill('Twelve bikes, please.');
  await widgetOf(page).send.click();
});
await picture('sent', async (page) => {
  await form(page);
  await widgetOf(page).fill();
  await widgetOf(page).send.click();
  await widgetOf(page).host.getByText('Thank you!').waitFor();
});
await picture('dark', form, { colorScheme: 'dark' });
await picture('mobile', form, { viewport: { width: 390, height: 740 }, deviceScaleFactor: 1 });
await picture('forced-colors', form, { forcedColors: 'active' });
harness.service.init = () => ({ status: 200, body: { ...INIT, forms: HEBREW } });
await picture('rtl', (page) => widgetOf(page).openForm('צרו קשר'), {}, 'lang="he" dir="rtl"');
await harness.stop();
