import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Trigger } from '../../../src/contract/action-kinds.ts';
import { axeFindings } from '../../harness/axe.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { startReceiver } from '../../service/acceptance/receiver.ts';
import { type StartedService, startService } from '../../service/acceptance/started-service.ts';
import { commandsOn } from '../../service/cli/captured-run.ts';
import { launchBrowser, newContext } from '../widget/browser.ts';

export type Visitor = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the page's policy, uncaught errors, and the console lines of the page. */
  readonly problems: string[];
};

type Who = 'admin' | 'member';

const VIEWPORT = { width: 1200, height: 900 };

/**
 * Starts a service and a browser. The admin of all organizations works in one page, which learns them when it is loaded: all of them are
 * added before the first `enter`.
 */
export async function startDashboard() {
  // Stops everything that runs when a later step fails. Otherwise jest would wait for it without end.
  await using started = new AsyncDisposableStack();
  const receiver = await startReceiver();
  started.defer(() => receiver.stop());
  const service: StartedService = await startService(temporaryFolder(), '--no-demo', '--ca', receiver.authorityFile);
  started.defer(async () => void (await service.interrupt()));
  const browser: Browser = await launchBrowser();
  started.defer(() => browser.close());
  const vaWave = commandsOn(service.readyFile);
  const newPage = async (): Promise<Visitor> => {
    const context = await newContext(browser, { viewport: VIEWPORT, reducedMotion: 'reduce' });
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
  const admin = await newPage();
  let adminIsIn = false;
  /** Organizations that the admin's page has not seen, because it was loaded before. */
  let unseen = 0;
  /** Adds an organization with the admin and a member. @param emailDomain of the member; `free.` is an organization on the free plan */
  const addOrganization = async (emailDomain: string) => {
    const plan = emailDomain.startsWith('free.') ? 'free' : 'paid';
    const email = (who: Who) => (who === 'admin' ? 'admin@shops.example' : `${who}@${emailDomain}`);
    // The one-machine service prints the password that Cognito sends by mail.
    const password = (who: Who) =>
      service
        .output()
        .split(`Invitation for ${email(who)}: the temporary password is `)[1]
        ?.split(/\s/)[0] ?? '';
    const words = ['--name', 'Corner Shop', '--plan', plan];
    const { org_id: orgId } = await vaWave<{ org_id: string }>('org', 'create', ...words);
    for (const role of ['admin', 'member'] as const) {
      await vaWave('member', 'add', '--org', orgId, '--email', email(role), '--role', role);
    }
    unseen++;
    /** Returns the address of a screen. @param path within the organization, such as `/members` */
    const url = (path: string) => `${service.baseUrl}/dashboard/${orgId}${path}`;
    const heading = (page: Page) => page.getByRole('heading', { name: 'Assistants' }).waitFor();
    const fillLogin = async (page: Page, who: Who) => {
      await page.getByLabel('Email').fill(email(who));
      await page.getByLabel('Password').fill(password(who));
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    /** Opens the dashboard and logs in on the login page. */
    const logIn = async ({ page }: Visitor, who: Who) => {
      await page.goto(url(''));
      await fillLogin(page, who);
      await heading(page);
    };
    return {
      orgId,
      /** Creates the assistant `Website`. @param options of `assistant create` besides its own @returns its site id */
      addWebsite: async (...options: readonly string[]) => {
        const settings = ['--name', 'Website', '--domain', 'shop.example', '--rate-limit', '100', ...options];
        const created = await vaWave<{ site_id: string }>('assistant', 'create', '--org', orgId, ...settings);
        return created.site_id;
      },
      /** Creates an Action whose endpoint is `/hook` of the receiver. @param options of `action create` besides these @returns its id */
      addAction: async (siteId: string, trigger: Trigger, name: string, ...options: readonly string[]) => {
        const settings = ['--trigger', trigger, '--name', name, '--url', receiver.url('/hook'), ...options];
        return (await vaWave<{ action_id: string }>('action', 'create', '--site', siteId, ...settings)).action_id;
      },
      email,
      password,
      url,
      fillLogin,
      logIn,
      /** Shows the list of assistants in the admin's page, and forgets its problems. */
      enter: async (): Promise<void> => {
        const { page } = admin;
        if (!adminIsIn) {
          await logIn(admin, 'admin');
          adminIsIn = true;
          unseen = 0;
          return;
        }
        await page.setViewportSize(VIEWPORT);
        await page.emulateMedia({ colorScheme: 'light' });
        // A test that failed can leave a browser without network, and a dialog, which only a load of the page closes.
        await admin.context.setOffline(false);
        if (unseen > 0 || (await page.getByRole('dialog').count()) > 0) await page.goto(url(''));
        else await open(page, url(''));
        unseen = 0;
        await heading(page);
        admin.problems.length = 0;
      },
      /** Opens a screen in the admin's page with what is stored now. A screen keeps what it has loaded while it is open. */
      openAnew: async (path: string): Promise<void> => {
        await open(admin.page, url('/members'));
        await admin.page.getByRole('heading', { name: 'Members' }).waitFor();
        await open(admin.page, url(path));
      },
    };
  };
  const running = started.move();
  return { service, receiver, vaWave, admin, newPage, addOrganization, stop: () => running.disposeAsync() };
}

/** Opens a screen as Back and Forward do. A load of the page takes several times as long. */
export async function open(page: Page, url: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(url)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** Finds words of statuses, names and addresses that are broken over two lines. A word of more than twelve letters may need to be. */
const BROKEN_WORDS = `[...document.querySelectorAll('.anywhere')].flatMap((element) =>
  [...element.childNodes].filter((node) => node instanceof Text).flatMap((node) =>
    [...node.textContent.matchAll(/(?<![a-z])[a-z]{2,12}(?![a-z])/gi)].flatMap(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [word] : [];
    })))`;

/** Waits until three frames in a row have the same markup: after a change of the width, the page shows other parts. */
const SETTLED = `(async () => {
  for (let same = 0, before; same < 3; ) {
    before = document.body.innerHTML;
    await new Promise(requestAnimationFrame);
    same = document.body.innerHTML === before ? same + 1 : 0;
  }
})()`;

/** Returns what is wrong with the look of a screen: findings of axe, broken words, and a page that scrolls sideways. */
export async function flaws(page: Page): Promise<readonly string[]> {
  await page.evaluate(SETTLED);
  const findings = await axeFindings(page);
  const broken = await page.evaluate<string[]>(BROKEN_WORDS);
  const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  return [
    ...findings,
    ...broken.map((word) => `broken word: ${word}`),
    ...(sideways > 0 ? [`${sideways} pixels too wide`] : []),
  ];
}

/** Closes the page as its user would, and stays on it. @returns the type of the question that the browser asks before */
export async function askedByClosing(page: Page): Promise<string> {
  const asked = Promise.withResolvers<string>();
  page.once('dialog', (dialog) => {
    asked.resolve(dialog.type());
    void dialog.dismiss();
  });
  await page.close({ runBeforeUnload: true });
  return asked.promise;
}
