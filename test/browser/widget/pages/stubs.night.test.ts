import { byDay } from '../../../harness/full.ts';
import { startingAt } from '../page-state.ts';
import { harness, STUB } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages that write the line before the script in their own way, and scripts that keep the function which this line makes.

const ways: readonly [string, string][] = [
  ['as documented', STUB],
  [
    'with var',
    '<script>var vaWave = window.vaWave || function () { vaWave.q.push(arguments) }; vaWave.q = []</script>',
  ],
  [
    'as a function that makes its queue with the first call',
    '<script>function vaWave() { (vaWave.q = vaWave.q || []).push(arguments) }</script>',
  ],
  [
    'with methods of its own',
    `<script>window.vaWave = (...call) => { vaWave.q.push(call) }; vaWave.q = [];
      for (const name of ['open', 'close', 'destroy']) vaWave[name] = (...values) => vaWave(name, ...values);</script>`,
  ],
  [
    'in strict mode',
    `<script>'use strict'; window.vaWave = (...call) => { (window.vaWave.q = window.vaWave.q || []).push(call) }</script>`,
  ],
];

const ANOTHER_TAG = startingAt(harness.service.url);

test.each(byDay(4, ways))(
  'a page that writes it %s: no call is lost or causes an error, also of a script that keeps the function',
  async (_way, stub) => {
    const { page, widget, errors } = await harness.visit({
      head: `${stub}<script>const kept = vaWave; kept('prefill', { name: 'Ada' })</script>`,
    });
    await widget.launcher.waitFor();
    await page.evaluate(`kept('open', 'contact-us')`);
    expect(await widget.field('Your name').inputValue()).toBe('Ada');
    await page.evaluate(`vaWave('destroy'); kept('open')`);
    await page.evaluate(ANOTHER_TAG);
    await widget.dialog.waitFor();
    expect(await widget.host.count()).toBe(1);
    expect(errors).toEqual([]);
  },
);

test.each(
  byDay(2, ['var vaWave', 'window.vaWave = []', 'var vaWave = {}', `window.vaWave = ''`, 'function vaWave() {}']),
)('a page with its own `%s` has the widget, and again after destroy and another tag', async (own) => {
  const { page, widget, errors } = await harness.visit({ head: `<script>${own}</script>` });
  await widget.launcher.waitFor();
  await page.evaluate(`vaWave('open')`);
  await widget.dialog.waitFor();
  await page.evaluate(`vaWave('destroy')`);
  await page.evaluate(ANOTHER_TAG);
  await widget.launcher.waitFor();
  expect(errors).toEqual([]);
});
