import { pageScript } from '../page-script.ts';
import { harness, STUB } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages whose own dialogs keep the focus by a library.

const DIALOG = `<main><h1>Shop</h1></main><div id="own" role="dialog" aria-label="Pay" style="position:fixed;inset:40px;background:#fff">
  <input aria-label="Card"><button onclick="vaWave('open', 'contact-us')">Help</button></div>`;

test('focus-trap, which the page pauses while the panel is open, as docs/widget.md says', async () => {
  const script = pageScript(`
    import { createFocusTrap } from 'focus-trap';
    const trap = createFocusTrap('#own');
    trap.activate();
    addEventListener('va-wave:open', () => trap.pause());
    addEventListener('va-wave:close', () => trap.unpause());
  `);
  const { page, widget, errors } = await harness.visit({
    head: STUB,
    body: `${DIALOG}<script src="/trap.js"></script>`,
    files: { '/trap.js': script },
  });
  await page.waitForFunction('vaWave.isOpen');
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await widget.field('Your name').click();
  await page.keyboard.type('Ada');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ada@example.com');
  expect([await widget.field('Your name').inputValue(), await widget.field('Email').inputValue()]).toEqual([
    'Ada',
    'ada@example.com',
  ]);
  await widget.button('Close').click();
  await page.getByLabel('Card').click();
  await page.keyboard.type('4');
  for (let step = 0; step < 4; step++) await page.keyboard.press('Tab');
  expect(await page.evaluate(`own.contains(document.activeElement)`)).toBe(true);
  expect(errors).toEqual([]);
});

test('a library that hides everything beside its dialog from screen readers', async () => {
  const { page, widget } = await harness.visit({ head: STUB, body: DIALOG });
  await widget.launcher.waitFor();
  await page.evaluate(
    `for (const other of document.body.children) if (other !== own) other.setAttribute('aria-hidden', 'true')`,
  );
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await page.getByRole('dialog', { name: 'Contact us' }).waitFor();
  await widget.fill();
  await widget.submit();
});
