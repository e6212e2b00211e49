import type { Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { until } from '../../../harness/until.ts';
import { INIT, type Reply, refuse } from '../fake-service.ts';
import type { VisitOptions } from '../harness.ts';
import { focused, RECORD_ANNOUNCEMENTS } from '../page-state.ts';
import { harness } from '../shared-harness.ts';
import { userToken } from '../token.ts';

beforeEach(() => harness.service.reset());

// Visitors who hear the page, look away, or leave while it sends.

const SENT: Reply = { status: 200, body: { success: true, submission_id: 'submission-1' } };

type Scene = Awaited<ReturnType<typeof harness.visit>> & {
  /** Clicks the button that sends, and waits for the request. */
  readonly send: () => Promise<void>;
  /** Answers the request that waits. */
  readonly answer: (reply: Reply) => void;
};
const FAILED = refuse(502, 'The submission could not be delivered');
const EXPIRED = refuse(401, 'Invalid or expired session token');
const TEXTS = {
  sent: 'Your message has been sent.',
  failed: 'Your message could not be delivered. Please try again.',
  busy: 'Too many messages. Please wait a minute and try again.',
  offline: 'We could not be reached. Please check your connection and try again.',
  online: 'The connection is back. You can send now.',
  renewing: 'Renewing your session…',
  expired: 'Your session has expired. Reload the page; what you typed is kept.',
  renewed: 'Your session has been renewed. You can send now.',
  invalid: 'Please check the marked fields.',
};
const sendsAndHears = (reply: Reply) => async (scene: Scene) => {
  await scene.send();
  scene.answer(reply);
};
const closedMeanwhile = (reply: Reply) => async (scene: Scene) => {
  await scene.send();
  await scene.page.keyboard.press('Escape');
  scene.answer(reply);
};
const PHONE = { viewport: { width: 390, height: 664 } };

/** A situation, what happens in it, and what is announced, in this order. */
const announcements: readonly [string, VisitOptions, (scene: Scene) => Promise<unknown>, readonly string[]][] = [
  ['a form is sent while the panel is closed', {}, closedMeanwhile(SENT), [TEXTS.sent]],
  ['a form fails while the panel is closed', {}, closedMeanwhile(FAILED), [TEXTS.failed]],
  [
    'messages are unread, and the panel opens in the same task',
    {},
    async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.evaluate("vaWave('unread', 3); vaWave('open')");
    },
    ['Unread messages: 3'],
  ],
  [
    'a form fails twice, and the panel is closed and opened again on a phone',
    PHONE,
    async (scene) => {
      await sendsAndHears(FAILED)(scene);
      await scene.widget.alert.getByText(TEXTS.failed).waitFor();
      await sendsAndHears(FAILED)(scene);
      await scene.widget.alert.getByText(TEXTS.failed).waitFor();
      await scene.page.keyboard.press('Escape');
      await scene.widget.launcher.click();
    },
    [TEXTS.failed, TEXTS.failed],
  ],
  [
    'the session expires, and is renewed later',
    { alone: 'clock' },
    async (scene) => {
      await sendsAndHears(EXPIRED)(scene);
      await scene.widget.status.getByText(TEXTS.renewing).waitFor();
      await scene.page.clock.fastForward(5000);
      await scene.widget.alert.getByText(TEXTS.expired).waitFor();
      await scene.page.evaluate(`vaWave.setSessionToken('${userToken('ada')}')`);
      await scene.widget.status.getByText(TEXTS.renewed).waitFor();
    },
    [TEXTS.renewing, TEXTS.expired, TEXTS.renewed],
  ],
  [
    'the connection breaks and is back, a text becomes too long, and messages are unread',
    {},
    async (scene) => {
      // A browser repeats by itself what was hung up.
      harness.service.submit = () => 'hang up';
      await scene.widget.send.click();
      await scene.widget.alert.getByText(TEXTS.offline).waitFor();
      await scene.page.evaluate("dispatchEvent(new Event('online'))");
      for (const length of [5001, 5002, 12, 5003]) await scene.widget.field('Message').fill('x'.repeat(length));
      await scene.page.evaluate("vaWave('unread', 120); vaWave('unread', 120); vaWave('unread', 0)");
    },
    [
      TEXTS.offline,
      TEXTS.online,
      'Too long. Characters to remove: 1',
      'Too long. Characters to remove: 3',
      'Unread messages: 99+',
    ],
  ],
  ['a form is sent while the panel is open', {}, sendsAndHears(SENT), [TEXTS.sent]],
  ['forms come too often', PHONE, closedMeanwhile(refuse(429, 'Rate limit exceeded')), [TEXTS.busy]],
  [
    'a form is sent with a token that the page renews at once',
    {},
    async (scene) => {
      await sendsAndHears(EXPIRED)(scene);
      await scene.widget.status.getByText(TEXTS.renewing).waitFor();
      await scene.page.evaluate(`vaWave.setSessionToken('${userToken('ada')}')`);
      await until(() => harness.service.to('submit').length === 2);
      scene.answer(SENT);
    },
    [TEXTS.renewing, TEXTS.sent],
  ],
  [
    'a form is sent empty, then filled, and is changed while it is sent',
    {},
    async ({ widget, send, answer }) => {
      await widget.field('Your name').fill('');
      await widget.send.click();
      await widget.field('Your name').fill('Grace');
      await send();
      await widget.field('Your name').fill('Grace Hopper');
      answer(SENT);
    },
    [TEXTS.invalid, 'Your message has been sent without your last change.'],
  ],
];
test.each(byDay(6, announcements))(
  '%s: each announcement is made once, in order',
  async (_, options, act, expected) => {
    let answer: (reply: Reply) => void = () => undefined;
    harness.service.submit = () => new Promise((resolve) => (answer = resolve));
    const tag = `data-session-token="${userToken('ada')}"`;
    const scene = await harness.visit(expected[0] === TEXTS.renewing ? { tag } : {}, options);
    const { page, widget } = scene;
    await widget.filledForm();
    await page.evaluate(`${RECORD_ANNOUNCEMENTS}(document.querySelector('va-wave-widget').shadowRoot)`);
    const send = async () => {
      const { length } = harness.service.to('submit');
      await widget.send.click();
      await until(() => harness.service.to('submit').length === length + 1);
    };
    await act({ ...scene, send, answer: (reply) => answer(reply) });
    const announced = () => page.evaluate<readonly string[]>('announcements');
    await until(async () => (await announced()).length >= expected.length);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await announced()).toEqual(expected);
    // The browser gives screen readers the same text, in one live region that is not hidden.
    const devtools = await page.context().newCDPSession(page);
    const { nodes } = await devtools.send('Accessibility.getFullAXTree');
    const regions = nodes.filter(({ properties }) =>
      properties?.some(({ name, value }) => name === 'live' && value.value),
    );
    const textsOf = (id: string): readonly string[] =>
      nodes
        .filter((node) => node.parentId === id)
        .flatMap((node) => (node.role?.value === 'StaticText' ? [String(node.name?.value)] : textsOf(node.nodeId)));
    expect(regions.map(({ role, ignored, nodeId }) => [role?.value, ignored, textsOf(nodeId)])).toEqual([
      ['status', false, (await widget.live.textContent()) === '' ? [] : [expected.at(-1)]],
    ]);
  },
);

test.each([
  ['is sent', SENT, ''],
  ['fails', FAILED, TEXTS.failed],
  ['comes too often', refuse(429, 'Rate limit exceeded'), TEXTS.busy],
])(
  'the launcher says until the panel is open that a form %s meanwhile, if that needs the visitor',
  async (_, reply, text) => {
    let answer: (reply: Reply) => void = () => undefined;
    harness.service.submit = () => new Promise((resolve) => (answer = resolve));
    const { page, widget } = await harness.visit();
    await widget.filledForm();
    await widget.send.click();
    await until(() => harness.service.to('submit').length === 1);
    await page.keyboard.press('Escape');
    answer(reply);
    await until(async () => (await widget.live.textContent()) === (text || TEXTS.sent));
    expect(await widget.launcher.getAttribute('aria-label')).toBe(`Help and contact${text && `. ${text}`}`);
    expect(await widget.host.locator('.badge').textContent()).toBe(text && '!');
    await widget.launcher.click();
    expect(await widget.launcher.getAttribute('aria-label')).toBe('Help and contact');
  },
);

test('in the accessibility tree the live region is there before it speaks, in the modal panel of a phone too', async () => {
  const { widget } = await harness.visit({}, { viewport: { width: 390, height: 664 } });
  await widget.launcher.waitFor();
  expect(await widget.host.getByRole('status').count()).toBe(1);
  await widget.openForm();
  expect(await widget.dialog.getByRole('status').count()).toBe(1);
  await widget.fill();
  await widget.send.click();
  await widget.dialog.getByRole('status').getByText('Your message has been sent.').waitFor();
});

test.each(
  byDay(2, [
    [320, 256],
    [1366, 768],
    [390, 380],
    [683, 384],
    [390, 664],
  ]),
)('at %i x %i the reason of a failure is in view beside the button', async (width, height) => {
  harness.service.submit = () => refuse(502, 'The submission could not be delivered');
  const { page, widget } = await harness.visit({}, { viewport: { width, height } });
  await widget.filledForm();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await widget.alert.getByText('could not be delivered').waitFor();
  const [notice, button] = [await widget.alert.boundingBox(), await widget.send.boundingBox()];
  const bar = (await widget.host.locator('.bar').boundingBox()) ?? { y: 0, height: 0 };
  expect(notice?.y).toBeGreaterThanOrEqual(bar.y + bar.height - 1);
  expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThanOrEqual(height);
  expect(notice?.y).toBeLessThan(button?.y ?? 0);
  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(height);
});

const FIELD = '<input id="search" style="position:fixed; right:60px; bottom:120px; width:200px">';
test('Escape closes the panel from the page, unless the page has used the key', async () => {
  const body = `<input id="other"><input id="used" onkeydown="event.preventDefault()">`;
  const { page, widget } = await harness.visit({ body });
  await widget.launcher.click();
  await page.focus('#used');
  await page.keyboard.press('Escape');
  expect(await widget.dialog.isVisible()).toBe(true);
  await page.focus('#other');
  await page.keyboard.press('Escape');
  await widget.dialog.waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.activeElement.id')).toBe('other');
});

test('the focus of the page is never wholly under the panel or the launcher', async () => {
  const body = `${FIELD}<a id="last" href="#" style="position:fixed; right:30px; bottom:35px">Go</a>`;
  const { page, widget } = await harness.visit({ body });
  const isOnTop = (selector: string) =>
    page.evaluate<boolean>(`(() => {
      const element = document.querySelector('${selector}');
      const { x, y, width, height } = element.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === element;
    })()`);
  await widget.openForm();
  expect(await isOnTop('#search')).toBe(false);
  await page.focus('#search');
  await until(() => isOnTop('#search'));
  await page.focus('#last');
  await until(() => isOnTop('#last'));
  await widget.field('Your name').focus();
  await until(async () => !(await isOnTop('#search')) && !(await isOnTop('#last')));
});

test.each(
  byDay(1, [
    ['phone', 390, 664],
    ['desktop', 1000, 760],
  ] as const),
)('a panel that the page opens by a timer leaves the typing alone (%s)', async (_, width, height) => {
  const body = `<input id="own"><button id="ask" onclick="vaWave('open')">Ask</button>`;
  const { page, widget } = await harness.visit({ body }, { viewport: { width, height } });
  await widget.launcher.waitFor();
  await page.focus('#own');
  await page.evaluate("setTimeout(() => vaWave('open'), 300)");
  await page.keyboard.type('a text that takes more time than that', { delay: 25 });
  await widget.dialog.waitFor();
  expect(await page.inputValue('#own')).toBe('a text that takes more time than that');
  await page.click('#ask');
  expect(await focused(page)).toBe('How can we help?');
  await widget.topic('Contact us').click();
  await widget.field('Your name').waitFor();
});

const leave = async (page: Page) => {
  await page.evaluate('location.href = "/next"');
  await page.waitForURL('**/next');
};
test.each([
  ['did not arrive', 1],
  ['arrived, and whose answer did not', 2],
])('a submission that %s before the visitor left is repeated once by the next page', async (_, arrivals) => {
  harness.service.submit = () => (harness.service.to('submit').length < arrivals ? 'never' : SENT);
  let isStarted = false;
  const before = (page: Page) =>
    page.route('**/submit', async (route) => {
      if (isStarted) return route.continue();
      isStarted = true;
    });
  const { page, widget } = await harness.visit(
    { files: { '/next': `<body>${harness.tag()}</body>` } },
    arrivals === 1 ? { before } : {},
  );
  await widget.filledForm();
  await widget.send.click();
  await until(() => isStarted || harness.service.to('submit').length === 1);
  await leave(page);
  await until(async () => (await widget.live.textContent()) === 'Your message has been sent.');
  expect(harness.service.to('submit')).toHaveLength(arrivals);
  expect(new Set(harness.service.to('submit').map(({ body }) => body.client_key)).size).toBe(1);
  await page.reload();
  await widget.openForm();
  expect(await widget.field('Your name').inputValue()).toBe('');
});

test.each([
  ['another user', 'grace', 'ada', false],
  ['a guest who has logged in', 'ada', 'anon_1', true],
])('%s does not repeat a submission of the tab', async (_, nextUser, user, keepsInput) => {
  harness.service.submit = () => 'never';
  const visitorOf = (token: string) => JSON.parse(atob(token.split('.')[1] ?? '')).sub;
  harness.service.init = ({ headers, body }) => ({
    status: 200,
    body: {
      ...INIT,
      visitor_id: visitorOf(String(headers['x-session-token'])),
      conversation_id: body.begin_conversation ? 'conversation-1' : null,
    },
  });
  const next = `<body>${harness.tag(`data-session-token="${userToken(nextUser)}"`)}</body>`;
  const { page, widget, settled } = await harness.visit({
    tag: `data-session-token="${userToken(user)}"`,
    files: { '/next': next },
  });
  await widget.filledForm();
  await widget.send.click();
  await until(() => harness.service.to('submit').length === 1);
  await leave(page);
  await widget.openForm();
  await widget.send.waitFor();
  await settled();
  expect(harness.service.to('submit')).toHaveLength(1);
  expect((await widget.field('Your name').inputValue()) !== '').toBe(keepsInput);
});

test('a visitor who logs out while a form is sent leaves nothing in the tab', async () => {
  let answer: (reply: Reply) => void = () => undefined;
  harness.service.submit = () => new Promise((resolve) => (answer = resolve));
  const { page, widget, settled } = await harness.visit();
  await widget.filledForm();
  await widget.send.click();
  await until(() => harness.service.to('submit').length === 1);
  await page.evaluate("vaWave('reset')");
  answer({ status: 503, body: {} });
  await settled();
  expect(harness.service.to('init').length).toBeGreaterThan(2);
  expect(await page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes(':draft:'))")).toEqual([]);
});

test('a panel that is built again while it sends tells the page of one submission', async () => {
  let answer: (reply: Reply) => void = () => undefined;
  harness.service.submit = () => new Promise((resolve) => (answer = resolve));
  const { page, widget } = await harness.visit();
  await widget.filledForm();
  await page.evaluate("submitted = 0; addEventListener('va-wave:submitted', () => submitted++)");
  await widget.send.click();
  await until(() => harness.service.to('submit').length === 1);
  await page.evaluate("vaWave('texts', { title: 'Ask us' })");
  answer(SENT);
  await widget.text('Thank you!');
  expect([await page.evaluate('submitted'), harness.service.to('submit').length]).toEqual([1, 1]);
});

test('focus, caret and text stay when the language of the page changes while somebody types', async () => {
  const { page, widget } = await harness.visit();
  await widget.openForm();
  const name = widget.host.locator('input').first();
  await name.fill('Ada Lovelace');
  await page.keyboard.press('Home');
  for (const _ of 'Ada') await page.keyboard.press('ArrowRight');
  await page.evaluate("document.documentElement.lang = ' fr '");
  await widget.host.getByText('Envoyer').waitFor();
  await page.keyboard.type(' K.');
  expect(await name.inputValue()).toBe('Ada K. Lovelace');
});

test('a translated page keeps the prefilled name of a field with a German label', async () => {
  harness.service.showForms({
    slug: 'a',
    name: 'Kontakt',
    fields: [{ key: 'absender', label: 'Ihr Name', type: 'Text', required: true }],
  });
  const { page, widget } = await harness.visit({ html: 'lang="de"' });
  await widget.launcher.click();
  await page.evaluate("vaWave('prefill', { name: 'Ada' }); document.documentElement.lang = 'pl'");
  await widget.host.getByText('Wyślij').waitFor();
  expect(await widget.host.locator('input').inputValue()).toBe('Ada');
  expect(await widget.host.locator('bdi').first().getAttribute('lang')).toBe('');
});

test.each(byDay(1, ['filter: grayscale(1)', 'transform: scale(1)', 'will-change: transform', 'contain: paint']))(
  'the launcher finds its place again when a toolbar sets %s on the body',
  async (style) => {
    const { page, widget } = await harness.visit({ body: '<div style="height: 3000px">A long page</div>' });
    await widget.launcher.waitFor();
    await page.evaluate(`document.body.setAttribute('style', '${style}')`);
    await until(async () => ((await widget.launcher.boundingBox())?.y ?? 9999) < 760);
  },
);

test('perspective on the root element leaves the launcher in the corner', async () => {
  const { page, widget } = await harness.visit({
    head: '<style>html { perspective: 900px }</style>',
    body: '<div style="height: 3000px">A long page</div>',
  });
  await widget.launcher.waitFor();
  expect(((await widget.launcher.boundingBox())?.y ?? 9999) < 760).toBe(true);
  expect(await page.evaluate('document.querySelectorAll("va-wave-widget").length')).toBe(1);
});

test('changes of a page cost one look per frame', async () => {
  const { page, widget } = await harness.visit();
  await widget.launcher.waitFor();
  const looks = await page.evaluate(`(async () => {
    let count = 0;
    const { getComputedStyle } = window;
    window.getComputedStyle = (element) => {
      if (element === document.body) count++;
      return getComputedStyle(element);
    };
    for (let change = 0; change < 20; change++) {
      document.body.className = 'c' + change;
      await Promise.resolve();
    }
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return count;
  })()`);
  expect(looks).toBe(1);
});

const SHADOWED = [
  'documentElement',
  'body',
  'createElement',
  'createElementNS',
  'dispatchEvent',
  'querySelectorAll',
  'activeElement',
];
test('images with the names of members of the document keep the widget from nobody', async () => {
  const images = SHADOWED.map((name) => `<img name="${name}" alt="">`).join('');
  const { widget, errors } = await harness.visit({ body: `<p>Hello</p>${images}` });
  await widget.filledForm();
  await widget.submit();
  expect(errors).toEqual([]);
});

test('a page without crypto sends', async () => {
  const { widget } = await harness.visit({
    head: '<script>Object.defineProperty(window, "crypto", { value: undefined })</script>',
  });
  await widget.filledForm();
  await widget.submit();
});

test('data-debug names unknown values and a tag without effect, and tells slow from blocked', async () => {
  harness.service.init = () => 'never';
  const { page, logged } = await harness.visit(
    { tag: 'data-site-id="site_test" data-debug="true" data-position="bottom-left"' },
    { alone: 'clock' },
  );
  await until(() => harness.service.to('init').length === 1);
  expect(logged).toEqual(['[va-wave] data-position="bottom-left" is unknown.']);
  await page.evaluate(`{
    const tag = document.createElement('script');
    Object.assign(tag.dataset, { siteId: 'site_other', debug: 'true' });
    tag.src = '${harness.service.url}/static/va-wave-widget.js';
    document.body.append(tag);
  }`);
  await until(() => logged.includes('[va-wave] this tag has no effect.'));
});

test('a protocol-relative tag calls the API by https', async () => {
  const asked: string[] = [];
  await harness.visit(
    {
      script: `<script async src="${harness.service.url.replace('http:', '')}/static/va-wave-widget.js" data-site-id="site_test"></script>`,
    },
    { before: async (page) => void page.on('request', (request) => asked.push(request.url())) },
  );
  await until(() => asked.some((url) => url.includes('/api/widget/init')));
  expect(asked.filter((url) => url.includes('/api/')).every((url) => url.startsWith('https:'))).toBe(true);
});
