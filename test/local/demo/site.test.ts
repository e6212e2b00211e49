import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { Feed } from '../../../local/demo/feed.ts';
import { type Site, startSite } from '../../../local/demo/site.ts';
import { InMemoryConfigurationStore } from '../../fakes/configuration-store.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';

let site: Site;
beforeAll(async () => {
  const nothing = 'http://127.0.0.1:9';
  site = await startSite(
    {
      cloud: {
        baseUrl: nothing,
        apiUrl: nothing,
        gatewayUrl: nothing,
        region: 'us-east-1',
        credentials: { accessKeyId: 'a', secretAccessKey: 's' },
        outputs: {},
        dataDir: '/nowhere',
      },
      feed: new Feed(),
      operator: {
        management: {
          store: new InMemoryConfigurationStore(),
          now: new FrozenClock().now,
          randomBytes: countingBytes(),
          sealSigningSecret: async () => 'sealed',
        },
        signingSecretOf: async () => 'secret',
        publish: async () => undefined,
      },
      receiverUrl: 'https://localhost:9',
      usageSecret: 'u'.repeat(32),
      fail: 0,
    },
    0,
  );
  site.open({
    org_id: 'org_1',
    website_site_id: 'site_1',
    members_site_id: 'site_2',
    server_secret: 'ss_demo',
  });
});
afterAll(() => site.stop());

function ask(path: string, host: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: site.port, path, headers: { host } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', reject);
  });
}

test.each(['localhost', '127.0.0.1'])('the site answers as %s', async (name) => {
  expect((await ask('/', `${name}:${site.port}`)).body).toContain('data-site-id');
});

test.each(['/', '/members', '/members/token', '/live', '/assets/demo.js'])(
  'refuses %s to a host name that only resolves to this machine',
  async (path) => {
    for (const host of [
      `evil.example:${site.port}`,
      'evil.example',
      `localhost.evil.example:${site.port}`,
      'localhost',
    ]) {
      expect(await ask(path, host)).toEqual({ status: 421, body: 'This site is http://localhost' });
    }
  },
);

test.each(['/assets/toString', '/assets/constructor', '/assets/', '/assets/../site.ts', '/assets/demo.js/'])(
  'answers 404 to %s',
  async (path) => {
    expect(await ask(path, site.host)).toEqual({ status: 404, body: 'Not found' });
  },
);

test('a failed answer does not disclose its cause', async () => {
  const printed: string[] = [];
  const { error } = console;
  console.error = (line: string) => void printed.push(line);
  try {
    const { status, body } = await ask('/members/token', site.host);
    expect([status, body]).toEqual([500, 'The demo site could not answer. Its terminal shows the cause.']);
    expect(printed).toEqual([expect.stringContaining('could not answer: ')]);
  } finally {
    console.error = error;
  }
});
