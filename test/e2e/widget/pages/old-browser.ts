import { until } from '../../../harness/until.ts';
import { widgetOf } from '../harness.ts';
import { harness } from '../shared-harness.ts';

test('a browser that lacks a feature of the widget shows nothing, and data-debug says why', async () => {
  const { page, logged, errors } = await harness.visit(
    { tag: 'data-site-id="site_test" data-debug="true"' },
    { before: (page) => page.addInitScript('delete CSSStyleSheet.prototype.replaceSync') },
  );
  await until(() => logged.length === 1);
  expect(logged[0]).toMatch(/^\[va-wave\] the widget cannot start: TypeError: .*replaceSync/);
  expect(await widgetOf(page).host.count()).toBe(0);
  expect(errors).toEqual([]);
});
