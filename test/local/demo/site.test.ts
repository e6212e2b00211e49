import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { demoSite } from '../../../local/demo/demo-site.ts';
import { startServer } from '../../harness/server.ts';

const nothing = 'http://127.0.0.1:9';
const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
const { port, stop } = await startServer(
  demoSite({
    cloud: { baseUrl: nothing, apiUrl: nothing, gatewayUrl: nothing, region: 'us-east-1', credentials, outputs: {} },
    receiver: { url: 'https://localhost:9', watch: () => () => true, failNext: () => {} },
    deployment: { publish: async () => '' },
    usageSecret: 'u'.repeat(32),
    organization: { org_id: 'org_1', website_site_id: 'site_1', members_site_id: 'site_2', server_secret: 'ss_demo' },
  }),
);
afterAll(stop);

function ask(path: string, host: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', reject);
  });
}

test.each(['localhost', '127.0.0.1'])('the site answers as %s', async (name) => {
  const { body } = await ask('/', `${name}:${port}`);
  expect(body).toContain('data-site-id');
  expect(body).toMatch(/<body>\n<a class="skip" href="#main">.*<main id="main" tabindex="-1">/s);
});

test.each(['/', '/members', '/members/token', '/live', '/assets/demo.js'])(
  'refuses %s to a host name that only resolves to this machine',
  async (path) => {
    for (const host of [`evil.example:${port}`, 'evil.example', `localhost.evil.example:${port}`]) {
      expect(await ask(path, host)).toEqual({ status: 421, body: 'This site is http://localhost' });
    }
  },
);

test.each(['/assets/toString', '/assets/constructor', '/assets/', '/assets/../demo-site.ts', '/assets/demo.js/'])(
  'answers 404 to %s',
  async (path) => {
    expect(await ask(path, `localhost:${port}`)).toEqual({ status: 404, body: 'Not found' });
  },
);

test('a failed answer does not disclose its cause', async () => {
  const printed: string[] = [];
  const { error } = console;
  console.error = (line: string) => void printed.push(line);
  try {
    const { status, body } = await ask('/members/token', `localhost:${port}`);
    expect([status, body]).toEqual([500, 'The demo site could not answer. Its terminal shows the cause.']);
    expect(printed).toEqual([expect.stringContaining('could not answer: ')]);
  } finally {
    console.error = error;
  }
});
