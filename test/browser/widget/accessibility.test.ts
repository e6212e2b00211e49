import { byDay } from '../../harness/full.ts';
import { refuse } from './fake-service.ts';
import type { VisitOptions } from './harness.ts';
import { flaws, focused } from './page-state.ts';
import { atLauncher, harness } from './shared-harness.ts';
import { tokenFor } from './token.ts';

beforeEach(() => harness.service.reset());

// What a page needs of accessibility in every browser. By night, `accessibility.night.test.ts` has the rest.

describe('keyboard', () => {
  test('the launcher is a button with a name, and states which element it controls and whether that is open', async () => {
    const { page, widget } = await harness.visit();
    const launcher = page.getByRole('button', { name: 'Help and contact' });
    expect(await launcher.evaluate((node) => node.localName)).toBe('button');
    expect(await launcher.getAttribute('aria-expanded')).toBe('false');
    expect(await launcher.getAttribute('aria-haspopup')).toBe('dialog');
    await launcher.click();
    expect(await launcher.getAttribute('aria-expanded')).toBe('true');
    expect(await launcher.getAttribute('aria-controls')).toBe(await widget.dialog.getAttribute('id'));
    await page.getByRole('dialog', { name: 'How can we help?' }).waitFor();
  });

  test('Enter and Space open the panel and move the focus into it; Escape closes it and returns the focus', async () => {
    const { page, widget } = await atLauncher();
    for (const key of ['Enter', 'Space']) {
      await page.keyboard.press(key);
      await widget.dialog.waitFor();
      expect(await focused(page)).toBe('How can we help?');
      await page.keyboard.press('Escape');
      await widget.dialog.waitFor({ state: 'hidden' });
      expect(await focused(page)).toBe('Help and contact');
      expect(await widget.launcher.getAttribute('aria-expanded')).toBe('false');
    }
  });
});

describe('axe finds nothing (WCAG 2.2 AA)', () => {
  const token = `data-session-token="${tokenFor('site_test')}"`;
  const modes: [string, VisitOptions][] = [
    ['light', {}],
    ['dark and 320 px wide', { colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
    ['forced colors', { forcedColors: 'active' }],
    ['200 % zoom', { viewport: { width: 640, height: 400 } }],
  ];

  test.each(byDay(1, modes))('closed, open, form, error, expired and sent: %s', async (_mode, options) => {
    harness.service.submit = () => refuse(401, 'Invalid or expired session token');
    const { page, widget } = await harness.visit({ tag: token }, { ...options, alone: 'clock' });
    await widget.launcher.waitFor();
    const found: Record<string, readonly string[]> = {};
    const check = async (state: string) => {
      await page.clock.runFor(300);
      found[state] = await flaws(page, options.forcedColors === 'active');
    };
    await check('closed');
    await widget.launcher.click();
    await check('open');
    await widget.topic('Contact us').click();
    await check('form');
    await widget.send.click();
    await check('error');
    await widget.fill();
    await widget.send.click();
    await widget.status.getByText('Renewing').waitFor();
    await check('renewing');
    await page.clock.fastForward(5000);
    await widget.alert.getByText('expired').waitFor();
    await check('expired');
    harness.service.reset();
    await widget.submit();
    await check('sent');
    expect(found).toEqual({ closed: [], open: [], form: [], error: [], renewing: [], expired: [], sent: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
