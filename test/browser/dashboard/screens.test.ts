import { full } from '../../harness/full.ts';
import { button, dashboard, discard, page } from './shared-dashboard.ts';
import { flaws, open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('screens.example');
const siteId = await shop.addWebsite('--mode', 'Session Signed');
for (const name of ['Contact us', 'Book a ride']) {
  const fields = ['--field', 'email:Email:Email:required', '--field', 'note:Note:Long text'];
  await shop.addAction(siteId, 'Form', name, ...fields);
}

/** Tests every screen with axe, the page's policy, and a narrow phone without sideways scrolling. */
describe('every screen', () => {
  beforeAll(() => shop.enter());

  // The other parts look at many screens in light at 1200 pixels.
  const looks = [
    ['dark', 320],
    ['light', 1200],
    ['light', 320],
    ['dark', 1200],
  ] as const;

  test('is correct in a dark color scheme on a narrow phone, and in the other looks', async () => {
    const found: string[] = [];
    let screens = 0;
    // By day, each kind of part is seen in one screen.
    const look = async (screen: string, when?: 'by night') => {
      screens++;
      if (when === 'by night' && !full) return;
      for (const [colorScheme, width] of full ? looks : looks.slice(0, 1)) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        found.push(...(await flaws(page)).map((flaw) => `${screen}, ${colorScheme}, ${width}: ${flaw}`));
      }
    };
    const dialog = page.getByRole('dialog');

    await page.getByRole('link', { name: 'Website', exact: true }).waitFor();
    await look('assistants', 'by night');
    await button('Create assistant').click();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Is required.').waitFor();
    await look('create assistant, refused');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open(page, shop.url('/members'));
    await page.getByRole('row', { name: /admin@shops.example Admin since/ }).waitFor();
    await page.getByRole('row', { name: /member@screens.example Member since/ }).waitFor();
    await look('members');
    await open(page, shop.url(''));
    await page.getByRole('link', { name: 'Website', exact: true }).click();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByLabel('Name').waitFor();
    await look('general', 'by night');
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page.getByRole('heading', { name: 'Mint session tokens' }).waitFor();
    await page.getByText('The service accepted no request').waitFor();
    await look('deploy, Session Signed');
    // The colors of the visitor's system show which tab is selected, too.
    await page.emulateMedia({ forcedColors: 'active' });
    const outlines = await page
      .getByRole('tab')
      .evaluateAll((tabs): string[] => tabs.map((tab) => tab.computedStyleMap().get('outline-style').toString()));
    expect(outlines.slice(0, 3)).toEqual(['none', 'solid', 'none']);
    await page.emulateMedia({ forcedColors: 'none' });
    await button('Generate Server Secret').click();
    await page.getByText('Copy the server secret now').waitFor();
    await button('Done').click();
    await page.getByText('The secret would be lost').waitFor();
    await look('server secret, shown once');
    await page.getByLabel('I have stored it').click();
    await button('Done').click();
    await button('Regenerate Server Secret').click();
    await page.getByText('Regenerate the server secret?').waitFor();
    await look('regenerate?', 'by night');
    await dialog.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('radio', { name: 'Allowed Websites' }).click();
    // The list of a new assistant contains its Domain.
    await button('Remove shop.example').waitFor();
    await look('deploy, Allowed Websites', 'by night');
    await button('Remove shop.example').click();
    await page.getByText('Allowed Domains is empty.').first().waitFor();
    await look('deploy, empty list');
    await button('Discard changes').click();
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await button('Test Contact us').click();
    await page.getByText('Delivered, HTTP status 200').waitFor();
    await look('test');
    await page.keyboard.press('Escape');
    await look('actions');
    await button('More for Contact us').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Delete Contact us?').waitFor();
    await look('delete?', 'by night');
    await dialog.getByRole('button', { name: 'Cancel' }).last().click();
    await button('Edit Contact us').click();
    await button('Move Note up').waitFor();
    await look('edit Action, Form');
    await button('Cancel').click();
    await button('Create Action').first().click();
    for (const trigger of ['Event', 'AI-decided']) {
      await page.getByRole('radio', { name: trigger }).click();
      if (trigger === 'Event') await button('What your endpoint receives').click();
      await look(`create Action, ${trigger}`, 'by night');
    }
    await discard();
    await open(page, shop.url('/audit'));
    await page.getByText('Generated a server secret for the assistant').waitFor();
    await look('audit trail');
    await open(page, shop.url('/site_aaaaaaaaaaaaaaaaaaaa/general'));
    await page.getByText('This no longer exists.').waitFor();
    await look('no such assistant', 'by night');
    expect(found).toEqual([]);
    expect(screens).toBe(17);
    expect(dashboard.admin.problems).toEqual([]);
  });

  test('has a policy that allows nothing inline and nothing from other origins', async () => {
    const response = await fetch(shop.url('/any/screen'));
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'self'; connect-src 'self' /);
    expect(policy).not.toMatch(/unsafe|\*|data:|blob:/);
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|style=/);
    expect(html).toContain('The dashboard is loading. If it does not appear, reload the page.');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect((await fetch(`${dashboard.service.baseUrl}/dashboard/missing.js`)).status).toBe(403);
  });
});
