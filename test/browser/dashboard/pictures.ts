import type { Page } from 'playwright-core';
import { startDashboard } from './started-dashboard.ts';

// Takes the pictures of docs/dashboard.md: `node test/browser/dashboard/pictures.ts`. Look at the pictures before you commit them.

const FOLDER = new URL('../../../docs/images/', import.meta.url).pathname;

const dashboard = await startDashboard();
const shop = await dashboard.addOrganization('shop.example');
const siteId = await shop.addWebsite('--domain', 'www.shop.example', '--rate-limit', '5000');
const fields = ['--field', 'email:Email:Email:required', '--field', 'message:Message:Long text'];
await shop.addAction(siteId, 'Event', 'CRM sync', '--event', 'contact.created');
await shop.addAction(siteId, 'Form', 'Contact us', ...fields);
await shop.addAction(siteId, 'AI-decided', 'Find an order', '--description', 'Finds an order by its number');

async function picture(
  name: string,
  options: { colorScheme: 'light' | 'dark'; width: number; height: number },
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const { colorScheme, width, height } = options;
  const { page } = dashboard.admin;
  await shop.enter();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height });
  await act(page);
  await page.mouse.move(2, height - 2);
  await page.screenshot({ path: `${FOLDER}dashboard-${name}.png`, animations: 'disabled' });
}
const screen = (path: string) => shop.url(`/${siteId}/${path}`);

await picture('deploy', { colorScheme: 'light', width: 1000, height: 900 }, async (page) => {
  await page.goto(screen('deploy'));
  await page.getByLabel('Would this page be allowed?').fill('https://shop.example/bikes');
  await page.getByRole('button', { name: 'Check page' }).click();
  await page.getByText('No: shop.example is not in Allowed Domains').waitFor();
});
await picture('actions', { colorScheme: 'dark', width: 1000, height: 760 }, async (page) => {
  await page.goto(screen('intelligence'));
  await page.getByText('Find an order').waitFor();
});
await picture('test', { colorScheme: 'light', width: 1000, height: 640 }, async (page) => {
  await page.goto(screen('intelligence'));
  await page.getByRole('button', { name: 'Test CRM sync' }).click();
  await page.getByText('Delivered, HTTP status 200').waitFor();
});
await picture('create-action', { colorScheme: 'light', width: 1000, height: 900 }, async (page) => {
  await page.goto(screen('intelligence/new'));
  await page.getByRole('radio', { name: 'Form' }).click();
  await page.getByLabel('Name').fill('Book a test ride');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill('phone');
  await page.getByRole('textbox', { name: 'Label' }).fill('Your phone');
});
await dashboard.stop();
