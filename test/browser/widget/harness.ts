import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { until } from '../../harness/until.ts';
import { launchBrowser, newContext } from './browser.ts';
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
  /** The whole document, instead of the parts above. */
  readonly document?: string;
  readonly headers?: Record<string, string>;
  /** Further files and pages of the site by their paths, such as `/page.js` and `/next`. */
  readonly files?: Readonly<Record<string, string>>;
};

export type Visit = {
  readonly page: Page;
  readonly widget: ReturnType<typeof widgetOf>;
  /** The console lines of the page's scripts, without the browser's lines about failed requests. */
  readonly logged: string[];
  /** Uncaught errors. */
  readonly errors: string[];
  /**
   * Waits until the page has an answer to each of its requests, and has acted on it: what it asks for after the last answer has its own answer, too.
   * The page asks for nothing more until a timer, a frame or a visitor makes it.
   */
  readonly settled: () => Promise<void>;
};

export type VisitOptions = Pick<
  BrowserContextOptions,
  'viewport' | 'colorScheme' | 'reducedMotion' | 'forcedColors'
> & {
  /**
   * Prepares the page before it is loaded. What lasts longer than a document belongs here (a script of each page, a route, a session of the
   * developer tools that emulates something): a page that nothing has prepared is also that of the next visit.
   */
  readonly before?: (page: Page) => Promise<unknown>;
  /** In a process of its own, with a clock that the test can move if `clock`. */
  readonly alone?: boolean | 'clock';
};

/** Starts one browser, one fake service and one customer's site for a test file. */
export async function startHarness() {
  const [browser, service, site]: [Browser, FakeService, Awaited<ReturnType<typeof startSite>>] = await Promise.all([
    // A visit in the process of the visit before takes half the time. Every host name is this machine.
    launchBrowser(['--renderer-process-limit=1', '--host-resolver-rules=MAP * 127.0.0.1']),
    startFakeService(),
    startSite(),
  ]);
  const shared = await newContext(browser);
  let visits = 0;
  let siteUrl = '';
  /** What the page of the current visit has logged, and thrown. */
  let [logged, errors]: [string[], string[]] = [[], []];
  const unanswered = new Set<Request>();
  const openPage = async (context: BrowserContext) => {
    const page = await context.newPage();
    // The document of the visit before is there until that of this one is.
    const isOfVisit = () => page.url().startsWith(siteUrl);
    page.on('console', (message) => {
      if (isOfVisit() && !message.text().startsWith('Failed to load resource')) logged.push(message.text());
    });
    page.on('pageerror', (error) => {
      if (isOfVisit()) errors.push(String(error));
    });
    page.on('request', (request) => {
      // A document that goes gets no answer.
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) unanswered.clear();
      unanswered.add(request);
    });
    page.on('requestfinished', (request) => unanswered.delete(request));
    page.on('requestfailed', (request) => unanswered.delete(request));
    return page;
  };
  const closeOthers = async (page: Page) => {
    for (const context of browser.contexts()) {
      if (context !== page.context() && context !== shared) await context.close();
      else for (const other of context.pages()) if (other !== page) await other.close();
    }
  };
  /** The page that the next visit can have: a load takes a fifth less time than with a new page. */
  let unprepared: Page | undefined;
  const tag = (attributes = 'data-site-id="site_test"') =>
    `<script async src="${service.url}/static/va-wave-widget.js" ${attributes}></script>`;

  return {
    service,
    /** The address of the current visit's page. */
    get siteUrl() {
      return siteUrl;
    },
    tag,
    /** Closes the last visit, and opens the customer's page with the widget's tag for a visitor without stored data. */
    visit: async (parts: PageParts = {}, options: VisitOptions = {}): Promise<Visit> => {
      const { before, alone = false, viewport, ...media } = options;
      const { headers = {}, files = {} } = parts;
      site.serve({ html: parts.document ?? document(parts, parts.script ?? tag(parts.tag)), headers, files });
      const isPrepared = alone !== false || before !== undefined;
      const reusable = isPrepared || unprepared?.isClosed() ? undefined : unprepared;
      // A new page is first, so that the process stays.
      const page = reusable ?? (await openPage(alone === false ? shared : await newContext(browser)));
      unprepared = isPrepared ? undefined : page;
      await closeOthers(page);
      await page.setViewportSize(viewport ?? { width: 1000, height: 760 });
      // Reduced motion removes the animations, so that no test waits for them.
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light', forcedColors: 'none', ...media });
      await page.mouse.move(0, 0);
      if (alone === 'clock') await page.clock.install();
      const settled = async () => {
        do {
          await until(() => unanswered.size === 0, undefined, 5);
          await page.evaluate(`fetch('/later').then((response) => response.text())`);
        } while (unanswered.size > 0);
      };
      await before?.(page);
      // Each visit has its own origin: nothing that an earlier page stored or still sends belongs to it.
      siteUrl = `http://visit-${++visits}.shop.example:${site.port}`;
      service.visitFrom(siteUrl);
      [logged, errors] = [[], []];
      await page.goto(siteUrl);
      return { page, widget: widgetOf(page), logged, errors, settled };
    },
    stop: async () => {
      await browser.close();
      service.stop();
      site.stop();
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

/** Returns locators for the parts of the widget. Playwright's locators reach into the open shadow root. */
export function widgetOf(page: Page) {
  const root = page.locator('va-wave-widget');
  const openForm = async (name = 'Contact us') => {
    await root.locator('.launcher').click();
    await root.getByRole('button', { name }).click();
  };
  const fill = async () => {
    await root.getByLabel('Your name').fill('Ada Lovelace');
    await root.getByLabel('Email').fill('ada@example.com');
    await root.getByLabel('Message', { exact: true }).fill('Twelve bikes, please.');
  };
  return {
    host: root,
    launcher: root.locator('.launcher'),
    dialog: root.getByRole('dialog'),
    field: (label: string) => root.getByLabel(label).and(root.locator('input, textarea')),
    topic: (name: string) => root.getByRole('button', { name }),
    send: root.locator('button[type=submit]'),
    /** What a form says beside its button. */
    alert: root.locator('.notice:not(.calm)'),
    status: root.locator('.notice.calm'),
    /** What screen readers announce. */
    live: root.locator('.live'),
    button: (name: string) => root.getByRole('button', { name }),
    text: (shown: string) => root.getByText(shown).first().waitFor(),
    openForm,
    fill,
    filledForm: async () => {
      await openForm();
      await fill();
    },
    /** Clicks the button that sends, and waits until the widget thanks. */
    submit: async () => {
      await root.locator('button[type=submit]').click();
      await root.getByText('Thank you!').waitFor();
    },
  };
}
