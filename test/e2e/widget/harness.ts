import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type FakeService, startFakeService, startSite } from './fake-service.ts';

export type PageParts = {
  /** Attributes of the script tag besides `src`. */
  readonly tag?: string;
  /** The whole script tag. The default is the tag with `tag`. */
  readonly script?: string;
  readonly head?: string;
  readonly body?: string;
  /** Attributes of `<html>`. */
  readonly html?: string;
  readonly headers?: Record<string, string>;
};

export type Visit = {
  readonly page: Page;
  /** The console lines of the page's scripts, without the browser's lines about failed requests. */
  readonly logged: string[];
  /** Uncaught errors. */
  readonly errors: string[];
};

export type Harness = {
  readonly service: FakeService;
  readonly siteUrl: string;
  tag(attributes?: string): string;
  /** Opens the customer's page with the widget's tag in a new browser context. */
  visit(
    parts?: PageParts,
    options?: BrowserContextOptions & { readonly before?: (page: Page) => Promise<unknown> },
  ): Promise<Visit>;
  stop(): Promise<void>;
};

/** Starts one browser, one fake service and one customer's site for a test file. */
export async function startHarness(): Promise<Harness> {
  const [browser, service, site]: [Browser, FakeService, Awaited<ReturnType<typeof startSite>>] = await Promise.all([
    launchBrowser(),
    startFakeService(),
    startSite(),
  ]);
  const tag = (attributes = 'data-site-id="site_test"') =>
    `<script async src="${service.url}/static/va-wave-widget.js" ${attributes}></script>`;

  return {
    service,
    siteUrl: site.url,
    tag,
    visit: async (parts = {}, { before, ...options } = {}) => {
      for (const context of browser.contexts()) await context.close();
      site.serve({ html: document(parts, parts.script ?? tag(parts.tag)), headers: parts.headers ?? {} });
      // Reduced motion removes the animations, so that no test waits for them.
      const usual = { viewport: { width: 1000, height: 760 }, reducedMotion: 'reduce' } as const;
      const context = await browser.newContext({ ...usual, ...options });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const logged: string[] = [];
      const errors: string[] = [];
      page.on('console', (message) => {
        if (!message.text().startsWith('Failed to load resource')) logged.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      await before?.(page);
      await page.goto(site.url);
      return { page, logged, errors };
    },
    stop: async () => {
      await browser.close();
      await Promise.all([service.close(), site.close()]);
    },
  };
}

function document(parts: PageParts, script: string): string {
  return `<!doctype html>
<html ${parts.html ?? 'lang="en"'}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Northwind Bikes</title>${parts.head ?? ''}</head>
<body>${parts.body ?? '<main><h1>Northwind Bikes</h1><p>We build bikes for cities.</p></main>'}
${script}
</body>
</html>`;
}

/** Waits at most a minute for a condition outside the page. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within a minute: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns locators for the parts of the widget. Playwright's locators reach into the open shadow root. */
export function widgetOf(page: Page) {
  const root = page.locator('va-wave-widget');
  return {
    host: root,
    launcher: root.locator('.launcher'),
    dialog: root.getByRole('dialog'),
    field: (label: string) => root.getByLabel(label, { exact: false }),
    topic: (name: string) => root.getByRole('button', { name }),
    send: root.locator('button[type=submit]'),
    alert: root.getByRole('alert'),
    status: root.getByRole('status'),
    openForm: async (name = 'Contact us') => {
      await root.locator('.launcher').click();
      await root.getByRole('button', { name }).click();
    },
    fill: async () => {
      await root.getByLabel('Your name').fill('Ada Lovelace');
      await root.getByLabel('Email').fill('ada@example.com');
      await root.getByLabel('Message', { exact: true }).fill('Twelve bikes, please.');
    },
  };
}
