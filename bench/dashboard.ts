import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { launchBrowser } from '../test/e2e/widget/browser.ts';
import { dashboardFiles, dashboardSize } from './pages/dashboard-files.ts';

// Measures the size of the dashboard and the time until its first button can be pressed: `node bench/dashboard.ts`.
// The server compresses files as CloudFront does. The user is logged in. The API answers after 50 ms.

const RUNS = 5;
const API_MS = 50;
/** Lighthouse's slow 4G: 1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip. */
const SLOW_4G = { latency: 150, downloadThroughput: (1.6e6 / 8) | 0, uploadThroughput: (750e3 / 8) | 0 };
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const files = dashboardFiles();

const json: Readonly<Record<string, object>> = {
  '/dashboard/config.json': { issuer: 'http://login.example', client_id: 'bench', scope: 'openid' },
  '/api/dashboard/me': {
    sub: 'anna',
    organizations: [{ org_id: 'org_a', name: 'Corner Shop', plan: 'paid', role: 'admin', email: 'anna@shop.example' }],
  },
  '/api/dashboard/organizations/org_a/assistants': { assistants: [] },
};
let transferred = 0;
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://bench').pathname;
  const answer = json[path];
  if (answer !== undefined) {
    const send = () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    setTimeout(send, path.startsWith('/api') ? API_MS : 0);
    return;
  }
  const name = files.has(path) ? path : '/dashboard/index.html';
  const file = files.get(name);
  if (file === undefined) throw new Error('The built dashboard has no page');
  transferred += file.length;
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(file);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const loggedIn = JSON.stringify({ access_token: 'bench', token_type: 'Bearer', profile: {}, expires_at: 4e9 });

const browser = await launchBrowser();
async function measure(slow: boolean, cpu: number): Promise<{ readonly ms: number; readonly bytes: number }> {
  const context = await browser.newContext();
  await context.addInitScript(`sessionStorage.setItem('oidc.user:http://login.example:bench', '${loggedIn}')`);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  if (slow) await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  transferred = 0;
  const started = performance.now();
  await page.goto(`${origin}/dashboard/`, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Create assistant' }).first().waitFor();
  const ms = performance.now() - started;
  await context.close();
  return { ms, bytes: transferred };
}

async function median(slow: boolean, cpu: number): Promise<string> {
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure(slow, cpu));
  runs.sort((a, b) => a.ms - b.ms);
  const middle = runs[RUNS >> 1];
  return middle === undefined ? '' : `${(middle.ms / 1000).toFixed(1)} s (${Math.round(middle.bytes / 1024)} KB gzip)`;
}

const { kilobytes, files: count } = dashboardSize();
console.log(`| | |\n| --- | --- |`);
console.log(`| All files, gzip | ${kilobytes} KB in ${count} files |`);
console.log(`| First button, slow 4G, empty cache | ${await median(true, 1)} |`);
console.log(`| First button, slow 4G, a CPU four times slower | ${await median(true, 4)} |`);
console.log(`| First button, fast network | ${await median(false, 1)} |`);
await browser.close();
server.close();
