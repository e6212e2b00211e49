import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../acceptance/receiver.ts';
import { type StartedService, startService } from '../acceptance/started-service.ts';
import { commandsOn } from '../cli/captured-run.ts';
import { launchBrowser } from '../widget/browser.ts';

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

export type Visitor = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the page's policy, uncaught errors, and the console lines of the page. */
  readonly problems: readonly string[];
};

/** A started service with an organization, an admin and a member, and a browser for its dashboard. */
export type StartedDashboard = {
  readonly service: StartedService;
  readonly receiver: Receiver;
  readonly orgId: string;
  readonly vaWave: <Result>(...words: readonly string[]) => Promise<Result>;
  /** Opens the dashboard and logs in on the login page. */
  readonly logIn: (who: 'admin' | 'member', options?: BrowserContextOptions) => Promise<Visitor>;
  readonly fillLogin: (page: Page, who: 'admin' | 'member') => Promise<void>;
  readonly newPage: (options?: BrowserContextOptions) => Promise<Visitor>;
  readonly stop: () => Promise<void>;
};

export async function startDashboard(plan: 'free' | 'paid' = 'paid'): Promise<StartedDashboard> {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-dashboard-'));
  // Stops everything that runs when a later step fails. Otherwise jest would wait for it without end.
  await using started = new AsyncDisposableStack();
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiver();
  started.defer(() => receiver.stop());
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, receiver.authorityPem);
  const service: StartedService = await startService(folder, '--no-demo', '--ca', authority);
  started.defer(async () => void (await service.interrupt()));
  const browser: Browser = await launchBrowser();
  started.defer(() => browser.close());
  const vaWave = commandsOn(service.readyFile);
  const { org_id: orgId } = await vaWave<{ org_id: string }>('org', 'create', '--name', 'Corner Shop', '--plan', plan);
  for (const role of ['admin', 'member']) {
    await vaWave('member', 'add', '--org', orgId, '--email', `${role}@shop.example`, '--role', role);
  }
  // The one-machine service prints the password that Cognito sends by mail.
  const password = (who: string) =>
    new RegExp(`Invitation for ${who}@shop\\.example: the temporary password is (\\S+)`).exec(service.output())?.[1] ??
    '';

  const newPage = async (options: BrowserContextOptions = {}): Promise<Visitor> => {
    const context = await browser.newContext({
      viewport: { width: 1200, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(15_000);
    const problems: string[] = [];
    context.on('console', (message) => {
      // The browser, and not the page, writes this line about a refused request.
      if (!message.text().startsWith('Failed to load resource')) problems.push(message.text());
    });
    context.on('weberror', (error) => problems.push(error.error().message));
    await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      console.error('Policy violation: ' + event.violatedDirective + ' ' + event.blockedURI))`);
    return { context, page: await context.newPage(), problems };
  };
  const fillLogin = async (page: Page, who: 'admin' | 'member') => {
    await page.getByLabel('Email').fill(`${who}@shop.example`);
    await page.getByLabel('Password').fill(password(who));
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  const running = started.move();
  return {
    service,
    receiver,
    orgId,
    vaWave,
    fillLogin,
    newPage,
    logIn: async (who, options) => {
      const visitor = await newPage(options);
      await visitor.page.goto(`${service.baseUrl}/dashboard/`);
      await fillLogin(visitor.page, who);
      await visitor.page.getByRole('heading', { name: 'Assistants' }).waitFor();
      return visitor;
    },
    stop: () => running.disposeAsync(),
  };
}

/** Returns the findings of axe, one line each. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`,
  );
}
