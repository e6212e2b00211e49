import type { Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { until } from '../../../harness/until.ts';
import { INIT, type Reply, refuse } from '../fake-service.ts';
import { widgetOf } from '../harness.ts';
import { pageScript } from '../page-script.ts';
import { harness, STUB } from '../shared-harness.ts';
import { userToken } from '../token.ts';

beforeEach(() => harness.service.reset());

// Pages on which people log in and out while the widget is open. Each conversation of the service belongs to one user.

const [ADA, ADA_LATER, GRACE, HANK] = [
  userToken('ada'),
  userToken('ada', 'later'),
  userToken('grace'),
  userToken('hank'),
];
const [GUEST, GUEST_LATER] = [userToken('anon_1'), userToken('anon_2')];

/** The user of a request's token, or the site of its site id. */
const userOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string => {
  const token = String(headers['x-session-token'] ?? '');
  if (token === '') return String(headers['x-site-id']);
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;
};

/** Answers as the service does: a conversation is resumed only for the user who began it. */
const service = () => {
  harness.service.init = ({ headers, body }) => {
    const own = `conversation-of-${userOf(headers)}`;
    const conversation_id = body.conversation_id === own || body.begin_conversation ? own : null;
    return { status: 200, body: { ...INIT, visitor_id: userOf(headers), conversation_id } };
  };
  harness.service.submit = ({ headers, body }): Reply =>
    body.conversation_id === `conversation-of-${userOf(headers)}`
      ? { status: 200, body: { success: true, submission_id: 'submission-1' } }
      : {
          status: 400,
          body: { success: false, code: 'conversation_unknown', error: 'unknown', field: 'conversation_id' },
        };
};

/** A view that shows whose messages it has, and events that the test counts. */
const HEAD = `${STUB}<script>
window.seen = [];
for (const name of ['ready', 'removed', 'open', 'close', 'token-expired']) addEventListener('va-wave:' + name, () => window.seen.push(name));
vaWave('conversation', { mount(element, context) {
  context.conversationId().then((id) => { element.append('Messages of ' + id); });
  return () => window.seen.push('unmounted');
} });
</script>`;

const submissions = () =>
  harness.service.to('submit').map(({ headers, body }) => [userOf(headers), body.conversation_id]);
const call = (page: Page, ...values: unknown[]) => page.evaluate(`vaWave(...${JSON.stringify(values)})`);

test.each([
  ['a token', [['setSessionToken', ADA]], 'ada'],
  [
    'the tokens of two users',
    [
      ['setSessionToken', ADA],
      ['setSessionToken', GRACE],
    ],
    'grace',
  ],
  [
    'two tokens of a user',
    [
      ['setSessionToken', ADA],
      ['setSessionToken', ADA_LATER],
    ],
    'ada',
  ],
  ['a reset', [['reset']], 'site_test'],
  ['a logout and a login', [['reset'], ['setSessionToken', ADA]], 'ada'],
])('with %s in the stub, the widget asks for init once', async (_, calls, user) => {
  const queued = calls.map((values) => `vaWave(...${JSON.stringify(values)});`).join('');
  const { widget, errors, settled } = await harness.visit({
    head: `${STUB}<script>${queued}</script>`,
    tag: 'data-site-id="site_test"',
  });
  await widget.launcher.waitFor();
  await settled();
  expect(harness.service.to('init').map(({ headers }) => userOf(headers))).toEqual([user]);
  expect(errors).toEqual([]);
});

test('a token in the stub beside a site id keeps the conversation of the tab from page to page', async () => {
  service();
  const head = `${STUB}<script>vaWave('setSessionToken', '${ADA}')</script>`;
  const { page, widget, settled } = await harness.visit({ head, tag: 'data-site-id="site_test"' });
  await widget.launcher.click();
  await settled();
  await page.reload();
  await widget.launcher.waitFor();
  expect(harness.service.to('init').map(({ body }) => body.conversation_id)).toEqual([
    null,
    null,
    'conversation-of-ada',
  ]);
});

/** Opens the panel, and leaves a draft and an unread message. */
async function visitOf(token: string | undefined) {
  const tag = token === undefined ? 'data-site-id="site_test"' : `data-session-token="${token}"`;
  const visit = await harness.visit({ head: HEAD, tag });
  await visit.widget.launcher.click();
  await visit.widget.host.getByText('Messages of').waitFor();
  await visit.widget.topic('Contact us').click();
  await visit.widget.field('Message').fill('Secret draft');
  await call(visit.page, 'unread', 3);
  return visit;
}

type Expected = { readonly draft: boolean; readonly remounted: boolean; readonly sentAs: readonly [string, string] };
const changes: readonly [string, string | undefined, string, Expected][] = [
  [
    'a user after another user',
    ADA,
    GRACE,
    { draft: false, remounted: true, sentAs: ['grace', 'conversation-of-grace'] },
  ],
  ['the same user', ADA, ADA_LATER, { draft: true, remounted: false, sentAs: ['ada', 'conversation-of-ada'] }],
  [
    'a guest after a guest',
    GUEST,
    GUEST_LATER,
    { draft: true, remounted: false, sentAs: ['anon_2', 'conversation-of-anon_2'] },
  ],
  ['a user after a guest', GUEST, ADA, { draft: true, remounted: true, sentAs: ['ada', 'conversation-of-ada'] }],
  ['a guest after a user', ADA, GUEST, { draft: false, remounted: true, sentAs: ['anon_1', 'conversation-of-anon_1'] }],
  [
    'a user after a visitor without a token',
    undefined,
    ADA,
    { draft: true, remounted: true, sentAs: ['ada', 'conversation-of-ada'] },
  ],
];

describe('who the visitor is', () => {
  beforeEach(service);

  test.each(byDay(4, changes))('setSessionToken of %s', async (_who, before, after, { draft, remounted, sentAs }) => {
    const { page, widget, errors } = await visitOf(before);
    await call(page, 'setSessionToken', after);
    if (remounted) {
      await page.waitForFunction(`window.seen.filter((name) => name === 'ready').length === 2`);
      await widget.host.getByText(`Messages of ${sentAs[1]}`).waitFor();
      await widget.topic('Contact us').click();
    }
    expect(await widget.field('Message').inputValue()).toBe(draft ? 'Secret draft' : '');
    expect(await page.evaluate<string[]>('window.seen')).toEqual(
      remounted ? ['ready', 'open', 'unmounted', 'close', 'removed', 'ready', 'open'] : ['ready', 'open'],
    );
    expect((await widget.launcher.getAttribute('aria-label'))?.includes('Unread messages: 3')).toBe(!remounted);
    await widget.fill();
    await widget.submit();
    expect(submissions().at(-1)).toEqual(sentAs);
    expect(errors).toEqual([]);
    // After a reload with the token of the next visitor, the tab keeps nothing of the one before.
    if (!draft) expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Secret draft');
  });

  test('a log-in that loads another page keeps the draft of a guest, and a log-out that loads one does not keep that of a user', async () => {
    const pages = { ada: ADA, 'ada-later': ADA_LATER, grace: GRACE };
    const files = Object.fromEntries(
      Object.entries(pages).map(([name, token]) => [
        `/${name}`,
        `<!doctype html>${harness.tag(`data-session-token="${token}"`)}`,
      ]),
    );
    const { page, widget, settled } = await harness.visit({ tag: `data-session-token="${GUEST}"`, files });
    await widget.openForm();
    await widget.field('Message').fill('Secret draft');
    const draftOn = async (name: keyof typeof pages) => {
      await page.goto(`${harness.siteUrl}/${name}`);
      await widget.openForm();
      await settled();
      return widget.field('Message').inputValue();
    };
    expect([await draftOn('ada'), await draftOn('ada-later'), await draftOn('grace')]).toEqual([
      'Secret draft',
      'Secret draft',
      '',
    ]);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Secret draft');
  });

  test('reset after a log-out drops the token, asks the page for another one, and shows nothing of the user', async () => {
    const { page, widget } = await visitOf(ADA);
    await call(page, 'reset');
    expect([await widget.host.count(), await page.evaluate<string[]>('window.seen')]).toEqual([
      0,
      ['ready', 'open', 'unmounted', 'close', 'removed', 'token-expired'],
    ]);
    await call(page, 'setSessionToken', GRACE);
    await widget.host.getByText('Messages of conversation-of-grace').waitFor();
    await widget.topic('Contact us').click();
    await widget.fill();
    await widget.submit();
    expect(submissions()).toEqual([['grace', 'conversation-of-grace']]);
  });

  test('an answer to a question from before reset is ignored: neither the token of the former user nor a late answer of the service counts', async () => {
    const begun = Promise.withResolvers<Reply>();
    const usual = harness.service.init;
    harness.service.init = (request) => (request.body.begin_conversation ? begun.promise : usual(request));
    const { page, widget, settled } = await harness.visit({ head: HEAD, tag: `data-session-token="${ADA}"` });
    await widget.launcher.click();
    await widget.topic('Contact us').click();
    await widget.fill();
    await widget.send.click();
    await until(() => harness.service.to('init').length === 2, 10_000);
    begun.resolve(refuse(401, 'Invalid or expired session token'));
    await page.waitForFunction(`window.seen.includes('token-expired')`);
    await call(page, 'reset');
    const asked = () => page.evaluate<number>(`window.seen.filter((name) => name === 'token-expired').length`);
    expect(await asked()).toBe(2);
    await call(page, 'setSessionToken', ADA_LATER);
    // The page is asked once more: it may be the same user, who has logged in again.
    expect(await asked()).toBe(3);
    await settled();
    expect([await widget.host.count(), submissions()]).toEqual([0, []]);
    harness.service.init = usual;
    await call(page, 'setSessionToken', GRACE);
    await widget.host.getByText('Messages of conversation-of-grace').waitFor();
  });

  test('the answer that the page owed to the user before does not replace the next user, who came without reset', async () => {
    const { page, widget, settled } = await visitOf(ADA);
    harness.service.submit = () => refuse(401, 'Invalid or expired session token');
    await widget.fill();
    await widget.send.click();
    await page.waitForFunction(`window.seen.includes('token-expired')`);
    service();
    await call(page, 'setSessionToken', GRACE);
    await call(page, 'setSessionToken', ADA_LATER);
    await settled();
    await widget.topic('Contact us').click();
    await widget.fill();
    await widget.submit();
    expect(submissions().at(-1)).toEqual(['grace', 'conversation-of-grace']);
  });

  /** Sends the open form, refuses its token, and waits until the page is asked for another one. */
  const expire = async ({ page, widget }: Awaited<ReturnType<typeof harness.visit>>) => {
    harness.service.submit = () => refuse(401, 'Invalid or expired session token');
    const questions = `window.seen.filter((name) => name === 'token-expired').length`;
    const before = await page.evaluate<number>(questions);
    if (!(await widget.field('Message').isVisible())) await widget.topic('Contact us').click();
    await widget.fill();
    await widget.send.click();
    await page.waitForFunction(`${questions} > ${before}`);
    service();
  };
  const submitsAs = async ({ widget, settled }: Awaited<ReturnType<typeof harness.visit>>, user: string) => {
    await settled();
    if (!(await widget.field('Message').isVisible())) await widget.topic('Contact us').click();
    await widget.fill();
    await widget.submit();
    expect(submissions().at(-1)).toEqual([user, `conversation-of-${user}`]);
  };

  test('the answers that the page owes to two users before do not replace the third one', async () => {
    const visit = await visitOf(ADA);
    await expire(visit);
    await call(visit.page, 'setSessionToken', GRACE);
    await visit.widget.host.getByText('Messages of conversation-of-grace').waitFor();
    await expire(visit);
    await call(visit.page, 'setSessionToken', HANK);
    for (const late of [ADA_LATER, userToken('grace', 'later')]) await call(visit.page, 'setSessionToken', late);
    await submitsAs(visit, 'hank');
  });

  test('a user whose page has not answered in 5 seconds can log in again after another user', async () => {
    const tag = `data-session-token="${ADA}"`;
    const visit = await harness.visit({ head: HEAD, tag }, { alone: 'clock' });
    await visit.widget.launcher.click();
    await expire(visit);
    await visit.widget.status.getByText('Renewing').waitFor();
    await visit.page.clock.fastForward(5000);
    await visit.widget.text('expired');
    await call(visit.page, 'setSessionToken', GRACE);
    await visit.widget.host.getByText('Messages of conversation-of-grace').waitFor();
    await call(visit.page, 'setSessionToken', ADA_LATER);
    await submitsAs(visit, 'ada');
  });

  test('a page that opens the panel when it is ready sees one opening after another user', async () => {
    const { page, widget } = await visitOf(ADA);
    await page.evaluate(`addEventListener('va-wave:ready', () => vaWave('open')); window.seen = []`);
    await call(page, 'setSessionToken', GRACE);
    await widget.host.getByText('Messages of conversation-of-grace').waitFor();
    expect(await page.evaluate('window.seen')).toEqual(['unmounted', 'close', 'removed', 'ready', 'open']);
  });

  test('a view that cannot be mounted for a guest is mounted for the user who logs in', async () => {
    const { page, widget } = await harness.visit({
      head: `${STUB}<script>vaWave('conversation', { mount(element, { credential }) {
        if ('X-Site-Id' in credential()) throw new Error('not for guests');
        element.append('Your messages');
      } })</script>`,
    });
    await widget.launcher.click();
    await widget.topic('Contact us').click();
    await call(page, 'setSessionToken', ADA);
    await widget.host.getByText('Your messages').waitFor();
  });

  test('the view of a visitor who has gone changes nothing of the next one', async () => {
    const { page, widget, settled } = await harness.visit({
      head: `${STUB}<script>window.contexts = [];
      const named = (name) => ({ mount(element, context) { window.contexts.push(context); element.append(name); context.conversationId(); } });
      vaWave('conversation', named('First view'));</script>`,
      tag: `data-session-token="${ADA}"`,
    });
    await widget.launcher.click();
    await widget.host.getByText('First view').waitFor();
    await page.evaluate(`vaWave('conversation', named('Second view'))`);
    await widget.host.getByText('Second view').waitFor();
    await settled();
    const kept = await page.evaluate('JSON.stringify(sessionStorage)');
    expect(kept).toContain('conversation-of-ada');
    await page.evaluate('window.contexts[0].newConversation()');
    await settled();
    expect(await widget.host.getByText('Second view').count()).toBe(1);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe(kept);
  });

  test('a value that is no token changes nothing', async () => {
    const { page, widget, errors } = await visitOf(ADA);
    for (const value of [null, '', '  ']) await call(page, 'setSessionToken', value);
    await page.evaluate('vaWave.setSessionToken()');
    await call(page, 'setSessionToken', ` ${ADA_LATER}\n`);
    expect(await widget.field('Message').inputValue()).toBe('Secret draft');
    await widget.fill();
    await widget.submit();
    expect(harness.service.to('submit').at(-1)?.headers['x-session-token']).toBe(ADA_LATER);
    expect(errors).toEqual([]);
  });

  describe('with Turbo', () => {
    const document = (title: string, tag: string) =>
      `<!doctype html><html lang="en"><head><title>${title}</title>${HEAD}<script src="/turbo.js"></script></head>
     <body><h1>${title}</h1><a href="/next">Next</a>${tag}</body></html>`;
    const visit = async (before: string, after: string) => {
      const opened = await harness.visit({
        document: document('First', harness.tag(before)),
        files: { '/turbo.js': pageScript(`import '@hotwired/turbo'`), '/next': document('Second', harness.tag(after)) },
      });
      await opened.widget.openForm();
      await opened.widget.field('Message').fill('Secret draft');
      await opened.page.getByRole('link', { name: 'Next' }).click();
      await opened.page.getByRole('heading', { name: 'Second' }).waitFor();
      return opened;
    };
    const sites: readonly [string, string, string, readonly [string, string], string][] = [
      [
        'another user',
        `data-session-token="${ADA}"`,
        `data-session-token="${GRACE}"`,
        ['grace', 'conversation-of-grace'],
        '',
      ],
      [
        'the same user',
        `data-session-token="${ADA}"`,
        `data-session-token="${ADA_LATER}"`,
        ['ada', 'conversation-of-ada'],
        'Secret draft',
      ],
      [
        'a visitor who has logged out',
        `data-session-token="${ADA}"`,
        'data-site-id="site_test"',
        ['site_test', 'conversation-of-site_test'],
        '',
      ],
      [
        'another assistant',
        'data-site-id="site_test"',
        'data-site-id="site_other"',
        ['site_other', 'conversation-of-site_other'],
        '',
      ],
    ];
    test('a tag with a fresh token of a user who logs in again counts, also when the page still owes that user an answer', async () => {
      const titles: readonly [string, string][] = [
        ['Grace', GRACE],
        ['Ada', ADA_LATER],
      ];
      const shop = (title: string, token: string) =>
        document(title, harness.tag(`data-session-token="${token}"`)).replace(
          '<a',
          '<a href="/Grace">Grace</a> <a href="/Ada">Ada</a> <a',
        );
      const visit = await harness.visit({
        document: shop('Shop', ADA),
        files: {
          '/turbo.js': pageScript(`import '@hotwired/turbo'`),
          ...Object.fromEntries(titles.map(([title, token]) => [`/${title}`, shop(title, token)])),
        },
      });
      await visit.widget.launcher.click();
      await expire(visit);
      for (const [title] of titles) {
        await visit.page.getByRole('link', { name: title }).click();
        await visit.page.getByRole('heading', { name: title }).waitFor();
        await visit.widget.host.getByText(`Messages of conversation-of-${title.toLowerCase()}`).waitFor();
      }
      await submitsAs(visit, 'ada');
    });
    test.each(byDay(2, sites))('the tag of the next page is that of %s', async (_who, before, after, sentAs, draft) => {
      const { page, widget, settled } = await visit(before, after);
      await settled();
      await widget.dialog.waitFor();
      if (!(await widget.field('Message').isVisible())) await widget.topic('Contact us').click();
      expect(await widgetOf(page).field('Message').inputValue()).toBe(draft);
      await widget.fill();
      await widget.submit();
      expect(submissions().at(-1)).toEqual(sentAs);
    });
  });

  test('a second tag of the same site with a token sets the token', async () => {
    const { page, widget } = await visitOf(ADA);
    await page.evaluate(`{ const script = document.createElement('script'); script.dataset.sessionToken = '${GRACE}';
    script.src = '${harness.service.url}/static/va-wave-widget.js'; document.head.append(script); }`);
    await widget.host.getByText('Messages of conversation-of-grace').waitFor();
    await widget.topic('Contact us').click();
    expect(await widget.field('Message').inputValue()).toBe('');
  });
});
