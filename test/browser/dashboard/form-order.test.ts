import * as z from 'zod';
import { button, dashboard, page } from './shared-dashboard.ts';
import { open } from './started-dashboard.ts';

const answer = z.object({
  forms: z.array(z.object({ name: z.string(), fields: z.array(z.object({ key: z.string() })) })),
});
const shop = await dashboard.addOrganization('form-order.example');
const siteId = await shop.addWebsite('--allowed-domain', 'shop.example');
for (const name of ['Contact us', 'Book a ride', 'Ask for a price']) {
  const fields = ['name:Name:Text', 'email:Email:Email', 'note:Note:Long text'];
  await shop.addAction(siteId, 'Form', name, ...fields.flatMap((field) => ['--field', field]));
}

/** Tests that the keyboard moves forms and fields, and that the widget shows them in this order. */
describe('the order of forms and fields', () => {
  beforeAll(async () => {
    await shop.enter();
    await open(page, shop.url(`/${siteId}/intelligence`));
  });

  async function shownForms(): Promise<{ readonly name: string; readonly fields: string }[]> {
    const response = await fetch(`${dashboard.service.baseUrl}/api/widget/init`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-site-id': siteId, origin: 'https://shop.example' },
      body: '{"begin_conversation": false}',
    });
    const { forms } = answer.parse(await response.json());
    return forms.map(({ name, fields }) => ({ name, fields: fields.map(({ key }) => key).join(' ') }));
  }

  test('shows forms in the order of their creation, and moves them with the keyboard', async () => {
    expect((await shownForms()).map(({ name }) => name)).toEqual(['Contact us', 'Book a ride', 'Ask for a price']);
    const menu = button('More for Ask for a price');
    const choose = async (...keys: string[]) => {
      for (const key of ['Enter', ...keys]) await page.keyboard.press(key);
      await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    };
    const hasFocus = () => page.waitForFunction(`document.activeElement.ariaLabel === 'More for Ask for a price'`);
    await menu.focus();
    await choose('ArrowDown', 'Enter');
    await page.getByText('Ask for a price is form 2 of 3').waitFor();
    await hasFocus();
    expect((await shownForms()).map(({ name }) => name)).toEqual(['Contact us', 'Ask for a price', 'Book a ride']);
    await choose('Enter');
    await page.getByText('Ask for a price is form 1 of 3').waitFor();
    await hasFocus();
    expect((await shownForms()).map(({ name }) => name)).toEqual(['Ask for a price', 'Contact us', 'Book a ride']);
    // The menu says why a command is not possible.
    await menu.press('Enter');
    expect(await page.getByRole('menuitem', { name: 'Move up' }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    expect(dashboard.admin.problems).toEqual([]);
  });

  test('moves fields up and down, and saves the order', async () => {
    await button('Edit Contact us').click();
    const up = button('Move Note up');
    await up.press('Enter');
    await up.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await button('Move Name down').click();
    await button('Save changes').click();
    await page.getByText('Contact us was saved').waitFor();
    const contact = (await shownForms()).find(({ name }) => name === 'Contact us');
    expect(contact?.fields).toBe('note email name');
  });
});
