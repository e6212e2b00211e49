import type { Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { until } from '../../../harness/until.ts';
import { intercept } from '../../interception.ts';
import { type Reply, refuse } from '../fake-service.ts';
import { widgetOf } from '../harness.ts';
import { startingAt, widgetRemoved } from '../page-state.ts';
import { harness, STUB } from '../shared-harness.ts';
import { tokenFor } from '../token.ts';

beforeEach(() => harness.service.reset());

// Pages whose first request fails, whose token is not there yet, or whose tag was written by hand.

const inits = () => harness.service.to('init');
const expired = refuse(401, 'Invalid or expired session token');
/** Answers with these one after the other, and then as always: by the number of the request, because a page of an earlier test may still ask. */
const first = (...replies: Reply[]) => {
  const usual = harness.service.init;
  harness.service.init = (request) => replies[inits().length - 1] ?? usual(request);
};
/** Stops the page's clock before its first script: a pause between two requests ends only when the test moves the clock. */
const paused = (page: Page) => page.clock.pauseAt(Date.now() + 1000);
const RENEWING = (token: string) =>
  `<script>window.asked = 0; addEventListener('va-wave:token-expired', () => { window.asked++; vaWave('setSessionToken', '${token}') })</script>`;

describe('what is no decision is repeated, and nothing is on the page before', () => {
  const broken: Reply = { status: 200, body: '{"success":true', cut: true };
  const replies: readonly Reply[] = [
    // A page of a service worker.
    { status: 200, body: '<h1>Offline</h1>' },
    // The browser itself repeats a request on a connection that was open before.
    'hang up',
    'hang up',
    broken,
    { status: 503, body: '<h1>Service unavailable</h1>' },
  ];
  const further: readonly Reply[] = [
    // A page of a firewall.
    { status: 403, body: '<h1>Checking your browser</h1>' },
    refuse(500, 'Internal error'),
    refuse(429, 'Rate limit exceeded', { 'retry-after': '1' }),
  ];
  const cases: readonly [string, readonly Reply[]][] = [
    ['a page of HTML, a reset, half an answer and 503', replies],
    ['403 of a firewall, 500 and 429', further],
  ];
  test.each(byDay(1, cases))('%s, each once', async (_, refused) => {
    first(...refused);
    const { page, widget, logged, settled } = await harness.visit({}, { alone: 'clock', before: paused });
    await settled();
    for (let second = 0; second < 10 && inits().length <= refused.length; second++) {
      expect(await page.locator('va-wave-widget').count()).toBe(0);
      await page.evaluate(`dispatchEvent(new Event('online'))`);
      await page.clock.runFor(1000);
      await settled();
    }
    await widget.launcher.waitFor();
    expect(inits()).toHaveLength(refused.length + 1);
    expect(logged).toEqual([]);
  });

  test('offline, until the browser is online again', async () => {
    harness.service.init = () => refuse(500, 'Internal error');
    const { page, widget, settled } = await harness.visit({}, { alone: 'clock', before: paused });
    await settled();
    await page.context().setOffline(true);
    const attempts: string[] = [];
    page.on('request', (request) => attempts.push(request.url()));
    await page.clock.runFor(60_000);
    expect([inits().length, attempts]).toEqual([1, []]);
    harness.service.reset();
    await page.context().setOffline(false);
    await widget.launcher.waitFor();
    expect(inits()).toHaveLength(1);
  });

  test('five times at most, after pauses that grow, only while the page is visible; then nothing is left', async () => {
    harness.service.init = () => refuse(500, 'Internal error');
    const { page, settled } = await harness.visit({}, { alone: 'clock', before: paused });
    const passed = async (seconds: number) => {
      await page.clock.runFor(seconds * 1000);
      await settled();
      return inits().length;
    };
    await settled();
    expect(await passed(0.4)).toBe(1);
    await page.evaluate(
      `Object.defineProperty(Document.prototype, 'hidden', { get: () => window.isAway, configurable: true }); window.isAway = true`,
    );
    expect(await passed(60)).toBe(1);
    await page.evaluate(`window.isAway = false; document.dispatchEvent(new Event('visibilitychange'))`);
    expect(await passed(0)).toBe(2);
    expect(await passed(1)).toBeLessThanOrEqual(3);
    for (let second = 1; second < 6; second++) await passed(1);
    expect(await passed(1)).toBeLessThanOrEqual(4);
    for (let seconds = 0; seconds < 50; seconds += 5) await passed(5);
    expect(await passed(60)).toBe(6);
    await widgetRemoved(page);
  });

  test('after the time that the service names, also when the browser came online in the pause before', async () => {
    first(refuse(500, 'Internal error'), refuse(429, 'Rate limit exceeded', { 'retry-after': '60' }));
    const { page, settled } = await harness.visit({}, { alone: 'clock', before: paused });
    await settled();
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await settled();
    await page.clock.runFor(59_000);
    await settled();
    expect(inits()).toHaveLength(2);
    // In steps: a request has no answer when the page's clock passes its timeout at once.
    for (let seconds = 0; seconds < 65; seconds += 5) {
      await page.clock.runFor(5000);
      await settled();
    }
    expect(inits()).toHaveLength(3);
  });

  test('not for a visitor who has gone meanwhile', async () => {
    first(refuse(500, 'Internal error'));
    const { page, widget, settled } = await harness.visit({}, { alone: 'clock', before: paused });
    await settled();
    await page.evaluate(`vaWave('setSessionToken', '${tokenFor('site_test')}')`);
    await widget.launcher.waitFor();
    await page.clock.runFor(60_000);
    await settled();
    expect(inits().map(({ headers }) => headers['x-site-id'])).toEqual(['site_test', undefined]);
  });

  test.each([
    ['a refusal', refuse(403, 'Access denied: IP not in allowlist')],
    ['the hourly limit', refuse(429, 'Rate limit exceeded', { 'retry-after': '1800' })],
  ])('%s is final', async (_name, reply) => {
    harness.service.init = () => reply;
    const { page } = await harness.visit();
    await widgetRemoved(page);
    expect(inits()).toHaveLength(1);
  });
});

describe('a token that is not there yet', () => {
  const [old, next] = [tokenFor('site_test', 'old'), tokenFor('site_test', 'new')];
  const service = () => {
    const usual = harness.service.init;
    harness.service.init = (request) => (request.headers['x-session-token'] === next ? usual(request) : expired);
  };

  test('has expired before the loader runs: the documented listener is enough', async () => {
    service();
    const { widget } = await harness.visit({ tag: `data-session-token="${old}"`, head: RENEWING(next) });
    await widget.filledForm();
    await widget.submit();
    expect(inits().map(({ headers }) => headers['x-session-token'])).toEqual([old, next, next]);
  });

  test('arrives after the 5 seconds that a request waits', async () => {
    service();
    const visit = await harness.visit({ tag: `data-session-token="${old}"` }, { alone: 'clock' });
    const { page, widget, settled } = visit;
    await settled();
    await page.clock.runFor(20_000);
    expect(await page.locator('va-wave-widget').count()).toBe(0);
    await page.evaluate(`vaWave('setSessionToken', '${next}')`);
    await widget.launcher.waitFor();
  });

  test('is refused again and again: the page is asked a few times, not for ever', async () => {
    harness.service.init = () => expired;
    const { page, settled } = await harness.visit({ tag: `data-session-token="${old}"`, head: RENEWING(old) });
    await settled();
    expect([await page.evaluate<number>('window.asked'), inits().length]).toEqual([2, 3]);
  });

  test.each([
    ['no credential', ''],
    ['an empty token', 'data-session-token=""'],
  ])('is set after a log-in, on a page whose tag has %s', async (_name, tag) => {
    const { page, widget, settled } = await harness.visit({ tag, head: STUB });
    await settled();
    expect(inits()).toEqual([]);
    await page.evaluate(`vaWave('setSessionToken', '${next}')`);
    await widget.launcher.waitFor();
  });

  test('is set after a log-in, on a page whose tag has the site ID of an assistant in Session Signed', async () => {
    const usual = harness.service.init;
    harness.service.init = (request) =>
      request.headers['x-site-id'] ? refuse(401, 'This site requires session token authentication') : usual(request);
    const { page, widget, settled } = await harness.visit();
    await settled();
    await page.evaluate(`vaWave('setSessionToken', '${next}')`);
    await widget.launcher.waitFor();
  });
});

describe('attributes as people write them', () => {
  const spaces: readonly string[] = [
    'site_test ',
    '\n  site_test\n',
    '\u00a0site_test',
    'site_test\u200b',
    '\ufeffsite_test',
  ];
  test.each(byDay(2, spaces))('data-site-id=%j works, also for a submission', async (siteId) => {
    const { widget } = await harness.visit({ tag: `data-site-id="${siteId}"` });
    await widget.filledForm();
    await widget.submit();
    const [submission] = harness.service.to('submit');
    expect([submission?.path, submission?.headers['x-site-id']]).toEqual([
      '/api/widgets/sites/site_test/forms/contact-us/submit',
      'site_test',
    ]);
  });

  test('a token with a line break works', async () => {
    const token = tokenFor('site_test');
    const { widget } = await harness.visit({ tag: `data-session-token="${token}\n"` });
    await widget.filledForm();
    await widget.submit();
    expect(harness.service.to('submit').map(({ headers }) => headers['x-session-token'])).toEqual([token]);
  });

  test('capitals count in data-theme and data-position', async () => {
    const { widget } = await harness.visit({ tag: 'data-site-id="site_test" data-theme="Dark" data-position="LEFT"' });
    expect((await widget.launcher.boundingBox())?.x).toBe(20);
    expect(await widget.host.locator('.root').getAttribute('class')).toContain('dark');
  });
});

describe('the line of data-debug', () => {
  const NO_DEBUG = ['', 'data-debug="false"', 'data-debug="0"'];
  const DEBUG = ['data-debug', 'data-debug="1"', 'data-debug="TRUE"'];
  test.each([...byDay(1, DEBUG), ...byDay(2, NO_DEBUG)])('is written as %j says', async (attribute) => {
    harness.service.init = () => refuse(401, 'Widget site is disabled');
    const { page, logged, settled } = await harness.visit({ tag: `data-site-id="site_test" ${attribute}` });
    await widgetRemoved(page);
    await settled();
    expect(logged).toHaveLength(DEBUG.includes(attribute) ? 1 : 0);
  });

  const lines = async (tag: string, before: (page: Page) => Promise<unknown>) => {
    const { logged } = await harness.visit({ tag: `${tag} data-debug` }, { before });
    await until(() => logged.some((line) => line.startsWith('[va-wave]')), 10_000);
    return logged.join('\n');
  };
  const SITE = 'data-site-id="site_test"';

  test('names the Domain when the service answers and the browser hides the answers', async () => {
    harness.service.hidden = true;
    const { logged } = await harness.visit({ tag: `${SITE} data-debug` });
    await until(() => logged.some((line) => line.startsWith('[va-wave]') && line.includes('Domain')), 10_000);
  });

  test('does not name the Domain for a connection that breaks once', async () => {
    const line = await lines(SITE, async (page) => {
      const endInterception = await intercept(page, /\/api\//, (route) => {
        endInterception();
        return route.abort('connectionreset');
      });
    });
    expect(line).not.toMatch(/Domain|check the network/);
  });

  test('advises to check the network when nothing answers, although the advice is in the browser’s cache', async () => {
    const line = await lines(SITE, (page) => page.route(/\/api\//, (route) => route.abort('connectionrefused')));
    expect(line).toContain('check the network');
  });

  test.each([
    ['data-site-id=“site_test”', 'without quotation marks'],
    ['', 'Set data-site-id or data-session-token'],
    ['data-session-token="„a.b.c“"', 'without quotation marks'],
  ])('says about %j what is wrong, without a request', async (tag, advice) => {
    const line = await lines(tag, async () => {});
    expect(line).toContain(advice);
    expect(line).not.toMatch(/Domain|network/);
    expect(inits()).toEqual([]);
  });
});

test('a tag that a page has removed while it loaded starts nothing; another tag of the page counts', async () => {
  let arrival = Promise.withResolvers<void>();
  const late = (page: Page) =>
    page.route(/va-wave-widget\.js/, async (route) => {
      await arrival.promise;
      await route.continue();
    });
  const { page, settled } = await harness.visit({ script: '' }, { before: late });
  const removedTag = `void ${startingAt(harness.service.url)}; { const tag = document.querySelector('script[data-site-id]');
    window.hasRun = new Promise((resolve) => { tag.onload = resolve; }); tag.remove(); }`;
  await page.evaluate(removedTag);
  arrival.resolve();
  await page.evaluate('window.hasRun');
  await settled();
  expect([inits().length, await page.evaluate('typeof window.vaWave')]).toEqual([0, 'undefined']);
  arrival = Promise.withResolvers();
  await page.evaluate(`${removedTag}
    const script = document.createElement('script');
    script.dataset.siteId = 'site_other';
    script.src = '${harness.service.url}/static/va-wave-widget.js';
    document.head.append(script)`);
  arrival.resolve();
  await widgetOf(page).launcher.waitFor();
  expect(inits().map(({ headers }) => headers['x-site-id'])).toEqual(['site_other']);
});

test('a page that the browser prerenders asks the service, and reads the draft, only when a visitor comes', async () => {
  const key = 'va-wave:site_test:draft:contact-us';
  const write = (text: string) => `sessionStorage.setItem('${key}', '{"texts":{"message":"${text}"}}')`;
  const { page, widget, settled } = await harness.visit(
    { head: STUB },
    {
      // The browser of the tests prerenders nothing.
      before: (page) =>
        page.addInitScript(`window.prepared = true;
          Object.defineProperty(Document.prototype, 'prerendering', { get: () => window.prepared }); ${write('old')}`),
    },
  );
  await page.evaluate(`vaWave('open', 'contact-us')`);
  await page.waitForFunction('vaWave.isOpen');
  await settled();
  expect(harness.service.received).toEqual([]);
  await page.evaluate(
    `${write('new')}; window.prepared = false; document.dispatchEvent(new Event('prerenderingchange'))`,
  );
  expect(await widget.field('Message').inputValue()).toBe('new');
});
