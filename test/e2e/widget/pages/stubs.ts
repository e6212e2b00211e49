import { byDay, harness, STUB } from '../shared-harness.ts';

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
    'in strict mode',
    `<script>'use strict'; window.vaWave = (...call) => { (window.vaWave.q = window.vaWave.q || []).push(call) }</script>`,
  ],
];

test.each(byDay(3, ways))(
  'a page that writes it %s: no call is lost or causes an error, also of a script that keeps the function',
  async (_way, stub) => {
    const { page, widget, errors } = await harness.visit({
      head: `${stub}<script>const kept = vaWave; kept('prefill', { name: 'Ada' })</script>`,
    });
    await widget.launcher.waitFor();
    await page.evaluate(`kept('open', 'contact-us')`);
    expect(await widget.field('Your name').inputValue()).toBe('Ada');
    await page.evaluate(`vaWave('destroy'); kept('open')`);
    await page.evaluate(`{ const tag = document.createElement('script'); tag.src = '${harness.service.url}/static/va-wave-widget.js';
      tag.dataset.siteId = 'site_test'; document.head.append(tag); }`);
    await widget.dialog.waitFor();
    expect(await widget.host.count()).toBe(1);
    expect(errors).toEqual([]);
  },
);

test.each(byDay(1, ['[]', '{}', `''`, 'function () {}']))(
  'a page whose own vaWave is %s has the widget',
  async (value) => {
    const { page, widget, errors } = await harness.visit({ head: `<script>window.vaWave = ${value}</script>` });
    await widget.launcher.waitFor();
    await page.evaluate(`vaWave('open')`);
    await widget.dialog.waitFor();
    expect(errors).toEqual([]);
  },
);
