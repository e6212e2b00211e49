import type { Browser, Page } from 'playwright-core';
import { bundleWidget } from '../../../lib/bundles.ts';
import { type RunningDemo, startDemo } from '../../../local/demo/demo.ts';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import { byDay, full } from '../../harness/full.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../../service/acceptance/assembly.ts';
import { type Operator, operatorOf } from '../../service/acceptance/operator.ts';
import { launchBrowser, newContext } from './browser.ts';
import { startSite } from './fake-service.ts';
import { widgetOf } from './harness.ts';
import { pageScript } from './page-script.ts';
import { widgetRemoved } from './page-state.ts';

// Tests the widget with the real service: the browser's cross-origin check together with the rules of the service.

let cloud: LocalCloud;
let demo: RunningDemo;
let operator: Operator;
let browser: Browser;
let site: Awaited<ReturnType<typeof startSite>>;
let organization: string;

beforeAll(async () => {
  // Every host name resolves to this machine, so that pages can have the host names of real sites.
  [browser, site] = await Promise.all([launchBrowser(['--host-resolver-rules=MAP * 127.0.0.1']), startSite()]);
  cloud = await startLocalCloud({ data: temporaryFolder(), assembly: await serviceAssembly() });
  demo = await startDemo(cloud);
  operator = operatorOf(cloud);
  organization = await operator.createOrganization('Shops', 'free');
});

afterAll(async () => {
  await demo?.stop();
  await browser?.close();
  site?.stop();
  await cloud?.stop();
});

async function assistant(domain: string, allowedDomains: readonly string[] = [domain]): Promise<string> {
  const siteId = await operator.createAssistant(organization, { domain, hourlyRateLimit: 1000, allowedDomains });
  const form = { trigger: 'Form', url: 'https://shop.example/hook', fields: ['email:Email:Email'] } as const;
  await operator.createAction(siteId, { name: 'Contact us', ...form });
  return siteId;
}

/** Opens a page of a host with the widget of an assistant. */
async function open(
  host: string,
  siteId: string,
  frame = false,
): Promise<{ readonly page: Page; readonly logged: string[] }> {
  const script = `<script async src="${cloud.baseUrl}/static/va-wave-widget.js" data-site-id="${siteId}" data-debug="true"></script>`;
  const framed = `<iframe sandbox="allow-scripts" srcdoc="${script.replaceAll('"', '&quot;')}"></iframe>`;
  site.serve({ html: `<!doctype html><title>Shop</title><h1>Shop</h1>${frame ? framed : script}` });
  return visit(`http://${host}:${site.port}/`);
}

/** Opens a page for a visitor without stored data, and closes all others. */
async function visit(url: string): Promise<{ readonly page: Page; readonly logged: string[] }> {
  for (const context of browser.contexts()) await context.close();
  const page = await (await newContext(browser)).newPage();
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await page.goto(url);
  return { page, logged };
}

describe('the widget appears', () => {
  test('on an international host name in each of its spellings', async () => {
    const { page } = await open('bücher.example', await assistant('BÜCHER.example'));
    await widgetOf(page).launcher.waitFor();
  });

  test('not in a sandboxed frame, which has the origin null', async () => {
    const { page, logged } = await open('shop.example', await assistant('shop.example'), true);
    await page
      .waitForEvent('console', { predicate: (message) => message.text().includes('[va-wave]') })
      .catch(() => {});
    expect(logged.join('\n')).toContain('[va-wave] init failed: HTTP 0');
    expect(await page.frameLocator('iframe').locator('va-wave-widget').count()).toBe(0);
  });
});

describe('an isolated page', () => {
  const tag = (file: string, crossorigin: string) =>
    `<script async src="${cloud.baseUrl}/static/${file}" ${crossorigin} data-site-id="${siteId}"></script>`;
  let siteId: string;
  beforeAll(async () => {
    siteId = await assistant('shop.localhost');
  });

  test.each(byDay(1, ['require-corp', 'credentialless']))(
    'with Cross-Origin-Embedder-Policy: %s loads the widget by the documented tag, and its texts',
    async (policy) => {
      const html = `<!doctype html><html lang="de"><title>Shop</title>${tag('va-wave-widget.js', '')}</html>`;
      const headers = {
        'cross-origin-embedder-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
      };
      site.serve({ html, headers });
      const { page } = await visit(`http://shop.localhost:${site.port}/`);
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      await widgetOf(page).launcher.click();
      await page.getByRole('button', { name: 'Schließen' }).waitFor();
    },
  );

  test('that pins the file gets it, although the browser keeps an answer to a tag without crossorigin', async () => {
    const { immutableName, integrity } = bundleWidget();
    const pinned = tag(immutableName, `integrity="${integrity}" crossorigin`);
    site.serve({ html: `<!doctype html>${tag(immutableName, '')}`, files: { '/pinned': `<!doctype html>${pinned}` } });
    const { page } = await visit(`http://shop.localhost:${site.port}/`);
    await widgetOf(page).launcher.waitFor();
    await page.goto(`http://shop.localhost:${site.port}/pinned`);
    await widgetOf(page).launcher.waitFor();
  });
});

test('a page with OpenTelemetry, which adds traceparent to every request, shows the widget and sends its forms', async () => {
  const siteId = await assistant('shop.example');
  const tracing = pageScript(`
    import { registerInstrumentations } from '@opentelemetry/instrumentation';
    import { FetchInstrumentation } from '@opentelemetry/instrumentation-fetch';
    import { WebTracerProvider } from '@opentelemetry/sdk-trace-web';
    new WebTracerProvider().register();
    registerInstrumentations({ instrumentations: [new FetchInstrumentation({ propagateTraceHeaderCorsUrls: /.*/ })] });
  `);
  const tag = `<script async src="${cloud.baseUrl}/static/va-wave-widget.js" data-site-id="${siteId}"></script>`;
  const html = `<!doctype html><title>Shop</title><script src="/tracing.js"></script>${tag}`;
  site.serve({ html, files: { '/tracing.js': tracing } });
  const { page } = await visit(`http://shop.example:${site.port}/`);
  const widget = widgetOf(page);
  await widget.launcher.click();
  await widget.field('Email').fill('ada@shop.example');
  const answered = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/submit'),
  );
  await widget.send.click();
  const answer = await answered;
  expect(answer.request().headers().traceparent).toMatch(/^00-[0-9a-f]{32}-/);
  // The endpoint of this form does not exist.
  expect(await answer.json()).toMatchObject({
    ...{ success: false, code: 'submission_failed' },
    submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  await widget.text('could not be delivered');
});

test('the browser blocks the answer for an allowed host that is not the Domain, and data-debug says so', async () => {
  // The Domain of another assistant, and a request whose preflight does not show the site, make no difference.
  await assistant('shop.example');
  const siteId = await assistant('other.example', ['shop.example']);
  const { page, logged } = await open('shop.example', siteId);
  await until(() => logged.some((line) => line.includes("the assistant's Domain is not this page's host")));
  expect(await page.locator('va-wave-widget').count()).toBe(0);
  expect(logged.join('\n')).toMatch(/blocked by CORS policy[\s\S]*HTTP 0/);
  const outcome = await page.evaluate<string>(
    `fetch('${cloud.baseUrl}/api/widget/init', { method: 'POST', headers: { 'X-Site-Id': '${siteId}' } })
      .then((response) => 'read ' + response.status, (error) => error.name)`,
  );
  expect(outcome).toBe('TypeError');
});

test('data-debug tells of a site ID that does not exist, on any page', async () => {
  const { page, logged } = await open('shop.example', 'site_nobody');
  await widgetRemoved(page);
  await until(() => logged.some((line) => line.includes('no assistant has this site ID')));
  expect(logged.join('\n')).toContain('HTTP 401 Widget site not found');
});

describe('the demo', () => {
  /** The page shows the requests of all tests: one finds its own by a text that no other sends. */
  const entry = (page: Page, text: string) => page.locator('.request', { hasText: text });

  test('shows a visitor the failed attempt of an event, and its retries', async () => {
    const { page, logged } = await visit(demo.urls.site ?? '');
    await page.getByRole('button', { name: 'Let the next two requests fail' }).click();
    const appointment = entry(page, 'appointment.booked');
    await appointment.getByText('503 on purpose').first().waitFor();
    // The retries take the seconds of a deployment.
    if (full) {
      await appointment.getByText('200 accepted').first().waitFor();
      expect(await appointment.getByText('503 on purpose').count()).toBeGreaterThan(1);
    }
    expect(logged).toEqual([]);
  });

  test('shows for two Actions with the same event which one each request belongs to', async () => {
    const { page } = await visit(demo.urls.site ?? '');
    await page.getByText('More to try').click();
    await page.selectOption('#event', 'contact.created');
    await page.click('#publish');
    for (const name of ['CRM sync', 'Member CRM sync']) {
      await entry(page, 'contact.created').getByText(name, { exact: true }).first().waitFor();
    }
  });

  test('says on a host that is not allowed why the widget does not appear', async () => {
    const { page } = await visit((demo.urls.site ?? '').replace('localhost', '127.0.0.1'));
    await page.getByText('The widget does not appear here.').waitFor();
    await page.getByRole('link', { name: 'localhost' }).click();
    await widgetOf(page).launcher.waitFor();
    expect(await page.getByText('The widget does not appear here.').count()).toBe(0);
  });

  test('does not cover the instructions with the panel, and names the budget of a conversation', async () => {
    const { page } = await visit(demo.urls.members ?? '');
    await page.getByText('More to try').click();
    await page.getByText('budget of 4000 tokens').waitFor();
    for (const width of [1000, 1366]) {
      await page.setViewportSize({ width, height: 768 });
      await widgetOf(page).launcher.click();
      const panel = await widgetOf(page).dialog.boundingBox();
      const steps = await page.locator('details', { hasText: 'More to try' }).boundingBox();
      expect(steps?.x).toBeGreaterThan((panel?.x ?? 0) + (panel?.width ?? 0));
      await widgetOf(page).launcher.click();
    }
  });

  test.each(
    byDay(1, [
      [390, 844],
      [1366, 768],
    ] as const),
  )(
    'says on the first screen of %d pixels what it is, has three things to press and the dashboard with its login, and shows the signed request of the form',
    async (width, height) => {
      const { page, logged } = await visit(demo.urls.site ?? '');
      await page.setViewportSize({ width, height });
      const shown = [
        page.getByRole('heading', { name: 'va-wave puts a chat assistant on websites' }),
        page.getByText('your endpoint verifies'),
        ...['Open the widget', 'Submit the form', 'Let the next two requests fail'].map((name) =>
          page.getByRole('button', { name, exact: true }),
        ),
        page.getByRole('link', { name: 'dashboard' }),
        page.getByText('demo-admin'),
        page.getByRole('heading', { name: /^Requests that arrived/ }),
      ];
      for (const part of shown) {
        const box = await part.boundingBox();
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
      await page.getByRole('button', { name: 'Submit the form' }).click();
      const widget = widgetOf(page);
      await widget.fill();
      await widget.field('Your name').fill(`Ada at ${width} pixels`);
      await widget.send.click();
      const sent = entry(page, `Ada at ${width} pixels`);
      await sent.getByText('form contact').waitFor();
      await sent.getByText('signature verified').waitFor();
      await sent.getByText('200 accepted').waitFor();
      // The body of the newest request is in front of the panel, on the screen.
      const readable = `(({ x, y }) => document.elementFromPoint(x + 20, y + 5)?.closest('.request') != null)(
        document.querySelector('.request pre').getBoundingClientRect())`;
      await until(() => page.evaluate<boolean>(readable));
      expect(logged).toEqual([]);
    },
  );

  test('shows members their form with a token from the backend', async () => {
    const { page, logged } = await visit(demo.urls.members ?? '');
    const widget = widgetOf(page);
    await widget.openForm('Ask the workshop');
    await widget.field('What is wrong').fill('The bell is silent.');
    await widget.send.click();
    await entry(page, 'form repair').getByText('signature verified').waitFor();
    expect(logged).toEqual([]);
  });

  test('answers with an Action, refuses the sixth call, and ends the conversation by the usage webhook', async () => {
    const { page, logged } = await visit(demo.urls.members ?? '');
    const widget = widgetOf(page);
    await widget.launcher.click();
    const calls = entry(page, 'AI-decided orders');
    const callsBefore = await calls.count();
    const replies = widget.host.locator('.assistant');
    const input = widget.host.getByRole('textbox', { name: 'Write a message' });
    const said: string[] = [];
    while ((await input.count()) > 0 && said.length < 20) {
      // By day, long messages spend the budget of the conversation before the sixth call.
      await input.fill('Where is order 1001?'.padEnd(full ? 0 : 1000, ' Please!'));
      await input.press('Enter');
      await replies.nth(said.length + 1).waitFor();
      said.push((await replies.nth(said.length + 1).textContent()) ?? '');
      // The answer of the usage webhook arrives after the reply.
      await widget.host.locator('form[aria-busy]').waitFor({ state: 'detached' });
    }
    const answer = /^Assistant: Order 1001 is ready for pick-up\. \d+:\d\d/;
    const answered = said.slice(0, 5);
    expect(answered).toEqual(answered.map(() => expect.stringMatching(answer)));
    if (full) expect(said[5]).toContain('five orders in one conversation');
    expect(said.length).toBeLessThan(20);
    await widget.host.getByText('Conversation ended.').waitFor();
    await entry(page, 'usage report').first().getByText('signature verified').waitFor();
    await entry(page, 'conversation.ended').first().waitFor();
    expect((await calls.count()) - callsBefore).toBe(answered.length);

    await widget.host.getByRole('button', { name: 'New conversation' }).click();
    await input.fill('Where is order 1002?');
    await input.press('Enter');
    await widget.host.getByText('Order 1002 is on its way.').waitFor();
    await page.reload();
    await widget.launcher.click();
    await widget.host.getByText('Order 1002 is on its way.').waitFor();
    expect(logged).toEqual([]);
  });

  test('has no refused call inside the local cloud', () => {
    expect(cloud.denials).toEqual([]);
  });
});
