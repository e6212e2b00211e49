import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { demoSite } from '../../../../local/demo/demo-site.ts';
import { startServer } from '../../../harness/server.ts';

const nothing = 'http://127.0.0.1:9';
const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
/** The service, of which the conversations of the site ask init. */
let status = 200;
const service = await startServer(async (request, response) => {
  const { conversation_id } = JSON.parse(await text(request));
  const admitted = { site_id: 'site_1', conversation_id, session_id: 'session' };
  response.writeHead(request.url === '/api/widget/init' ? status : 404).end(JSON.stringify(admitted));
});
afterAll(service.stop);
const { port, stop } = await startServer(
  demoSite({
    cloud: {
      baseUrl: nothing,
      apiUrl: service.origin,
      gatewayUrl: nothing,
      region: 'us-east-1',
      credentials,
      outputs: {},
    },
    receiver: { url: 'https://localhost:9', watch: () => () => true },
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

describe('a conversation', () => {
  const { error } = console;
  beforeAll(() => {
    console.error = () => {};
  });
  afterAll(() => {
    console.error = error;
  });
  const post = async (path: string, body: object) => {
    const origin = `http://127.0.0.1:${port}`;
    const headers = { origin, 'content-type': 'application/json', 'x-site-id': 'site_1' };
    return fetch(`${origin}/conversation/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const said = async (path: string, body: object) => {
    const answered = z.object({ messages: z.array(z.object({ from: z.string() })) });
    return answered.parse(await (await post(path, body)).json()).messages.map(({ from }) => from);
  };

  test('answers what two tabs say at the same time, one after the other', async () => {
    status = 200;
    const say = (text: string) => said('turns', { conversation_id: 'c1', text });
    expect(await Promise.all([say('one'), say('two')])).toEqual([['assistant'], ['assistant']]);
    const whole = ['visitor', 'assistant', 'visitor', 'assistant'];
    expect(await said('read', { conversation_id: 'c1' })).toEqual(whole);
  });

  test.each([
    [401, 401],
    [403, 401],
    [429, 500],
    [503, 500],
  ])('that init answers with %i is answered with %i', async (answered, seen) => {
    status = answered;
    expect((await post('read', { conversation_id: 'c1' })).status).toBe(seen);
  });
});

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
