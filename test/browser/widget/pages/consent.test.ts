import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Visit } from '../harness.ts';
import { harness, STUB } from '../shared-harness.ts';
import { userToken } from '../token.ts';

beforeEach(() => harness.service.reset());

// What the browser keeps, and by which act of the visitor. The rows are those of docs/widget.md.

/** Returns the names of the keys that the widget has in both storages, without site and form. */
const storedKeys = (page: Page) =>
  page.evaluate<string[]>(`[sessionStorage, localStorage].map((storage) => {
    const names = Object.keys(storage).flatMap((key) => key.match(/^va-wave:[^:]*:(\\w+)/)?.[1] ?? []);
    return [...new Set(names)].sort().join(', ') || 'nothing';
  })`);

const documentedRows = readFileSync('docs/widget.md', 'utf8')
  .split('\n')
  .flatMap((line) => /^\| A visitor who (.+?) \| (.+?) \| (.+?) \|/.exec(line)?.slice(1) ?? [])
  .map((cell) => cell.replaceAll('`', ''));
const documented = Object.fromEntries(
  documentedRows.flatMap((act, index) => (index % 3 === 0 ? [[act, documentedRows.slice(index + 1, index + 3)]] : [])),
);

const ACTS: Readonly<Record<string, (visit: Visit) => Promise<unknown>>> = {
  'only looks': async () => undefined,
  'opens the panel': ({ widget }) => widget.launcher.click(),
  'types in a form': async ({ widget }) => {
    await widget.openForm();
    await widget.field('Your name').fill('Ada');
  },
  'has sent the form': async ({ widget }) => {
    await widget.filledForm();
    await widget.submit();
  },
  'logs out (reset)': async ({ page, widget }) => {
    await widget.filledForm();
    await page.evaluate("vaWave('reset')");
  },
  'opens the panel, with a session token': ({ widget }) => widget.launcher.click(),
  'types, where the tag has data-storage="none"': async ({ widget }) => {
    await widget.openForm();
    await widget.field('Your name').fill('Ada');
  },
};

test('the documents name each act', () => expect(Object.keys(documented)).toEqual(Object.keys(ACTS)));

test.each(Object.entries(ACTS))('a visitor who %s leaves what the documents say', async (act, run) => {
  const tag = act.includes('token')
    ? `data-session-token="${userToken('ada')}"`
    : `data-site-id="site_test"${act.includes('none') ? ' data-storage="none"' : ''}`;
  const visit = await harness.visit({ tag });
  await visit.widget.launcher.waitFor();
  await run(visit);
  await visit.settled();
  expect(await storedKeys(visit.page)).toEqual(documented[act]);
});

test('who has not acted sends no id, and is nobody on the next page', async () => {
  const { page, widget, settled } = await harness.visit();
  await widget.launcher.waitFor();
  await page.evaluate("vaWave('open')");
  await widget.dialog.waitFor();
  await settled();
  await page.reload();
  await widget.launcher.waitFor();
  expect(harness.service.to('init').map(({ body }) => [body.visitor_id, body.conversation_id])).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
});

test.each([
  [
    'allows it in the stub',
    `${STUB}<script>vaWave('storage', 'allow'); vaWave('open')</script>`,
    ['conversation, owner', 'visitor'],
  ],
  ['allows something else', `${STUB}<script>vaWave('storage', 'yes'); vaWave('open')</script>`, ['nothing', 'nothing']],
])('a page that %s', async (_, head, expected) => {
  const { page, widget, settled } = await harness.visit({ head });
  await widget.dialog.waitFor();
  await settled();
  expect(await storedKeys(page)).toEqual(expected);
});

test('who has keys is resumed on each page, and what another user left goes on a page view', async () => {
  const tag = `data-session-token="${userToken('ada')}"`;
  const next = `<body>${harness.tag(`data-session-token="${userToken('grace')}"`)}</body>`;
  harness.service.init = ({ body, headers }) => {
    const visitor_id = JSON.parse(atob(String(headers['x-session-token']).split('.')[1] ?? '')).sub;
    const conversation_id = body.begin_conversation ? 'conversation-1' : (body.conversation_id ?? null);
    return {
      status: 200,
      body: {
        success: true,
        site_id: 'site_test',
        session_id: null,
        visitor_id,
        conversation_id,
        forms: [{ slug: 'a', name: 'A', fields: [{ key: 'name', label: 'Your name', type: 'Text', required: true }] }],
      },
    };
  };
  const { page, widget, settled } = await harness.visit({ tag, files: { '/next': next } });
  await widget.launcher.click();
  await widget.field('Your name').fill('Ada');
  await settled();
  await page.reload();
  await widget.launcher.waitFor();
  expect(harness.service.to('init').at(-1)?.body.conversation_id).toBe('conversation-1');
  harness.service.init = async () => ({
    status: 200,
    body: {
      success: true,
      site_id: 'site_test',
      session_id: null,
      visitor_id: 'grace',
      conversation_id: null,
      forms: [{ slug: 'a', name: 'A', fields: [] }],
    },
  });
  await page.goto(`${harness.siteUrl}/next`);
  await widget.launcher.waitFor();
  expect(await storedKeys(page)).toEqual(['nothing', 'nothing']);
});

test('the page before is sent without its query', async () => {
  const { page, settled } = await harness.visit({
    body: '<a href="/next">Next</a>',
    files: { '/next': `<body>${harness.tag()}</body>` },
  });
  await page.goto(`${harness.siteUrl}/reset?token=secret`);
  await page.click('a');
  await page.waitForURL('**/next');
  await settled();
  const referrers = harness.service.to('init').map(({ body }) => String(body.referrer));
  expect(referrers.filter((referrer) => referrer !== '')).toEqual([`${harness.siteUrl}/reset`]);
});
