import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { startDemo } from '../../../local/demo/demo.ts';
import { startLocalCloud } from '../../../local/local-cloud.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { serviceAssembly } from '../../service/acceptance/assembly.ts';
import { launchBrowser } from './browser.ts';
import { CONTACT_FORM, INIT } from './fake-service.ts';
import { startHarness, type VisitOptions, widgetOf } from './harness.ts';

// Takes the pictures of the documentation: `node test/browser/widget/pictures.ts`. Look at the pictures before you commit them.

const FOLDER = new URL('../../../docs/images/', import.meta.url).pathname;
const STYLE = `<style>
  :root { color-scheme: light dark }
  body { margin: 0; padding: 40px; background: light-dark(#f5f6f3, #111512); color: light-dark(#1b211c, #e8ede9); font: 17px/1.6 system-ui, sans-serif }
  h1 { font-size: 40px; line-height: 1.1; margin: 0 0 12px; letter-spacing: -.02em }
  p { max-width: 300px; margin: 0 }
</style>`;

const HEBREW = ['שם', 'דואר אלקטרוני', 'טלפון', 'כמה אופניים?', 'הודעה'];
const JAPANESE = ['お名前', 'メールアドレス', '電話番号', '自転車の台数', 'メッセージ'];

function translated(name: string, labels: readonly string[]) {
  const fields = CONTACT_FORM.fields.map((field, index) => ({ ...field, label: labels[index] ?? field.label }));
  return [
    { ...CONTACT_FORM, name, fields },
    { slug: 'call', name: '—', fields: [] },
  ];
}

const harness = await startHarness();

async function picture(
  name: string,
  act: (page: Page) => Promise<unknown>,
  options: VisitOptions = {},
  html = 'lang="en"',
  head = '',
): Promise<void> {
  const { page, settled } = await harness.visit(
    { head: STYLE + head, html, body: '<main><h1>Northwind Bikes</h1><p>We build bikes for cities.</p></main>' },
    { viewport: { width: 780, height: 740 }, ...options },
  );
  await widgetOf(page).launcher.waitFor();
  await act(page);
  await page.mouse.move(5, 700);
  await settled();
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
await picture('mobile', form, { viewport: { width: 390, height: 740 } });
await picture('forced-colors', form, { forcedColors: 'active' });
await conversationPicture('conversation', {});
await conversationPicture('conversation-mobile', { viewport: { width: 390, height: 740 }, colorScheme: 'dark' });
harness.service.init = () => ({ status: 200, body: { ...INIT, forms: translated('צרו קשר', HEBREW) } });
await picture('rtl', (page) => widgetOf(page).openForm('צרו קשר'), {}, 'lang="he" dir="rtl"');
harness.service.init = () => ({ status: 200, body: { ...INIT, forms: translated('お店に連絡する', JAPANESE) } });
await japanesePicture();
await harness.stop();
await demoPicture();

/** Takes the Japanese picture with the font in the file that `JAPANESE_FONT` names. An installed font would change the other pictures. */
async function japanesePicture(): Promise<void> {
  const file = process.env.JAPANESE_FONT;
  if (file === undefined) return console.log('JAPANESE_FONT is not set: the Japanese picture is not taken.');
  const font = `<style>@font-face { font-family: ja; src: url(/ja.ttf) } :root { --va-wave-font: system-ui, ja }</style>`;
  const before = (page: Page) => page.route('**/ja.ttf', (route) => route.fulfill({ path: file }));
  await picture('japanese', (page) => widgetOf(page).openForm('お店に連絡する'), { before }, 'lang="ja"', font);
}

/** Takes a picture of the example view with the answer of the demo's backend. */
async function conversationPicture(name: string, options: VisitOptions): Promise<void> {
  const view = readFileSync(new URL('../../../examples/conversation-view/view.js', import.meta.url), 'utf8');
  const head = `<script type="module">${view.replace('export function', 'function')}
    window.vaWave||((window.vaWave=(...call)=>{vaWave.q.push(call)}).q=[]);
    vaWave('conversation', conversationView({ url: '/conversation' }))</script>`;
  const before = (page: Page) =>
    page.route('**/conversation/*', (route) => {
      const isTurn = route.request().url().endsWith('/turns');
      const messages = isTurn ? [{ from: 'assistant', text: 'Order 1001 is ready for pick-up.' }] : [];
      return route.fulfill({ json: { messages, ended: false } });
    });
  const act = async (page: Page) => {
    await widgetOf(page).launcher.click();
    const input = widgetOf(page).host.getByRole('textbox', { name: 'Write a message' });
    await input.fill('Where is order 1001?');
    await input.press('Enter');
    await widgetOf(page).host.getByText('ready for pick-up').waitFor();
  };
  await picture(name, act, { ...options, before }, 'lang="en"', head);
}

/** Takes a picture of the demo: a member asks the assistant, and the signed requests that follow arrive. */
async function demoPicture(): Promise<void> {
  const cloud = await startLocalCloud({ data: temporaryFolder(), assembly: await serviceAssembly() });
  const demo = await startDemo(cloud);
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(demo.urls.members ?? '');
  await widgetOf(page).launcher.click();
  const input = widgetOf(page).host.getByRole('textbox', { name: 'Write a message' });
  await input.fill('Where is order 1001?');
  await input.press('Enter');
  await widgetOf(page).host.getByText('ready for pick-up').waitFor();
  await page.locator('.request', { hasText: 'message.sent' }).waitFor();
  await page.locator('.request', { hasText: 'usage report' }).waitFor();
  await page.locator('.request', { hasText: 'conversation.started' }).waitFor();
  await page.screenshot({ path: `${FOLDER}demo.png`, animations: 'disabled' });
  await browser.close();
  await demo.stop();
  await cloud.stop();
}
