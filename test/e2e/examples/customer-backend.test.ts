import { copiedExample, started } from '../../examples/copied-example.ts';
import { usageRequest } from '../../examples/usage-requests.ts';
import { describeWhere, type Missing, missingUnless } from '../../examples/where-installed.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { type Command, type RunningExample, startExample } from './child.ts';
import { claimsOf, startSessionService } from './fake-sessions.ts';
import { send } from './send.ts';

const USER = { sub: 'user-1', user_name: 'Zoë Example', user_email: 'zoe@example.com' };

const backends: { name: string; missing: Missing; prepare: (folder: string) => Promise<Command> }[] = [
  {
    name: 'node',
    missing: undefined,
    prepare: async (folder) => started(await copiedExample('customer-backend', folder, 'node')),
  },
  {
    name: 'python',
    missing: missingUnless('Flask', ['python3', '-c', 'import flask']),
    prepare: async (folder) => {
      const cwd = await copiedExample('customer-backend', folder, 'python');
      return { command: 'python3', args: ['-B', 'server.py'], cwd };
    },
  },
];

for (const backend of backends) {
  describeWhere(backend.missing, `examples/customer-backend/${backend.name}`, () => {
    let service: Awaited<ReturnType<typeof startSessionService>>;
    let running: RunningExample;
    let url: string;

    beforeAll(async () => {
      service = await startSessionService();
      running = await startExample(await backend.prepare(temporaryFolder()), {
        BASE_URL: service.baseUrl,
        SERVER_KEY: service.serverKey,
        USAGE_WEBHOOK_URL: 'https://backend.example/usage',
        USAGE_KEY: 'a key that only this backend knows',
        TOKENS_PER_USER: '1000',
      });
      url = `http://127.0.0.1:${running.port}`;
    });
    afterAll(async () => {
      await running?.stop();
      service.stop();
    });

    const pageToken = async () => {
      const html = await (await fetch(`${url}/`)).text();
      return /<script async src="([^"]*)" data-session-token="([^"]*)">/.exec(html)?.slice(1) ?? [];
    };
    const renew = (headers: Record<string, string> = {}) => fetch(`${url}/widget-session`, { method: 'POST', headers });

    test('serves the page without the widget when the service fails, and tells the page when to renew again', async () => {
      service.perMinute.decision = { allowed: false, retryAfterSeconds: 7 };
      expect(await pageToken()).toEqual([]);
      const refused = await renew();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '7']);
      service.perMinute.decision = { allowed: true };
    });

    test('renders the widget with a token of the user, and the next page with the same token', async () => {
      const calls = service.perMinute.calls.length;
      const [script, token = ''] = await pageToken();
      expect(script).toBe(`${service.baseUrl}/static/va-wave-widget.js`);
      expect(claimsOf(token)).toMatchObject({
        ...USER,
        usage_webhook: { url: 'https://backend.example/usage', secret: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
      expect(await pageToken()).toEqual([script, token]);
      expect(service.perMinute.calls).toHaveLength(calls + 1);
    });

    test('renews the token only for its own pages', async () => {
      const [, token = ''] = await pageToken();
      const renewed = await renew({ 'Sec-Fetch-Site': 'same-origin' });
      expect(renewed.headers.get('cache-control')).toBe('no-store');
      const { session_token } = (await renewed.json()) as { session_token: string };
      expect(claimsOf(session_token)).toMatchObject(USER);
      expect(session_token).not.toBe(token);
      expect((await renew({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
      expect((await fetch(`${url}/widget-session`)).ok).toBe(false);
    });

    test('accepts usage reports of the service until the budget is spent, and refuses other reports', async () => {
      const [, token = ''] = await pageToken();
      const secret = claimsOf(token).usage_webhook?.secret ?? '';
      const report = async (changes: Partial<Parameters<typeof usageRequest>[0]> = {}) =>
        send(`${url}/usage`, await usageRequest({ now: new Date(), secret, userId: USER.sub, ...changes }));

      expect(await report({ totalTokens: 600 })).toEqual({
        status: 200,
        body: expect.stringMatching(/^\{"should_continue": ?true\}\s*$/),
      });
      const second = await usageRequest({ now: new Date(), secret, userId: USER.sub, totalTokens: 300 });
      // A duplicate report counts once.
      for (let time = 0; time < 2; time += 1) {
        expect((await send(`${url}/usage`, second)).body).toMatch(/true/);
      }
      expect((await report({ totalTokens: 300 })).body).toMatch(/^\{"should_continue": ?false\}\s*$/);

      expect((await report({ userId: 'user-2' })).status).toBe(401);
      expect((await report({ secret: 'x'.repeat(32) })).status).toBe(401);
      expect((await report({ now: new Date(Date.now() - 310_000) })).status).toBe(400);
      const { 'X-Webhook-Signature': _, ...headers } = second.headers;
      expect((await send(`${url}/usage`, { ...second, headers })).status).toBe(400);
      // Anybody can send a body of any length, so the backend reads no more than it must.
      expect((await send(`${url}/usage`, { ...second, body: Buffer.alloc(2 ** 20 + 1) })).status).toBe(413);
    });
  });
}
