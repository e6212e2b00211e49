import type { Locator } from 'playwright-core';
import { byDay, full } from '../../harness/full.ts';
import { button, dashboard, page } from './shared-dashboard.ts';
import { askedByClosing, open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('leaving.example');
const other = await dashboard.addOrganization('left.example');
const siteId = await shop.addWebsite();
const event = await shop.addAction(siteId, 'Event', 'Tell the CRM', '--event', 'contact.created');
const tool = await shop.addAction(siteId, 'AI-decided', 'Find an order', '--description', 'Finds an order by number');
const form = await shop.addAction(siteId, 'Form', 'Contact us', '--field', 'email:Email:Email');
const url = (tab: string) => shop.url(`/${siteId}/${tab}`);

/** Every form: one of its fields, its address, its name in the list of what is not saved, and what shows the field. */
type Form = readonly [name: string, path: string, title: string, field: () => Locator, first: () => Promise<void>];
const labelled = (label: string) => () => page.getByLabel(label, { exact: true });
const isThere = async () => undefined;
const chooseTrigger = () => page.getByRole('radio', { name: 'Event' }).click();
const addEntry = async () => {
  await page.getByRole('checkbox', { name: 'Feed the response back' }).click();
  await button('Add entry').click();
};
const FORMS: readonly Form[] = [
  ['the General tab', url('general'), 'General, Website', labelled('Name'), isThere],
  ['the list of domains', url('deploy'), 'Deploy, Website', labelled('New domain'), isThere],
  ['the dialog of a new assistant', shop.url('?new=assistant'), 'New assistant', labelled('Name'), isThere],
  ['a new Action', url('intelligence/new'), 'Action (new) of Website', labelled('Endpoint URL'), chooseTrigger],
  ['a new row', url(`intelligence/${tool}`), 'Action Find an order of Website', labelled('Path of entry 1'), addEntry],
  ['the list of addresses', url('deploy'), 'Deploy, Website', labelled('New address'), isThere],
  ['a copy', url(`intelligence/new?copy=${event}`), 'Action (new) of Website', labelled('Name'), isThere],
  ['an Event Action', url(`intelligence/${event}`), 'Action Tell the CRM of Website', labelled('Name'), isThere],
  ['a text', url(`intelligence/${tool}`), 'Action Find an order of Website', labelled('Description'), isThere],
  ['a stored row', url(`intelligence/${form}`), 'Action Contact us of Website', labelled('Label of field 1'), isThere],
];

/** The ways to leave a form, all of which keep the input. */
const WAYS: readonly (readonly [name: string, leave: () => Promise<unknown>])[] = [
  ['Escape', () => page.keyboard.press('Escape')],
  ['a link', () => page.getByRole('link', { name: 'Members' }).dispatchEvent('click')],
  ['Back', () => page.goBack()],
  ['another organization', () => open(page, other.url(''))],
  ['a reload', () => page.reload()],
];

describe('what is typed', () => {
  beforeAll(() => shop.enter());

  const drafts = () =>
    page.evaluate<string[]>("Object.keys(sessionStorage).filter((name) => name.startsWith('va-wave.draft.'))");
  const saves = button('Save changes');

  // By day each way leaves one form.
  const forms = FORMS.map((form, index) => [...form, full ? WAYS : WAYS.slice(index).slice(0, 1)] as const);
  test.each(byDay(WAYS.length, forms))(
    'in %s stays when the form is left, and is discarded where it is listed',
    async (_, at, title, field, first, ways) => {
      await open(page, shop.url('/members'));
      await page.getByRole('heading', { name: 'Members' }).waitFor();
      await open(page, at);
      await first();
      await field().fill(' \u00a0typed \ufeff');
      await field().press('Tab');
      expect(await field().inputValue()).toBe('typed');
      for (const [name, leave] of ways) {
        await leave();
        await open(page, at);
        expect([name, await field().inputValue()]).toEqual([name, 'typed']);
      }
      // The browser asks only whom it has seen at the keyboard since the page was loaded. A load that follows a refused close may hang.
      await field().press('Tab');
      expect(await askedByClosing(page)).toBe('beforeunload');
      await open(page, other.url(''));
      await page.getByRole('link', { name: `${title} in Corner Shop (${shop.orgId})` }).waitFor();
      await page.getByRole('button', { name: `Discard the input of ${title}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
      await page.getByRole('link', { name: title }).waitFor({ state: 'detached' });
      expect(await drafts()).toEqual([]);
    },
  );

  test('with white space around it is no change, or saved without it', async () => {
    await open(page, url('general'));
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('  Website ');
    expect(await saves.isDisabled()).toBe(true);
    await name.fill('  Web site ');
    await name.press('Enter');
    await page.getByText('Saved.').waitFor();
    expect([await name.inputValue(), await saves.isDisabled(), await drafts()]).toEqual(['Web site', true, []]);
    await name.fill('Website');
    await name.press('Enter');
    await page.getByRole('heading', { name: 'Website', level: 1 }).waitFor();
    // A success that is still shown would be taken for that of the next save.
    await dashboard.admin.context.setOffline(true);
    await name.fill('Never saved');
    await name.press('Enter');
    await page.getByText('No connection to the service').waitFor();
    expect(await page.getByText('Saved.').count()).toBe(0);
    await dashboard.admin.context.setOffline(false);
    await button('Discard changes').click();
    const limit = page.getByLabel('Rate Limit (requests/hour)');
    const refused = page.getByText('Enter a whole number from 1 to');
    for (const typed of byDay(2, ['', '0', '-5', '1.5', '1e3', '0x10', '1,000', '\u0665\u0660', 'Infinity'])) {
      await limit.fill(typed);
      await refused.waitFor({ state: 'detached' });
      await limit.press('Enter');
      await refused.waitFor();
    }
    await limit.fill(' 100 ');
    await limit.press('Tab');
    expect(await drafts()).toEqual([]);
    await open(page, url(`intelligence/${tool}`));
    await page.getByRole('checkbox', { name: 'Feed the response back' }).click();
    for (const row of [1, 2]) {
      await button('Add entry').click();
      await page.getByLabel(`Path of entry ${row}`).fill(' $.state ');
    }
    await page.getByLabel('Name of entry 1').fill('state');
    await page.getByLabel('Name of entry 2').fill(' state');
    await page.getByLabel('Name of entry 2').press('Enter');
    for (const row of [1, 2])
      await page.getByText(`Entry ${row}, Name: Must not be the name of another entry.`).waitFor();
    await page.getByLabel('Name of entry 2').fill(' state2 ');
    await page.getByLabel('Endpoint URL').fill(` ${dashboard.receiver.url('/orders')}\n`);
    await page.getByLabel('Endpoint URL').press('Enter');
    await page.getByText('Find an order was saved.').waitFor();
    expect(await dashboard.vaWave('action', 'show', tool)).toMatchObject({
      url: dashboard.receiver.url('/orders'),
      response_field_map: { state: '$.state', state2: '$.state' },
    });
    expect(await drafts()).toEqual([]);
    expect(dashboard.admin.problems).toEqual([]);
  });
});
