import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import * as z from 'zod';
import { SITE_ID } from '../../fakes/configuration.ts';
import { byDay } from '../../harness/full.ts';
import { describeWhere, type Missing, missingProgram } from '../../harness/programs.ts';
import { startServer } from '../../harness/server.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { usageRequest } from '../../unit/examples/usage-requests.ts';
import { type Command, type RunningExample, startExample } from './child.ts';
import { copiedExample, started } from './copied-example.ts';
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
    missing: missingProgram('Flask'),
    prepare: async (folder) => {
      const cwd = await copiedExample('customer-backend', folder, 'python');
      return { command: 'python3', args: ['-B', 'server.py'], cwd };
    },
  },
];

/**
 * A program by the name of its backend. For each line, an address, a server key and a session, it prints the two tokens that its session
 * client gives two pages, or its error, as JSON, with all that it writes to its standard error.
 */
const TWO_TOKENS: Readonly<Record<string, Omit<Command, 'cwd'>>> = {
  node: {
    command: process.execPath,
    args: [
      '--input-type=module',
      '-e',
      `import { createInterface } from 'node:readline';
      import { inspect } from 'node:util';
      import { sessionClient } from './sessions.mjs';
      let errorText = '';
      process.stderr.write = (text) => (errorText += text) !== '';
      async function tokens([baseUrl, serverKey, session]) {
        const client = sessionClient({ baseUrl, serverKey });
        return (await client.tokenFor(session)) + '\\n' + (await client.tokenFor(session));
      }
      for await (const line of createInterface(process.stdin)) {
        errorText = '';
        const printed = await tokens(JSON.parse(line)).catch(inspect);
        console.log(JSON.stringify(printed + errorText));
      }`,
    ],
  },
  python: {
    command: 'python3',
    args: [
      '-B',
      '-c',
      `import contextlib, io, json, sessions, sys, traceback
def tokens(base_url, server_key, session):
    client = sessions.SessionClient(base_url, server_key)
    return "\\n".join(client.token_for(session) for page in range(2))
for line in sys.stdin:
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            printed = tokens(*json.loads(line))
        except Exception:
            printed = traceback.format_exc()
    print(json.dumps(printed + errors.getvalue()), flush=True)`,
    ],
  },
};

for (const backend of backends) {
  describeWhere(backend.missing, `examples/customer-backend/${backend.name}`, () => {
    let service: Awaited<ReturnType<typeof startSessionService>>;
    let prepared: Command;
    let running: RunningExample;
    let url: string;
    let program: ReturnType<typeof startProgram>;

    beforeAll(async () => {
      service = await startSessionService();
      prepared = await backend.prepare(temporaryFolder());
      running = await start();
      url = `http://127.0.0.1:${running.port}`;
      program = startProgram();
    });
    const start = () =>
      startExample(prepared, {
        BASE_URL: service.baseUrl,
        SERVER_KEY: service.serverKey,
        USAGE_WEBHOOK_URL: 'https://backend.example/usage',
        USAGE_KEY: 'a key that only this backend knows',
        TOKENS_PER_USER: '1000',
      });
    afterAll(async () => {
      program?.child.kill();
      await running?.stop();
      service.stop();
    });

    const pageToken = async () => {
      const html = await (await fetch(`${url}/`)).text();
      return /<script async src="([^"]*)" data-session-token="([^"]*)">/.exec(html)?.slice(1) ?? [];
    };
    const renew = (headers: Record<string, string> = {}) => fetch(`${url}/widget-session`, { method: 'POST', headers });

    const startProgram = (environment: Readonly<Record<string, string>> = {}) => {
      const { command, args } = TWO_TOKENS[backend.name] ?? { command: '', args: [] };
      const cwd = resolve('examples/customer-backend', backend.name);
      const stdio = ['pipe', 'pipe', 'inherit'] as const;
      const child = spawn(command, args, { cwd, env: { ...process.env, ...environment }, stdio: [...stdio] });
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
    };

    /** Asks the program for two tokens. @returns what it prints, also when it fails */
    const twoTokens = async (
      { baseUrl = service.baseUrl, serverKey = service.serverKey, session = {} },
      { child, lines } = program,
    ) => {
      child.stdin.write(`${JSON.stringify([baseUrl, serverKey, session])}\n`);
      const { value = '' } = await lines.next();
      return z.string().parse(JSON.parse(value));
    };

    test('serves the page without the widget while the service fails, then with one token of the user, which only its own pages renew', async () => {
      // No other test has asked it for the token of the user.
      await using backendOfTest = new AsyncDisposableStack();
      const { port, stop } = await start();
      backendOfTest.defer(async () => void (await stop()));
      url = `http://127.0.0.1:${port}`;
      backendOfTest.defer(() => {
        url = `http://127.0.0.1:${running.port}`;
      });
      service.perMinute.decision = { isAllowed: false, retryAfterSeconds: 7 };
      expect(await pageToken()).toEqual([]);
      const refused = await renew();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '7']);
      service.perMinute.decision = { isAllowed: true };

      const calls = service.perMinute.calls.length;
      const [script, token = ''] = await pageToken();
      expect(script).toBe(`${service.baseUrl}/static/va-wave-widget.js`);
      expect(claimsOf(token)).toMatchObject({
        ...USER,
        usage_webhook: { url: 'https://backend.example/usage', secret: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
      expect(await pageToken()).toEqual([script, token]);
      expect(service.perMinute.calls).toHaveLength(calls + 1);

      const renewed = await renew({ 'Sec-Fetch-Site': 'same-origin' });
      expect(renewed.headers.get('cache-control')).toBe('no-store');
      const { session_token } = (await renewed.json()) as { session_token: string };
      expect(claimsOf(session_token)).toMatchObject(USER);
      expect(session_token).not.toBe(token);
      expect((await renew({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
      expect((await fetch(`${url}/widget-session`)).ok).toBe(false);
    });

    test.each([12, -12])(
      'hands out no token that has nearly expired, with a clock that differs by %i minutes',
      async (minutes) => {
        const guest = { headers: { cookie: `guest=${randomUUID()}` } };
        const tokenOf = async () =>
          /data-session-token="([^"]*)"/.exec(await (await fetch(`${url}/?guest`, guest)).text())?.[1];
        service.clock.aheadMs = minutes * 60_000;
        // A page gets a kept token only while it is valid for five more minutes: here, for one second.
        service.clock.lifeSeconds = 301;
        const first = await tokenOf();
        await sleep(1100);
        service.clock.lifeSeconds = 900;
        const second = await tokenOf();
        expect(second).not.toBe(first);
        expect(await tokenOf()).toBe(second);
        service.clock.aheadMs = 0;
      },
    );

    test.each([{}, { user_id: null }, { user_id: '' }])(
      'keeps no token of a session of nobody: %p',
      async (session) => {
        const stdout = await twoTokens({ session });
        const subjects = stdout
          .trim()
          .split('\n')
          .map((token) => claimsOf(token).sub);
        expect(new Set(subjects).size).toBe(2);
      },
    );

    if (backend.name === 'node')
      test('mints no token for everybody where a framework keeps what pages fetch, as Next.js does', async () => {
        // It keeps an answer with the page that it builds, unless it is told not to: then this error says that the page is rendered for each request.
        const framework = `globalThis.fetch = async (_, { cache }) => {
          if (cache === 'no-store') throw Object.assign(new Error(), { digest: 'DYNAMIC_SERVER_USAGE' });
          return Response.json({ session_token: 'of everybody', expires_in_seconds: 900 });
        }`;
        const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(framework)}`;
        const inFramework = startProgram({ NODE_OPTIONS });
        const printed = await twoTokens({}, inFramework);
        inFramework.child.kill();
        expect(printed).toContain('DYNAMIC_SERVER_USAGE');
        expect(printed).not.toMatch(/of everybody|SessionError/);
      });

    test.each([
      ['\n', ''],
      ['\r\n', ''],
      ['', ' '],
    ])('takes a server key with %j behind and %j before it', async (behind, before) => {
      const printed = await twoTokens({ serverKey: before + service.serverKey + behind });
      expect(
        printed
          .trim()
          .split('\n')
          .map((token) => claimsOf(token).site_id),
      ).toEqual([SITE_ID, SITE_ID]);
    });

    test.each([
      '"ss_DontTell"',
      '“ss_DontTell”',
      'ss_DontTell\nss_DontTell',
      'ss_DontTell\u0001',
      'Bearer ss_DontTell',
    ])('does not print what is no server key: %j', async (serverKey) => {
      const printed = await twoTokens({ serverKey });
      expect(printed).toContain('is not a server secret');
      expect(printed).not.toContain('DontTell');
    });

    test.each(byDay(1, ['http://shop.example/', '', 'shop.example', '"http://shop.example"']))(
      'does not start with the address %j, which would answer 404 to each session create',
      async (BASE_URL) => {
        const environment = { BASE_URL, SERVER_KEY: service.serverKey };
        await expect(startExample(prepared, environment)).rejects.toThrow('without a slash at the end');
      },
    );

    test.each([301, 302, 303, 307, 308])('takes the server key to no other address: %i', async (status) => {
      const elsewhere: string[] = [];
      const other = await startServer((request, response) => {
        elsewhere.push(`${request.method} ${request.headers['x-server-key']}`);
        response.end('{"session_token": "theirs", "expires_in_seconds": 900}');
      });
      const moved = await startServer((_, response) => response.writeHead(status, { location: other.origin }).end());
      const printed = await twoTokens({ baseUrl: moved.origin });
      for (const { stop } of [moved, other]) stop();
      expect(printed).toContain('SessionError');
      expect([printed.includes('theirs'), elsewhere]).toEqual([false, []]);
    });

    test.each([
      [200, '<html>'],
      [200, 'null'],
      [200, '{}'],
      [200, '[]'],
      [403, '<html>'],
      [502, ''],
    ])('reports a proxy that answers %i with %j as an error of its own kind', async (status, body) => {
      const proxy = await startServer((_, response) => response.writeHead(status).end(body));
      const printed = await twoTokens({ baseUrl: proxy.origin });
      proxy.stop();
      expect(printed).toMatch(status === 200 ? /SessionError|Session create/ : new RegExp(`answered ${status}`));
      expect(printed).not.toMatch(/TypeError: Cannot|undefined/);
    });

    test('says that there was no answer when it breaks off', async () => {
      const broken = await startServer((_, response) =>
        response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
      );
      const printed = await twoTokens({ baseUrl: broken.origin });
      broken.stop();
      expect(printed).toContain('did not answer');
    });

    test('gives each guest an id that stays, and no token of another guest', async () => {
      const visit = async (cookie = '') => {
        const response = await fetch(`${url}/?guest`, { headers: { cookie } });
        const [, token = ''] = /data-session-token="([^"]*)"/.exec(await response.text()) ?? [];
        const [set = ''] = response.headers.getSetCookie();
        return { token, sub: claimsOf(token).sub, cookie: set.split(';')[0], set };
      };
      const [ada, grace] = [await visit(), await visit()];
      expect(ada.sub).toMatch(/^guest-[0-9a-f-]{36}$/);
      expect(ada.set).toMatch(/HttpOnly/i);
      expect(grace.sub).not.toBe(ada.sub);
      const again = await visit(`theme=dark; ${ada.cookie}`);
      expect([again.token, again.set]).toEqual([ada.token, '']);
      // The page itself says where it renews its token.
      const [, script = ''] = /<script>(.*?)<\/script>/s.exec(await (await fetch(`${url}/?guest`)).text()) ?? [];
      const renewals: unknown[] = [];
      const tokens: string[] = [];
      runInNewContext(script, {
        location: new URL(`${url}/?guest`),
        document: { addEventListener: (_: string, listener: () => unknown) => renewals.push(listener()) },
        window: { vaWave: { setSessionToken: (token: string) => tokens.push(token) } },
        fetch: (path: string, init: RequestInit) =>
          fetch(new URL(path, url), { ...init, headers: { cookie: ada.cookie ?? '' } }),
      });
      await Promise.all(renewals);
      expect(tokens.map((token) => claimsOf(token).sub)).toEqual([ada.sub]);
      // A cookie is of the visitor's choice.
      for (const forged of ['guest=user-1', 'guest=', `guest=${'x'.repeat(36)}`]) {
        expect((await visit(forged)).sub).toMatch(/^guest-[0-9a-f-]{36}$/);
      }
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

    test('refuses what the service never sends, although the visitor knows the secret', async () => {
      const [, token = ''] = await pageToken();
      const secret = claimsOf(token).usage_webhook?.secret ?? '';
      const genuine = await usageRequest({ now: new Date(), secret, userId: USER.sub, totalTokens: 1 });
      const text = Buffer.from(genuine.body ?? []).toString();
      const signed = async (body: string) => {
        const digest = createHmac('sha256', secret).update(body).digest('hex');
        const headers = { ...genuine.headers, 'X-Webhook-Signature': digest };
        return (await send(`${url}/usage`, { ...genuine, headers, body: Buffer.from(body) })).status;
      };
      expect(await signed(text)).toBe(200);
      const total = '"total_tokens":1';
      const wrong = [
        '-1000000000',
        'NaN',
        'Infinity',
        '-Infinity',
        '1e400',
        '0.5',
        'true',
        'null',
        '"1"',
        '[]',
        '9'.repeat(5000),
      ];
      const bodies = [
        ...wrong.map((value) => text.replace(total, `"total_tokens":${value}`)),
        ...wrong.map((value) => text.replace(/"input_tokens":\d+/, `"input_tokens":${value}`)),
        ...['""', '7', 'null', '[]'].map((value) => text.replace(/"nonce":"[^"]*"/, `"nonce":${value}`)),
        ...['7', 'null', '{}'].map((value) => text.replace(`"user_id":"${USER.sub}"`, `"user_id":${value}`)),
        '[]',
        'null',
        '',
      ];
      for (const body of bodies) expect([body, await signed(body)]).toEqual([body, 400]);
      expect(await signed(`${text}${' '.repeat(16 * 1024)}`)).toBe(413);
      const deep = text.replace(total, `${total},"more":${'['.repeat(5000)}${']'.repeat(5000)}`);
      expect([200, 400]).toContain(await signed(deep));
    });
  });
}
