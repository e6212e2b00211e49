import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { builtDashboard } from '../../lib/dashboard-page.ts';
import { bundleWidget } from '../../lib/widget-bundle.ts';
import { operatorOf } from '../../local/demo/operator.ts';
import { startLocalCloud } from '../../local/local-cloud.ts';
import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { launchBrowser } from '../../test/e2e/widget/browser.ts';
import type { Goal, Section } from '../report.ts';
import { median } from '../statistics.ts';

/** Sizes in kB with gzip of the files that other widgets load first (measured once). They contain a whole chat; ours does not. */
const OTHER_LOADERS = {
  'n8n chat': 456,
  Flowise: 284,
  Botpress: 234,
  Typebot: 196,
  'deep-chat': 111,
  ChatterMate: 12.4,
  "Intercom's first file, which loads the rest later": 1.4,
} as const;

const LOADS = 9;

/** Measures the size of the two pages and the time until their first control appears. */
export async function pages(folder: string): Promise<Section> {
  const widget = gzipSync(bundleWidget().code, { level: 9 }).length / 1000;
  const built = builtDashboard();
  const dashboard = globSync('{page,assets}/**/*.{js,css,html}', { cwd: built }).map(
    (file) => gzipSync(readFileSync(join(built, file)), { level: 9 }).length / 1000,
  );
  const times = await timesToFirstControl(folder);
  return {
    title: 'Widget and dashboard',
    method: `Sizes are with gzip. Times are medians of ${LOADS} page loads in a headless Chromium on this machine with an empty cache, from navigation
to the first control. The widget is on an otherwise empty page, and its time includes init. The dashboard's time ends at its login page.
The other widgets contain a whole chat; this widget contains forms and a place for the platform's conversation view.`,
    tables: [
      {
        columns: ['Page', 'kB', 'ms to the first control'],
        rows: [
          ['widget: loader and panel', widget, times.widget],
          ['dashboard: everything', dashboard.reduce((sum, size) => sum + size, 0), times.dashboard],
        ],
      },
      {
        columns: ['Other widgets', 'kB', 'size of this widget as a ratio'],
        rows: Object.entries(OTHER_LOADERS).map(([name, size]) => [name, size, widget / size]),
      },
    ],
    goals: [atMost('Widget, kB with gzip', widget, 12.4)],
  };
}

const atMost = (name: string, found: number, limit: number): Goal => ({
  name,
  goal: `< ${limit} (the smallest other widget that loads in one file)`,
  found: found.toFixed(1),
  met: found < limit,
});

async function timesToFirstControl(folder: string) {
  const cloud = await startLocalCloud({ data: join(folder, 'pages') });
  const operator = operatorOf(cloud);
  const browser = await launchBrowser(['--host-resolver-rules=MAP shop.example.com 127.0.0.1']);
  const shop = createServer();
  try {
    const { org_id } = await createOrganization({ name: 'Bench', plan: 'paid' }, operator.management);
    const site = {
      name: 'Bench',
      domain: 'shop.example.com',
      hourly_rate_limit: 1000,
      allowed_domains: ['shop.example.com'],
    };
    const { site_id } = await createAssistant(org_id, site, operator.management);
    // The widget shows nothing for an assistant without a form.
    await createAction(
      site_id,
      {
        trigger: 'Form',
        name: 'Contact us',
        url: 'https://shop.example.com/hook',
        form_fields: [{ key: 'name', label: 'Name', type: 'Text', required: true }],
      },
      operator.management,
    );
    const html = `<!doctype html><title>Shop</title><script async src="${cloud.baseUrl}/static/va-wave-widget.js" data-site-id="${site_id}"></script>`;
    shop.on('request', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const { port } = shop.address() as AddressInfo;
    const time = async (url: string, ready: (page: Page) => Promise<void>) => {
      const all: number[] = [];
      for (let load = 0; load <= LOADS; load++) {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.route('http://shop.example.com/', (route) =>
          route.fulfill({ contentType: 'text/html', body: html }),
        );
        const startedAt = performance.now();
        await page.goto(url);
        await ready(page);
        if (load > 0) all.push(performance.now() - startedAt);
        await context.close();
      }
      return median(all);
    };
    return {
      widget: await time(`http://shop.example.com:${port}/`, (page) => page.getByRole('button').first().waitFor()),
      dashboard: await time(`${cloud.baseUrl}/dashboard/`, (page) =>
        page.locator('button, input:not([type=hidden])').first().waitFor(),
      ),
    };
  } finally {
    await browser.close();
    shop.close();
    await cloud.stop();
  }
}
