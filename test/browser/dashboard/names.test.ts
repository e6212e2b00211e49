import type { Locator } from 'playwright-core';
import { byDay } from '../../harness/full.ts';
import { button, dashboard, discard, page } from './shared-dashboard.ts';
import { open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('names.example');
const siteId = await shop.addWebsite();
const form = await shop.addAction(siteId, 'Form', 'First', '--field', 'email:Email:Email');
const screen = (path: string) => shop.url(`/${siteId}${path}`);

/**
 * Returns the characters of the element with the id `seen` that no user of a right-to-left script has typed, in the order of the text and in
 * the order in which they stand on the screen, line by line.
 */
const ORDERS = `(() => {
  const shown = [];
  const walker = document.createTreeWalker(document.getElementById('seen'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    for (let at = 0; at < data.length; at++) {
      if (/[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{M}\\p{Cf}\\s]/u.test(data[at])) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const { left, top, bottom } = range.getBoundingClientRect();
      shown.push({ character: data[at], left, middle: (top + bottom) / 2 });
    }
  }
  const sorted = shown.toSorted((a, b) => (Math.abs(a.middle - b.middle) < 6 ? a.left - b.left : a.middle - b.middle));
  return [shown, sorted].map((all) => all.map(({ character }) => character).join(''));
})()`;
const expectInOrder = async (place: string, sentence: Locator) => {
  const id = await sentence.evaluate((node) => {
    const { id } = node;
    node.id = 'seen';
    return id;
  });
  const [text = '', seen] = await page.evaluate<readonly string[]>(ORDERS);
  await page.locator('#seen').evaluate((node, id) => {
    node.id = id;
  }, id);
  expect(text).toMatch(/[a-z]{2}/);
  expect([place, seen]).toEqual([place, text]);
};

/** Names that are not written from left to right, and a second one, which stands beside the first. */
const NAMES: readonly (readonly [first: string, second: string])[] = [
  ['\u05e9\u05dc\u05d5\u05dd!', '\u05e2\u05d5\u05dc\u05dd?'],
  ['\u05e9\u05dc\u05d5\u05dd', '\u05e2\u05d5\u05dc\u05dd'],
  ['\u0645\u062a\u062c\u0631 7', '\u0645\u062a\u062c\u0631 8'],
  ['\u05e9\u05dc\u05d5\u05dd\u200f', '\u200f\u061c\u05e2\u05d5\u05dc\u05dd'],
];

/** Tests that the names of a user stand in a sentence without turning it. */
describe('a name from right to left', () => {
  beforeAll(() => shop.enter());

  test.each(byDay(1, NAMES))('turns no sentence: %j, %j', async (first, second) => {
    await dashboard.vaWave('assistant', 'update', siteId, '--name', first);
    await dashboard.vaWave('org', 'update', shop.orgId, '--name', second);
    await dashboard.vaWave('action', 'update', form, '--name', first);
    await page.goto(screen('/intelligence'));
    await page.getByRole('checkbox', { name: `${first.trim()} enabled` }).click();
    await expectInOrder('a switch', page.getByText(/ is (on|off)\.$/).last());
    await button(`More for ${first}`).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await expectInOrder('a deletion', dialog.getByRole('heading'));
    await dialog.getByRole('button', { name: 'Cancel' }).last().click();
    await button(`Test ${first}`).click();
    await expectInOrder('a test', dialog.getByRole('heading'));
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await open(page, screen(`/intelligence/${form}`));
    await page.getByLabel('Name', { exact: true }).fill(second);
    await open(page, shop.url(''));
    await expectInOrder('a form that is not saved', page.getByRole('link', { name: /^Action / }));
    await page.getByRole('button', { name: /^Account of / }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await expectInOrder('the logout', dialog.getByText(/^Action /));
    await dialog.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('button', { name: /^Organization / }).click();
    for (const item of await page.getByRole('menuitem', { name: ', admin' }).all()) {
      await expectInOrder('the organizations', item);
    }
    await page.keyboard.press('Escape');
    await open(page, screen(`/intelligence/${form}`));
    await dashboard.vaWave('action', 'update', form, '--name', '\u05d0\u05d1');
    await button('Save changes').click();
    await page.getByText('The operator changed this Action while you were editing').waitFor();
    await expectInOrder('a conflict', page.locator('li', { hasText: 'yours' }));
    await button('Keep my changes').click();
    await button('Save changes').click();
    await expectInOrder('a save', page.getByText(/ was saved\.$/));
    await open(page, shop.url('/audit'));
    await expectInOrder('the audit trail', page.getByText(/^Name: /).first());
  });
});

test.each(byDay(1, ['\u202e', '\u202b', '\u2067', '\u2069', '\u2028']))(
  'a name that would turn what follows is refused: %j',
  async (hostile) => {
    await open(page, screen('/general'));
    await page.getByLabel('Name', { exact: true }).fill(`Shop${hostile}nimda`);
    await button('Save changes').click();
    await page.getByText('Must not contain the invisible character U+20').waitFor();
    await button('Discard changes').click();
    await open(page, screen('/intelligence/new'));
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByLabel('Name', { exact: true }).fill(`Form${hostile}x`);
    await button('Add field').click();
    await page.getByLabel('Label of field 1').fill(`Label${hostile}x`);
    await page.getByLabel('Endpoint URL').fill('https://crm.example/');
    await button('Create Action').click();
    await page.getByText('Field 1, Label: Must not contain the invisible character U+20').waitFor();
    expect(await page.getByText('Must not contain the invisible character U+20').count()).toBe(2);
    await discard();
  },
);
