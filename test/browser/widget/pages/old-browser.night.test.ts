import { until } from '../../../harness/until.ts';
import { widgetOf } from '../harness.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

test.each(['CSSStyleSheet.prototype.replaceSync', 'AbortSignal.timeout'])(
  'a browser that lacks %s shows nothing, and data-debug says why',
  async (feature) => {
    const { page, logged, errors } = await harness.visit(
      { tag: 'data-site-id="site_test" data-debug="true"' },
      { before: (page) => page.addInitScript(`delete ${feature}`) },
    );
    await until(() => logged.length === 1);
    expect(logged[0]).toMatch(/^\[va-wave\] cannot start: TypeError: /);
    expect(logged[0]).toContain(feature.split('.').at(-1));
    expect(await widgetOf(page).host.count()).toBe(0);
    expect(errors).toEqual([]);
  },
);
