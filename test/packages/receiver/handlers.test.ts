import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  type ActionLocals,
  actionLambda,
  actionMiddleware,
  type Middleware,
  type UsageLocals,
  usageWebhookLambda,
  usageWebhookMiddleware,
  type VerificationError,
} from '../../../packages/receiver/src/index.ts';
import { send } from '../../e2e/examples/send.ts';
import { aiRequest, eventRequest, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { usageRequest } from '../../examples/usage-requests.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const options = { now: () => NOW.getTime() };
const USAGE_SECRET = 'usage-secret-of-at-least-32-characters';
const usage = (secret: string) => usageRequest({ now: NOW, secret, userId: 'user-1' });

test.each([actionMiddleware, usageWebhookMiddleware, actionLambda, usageWebhookLambda])(
  'throws at once without a secret (%#)',
  (create) => {
    expect(() => Reflect.apply(create, undefined, [undefined])).toThrow(/environment variable/);
  },
);

describe('the middlewares', () => {
  const servers: TestServer[] = [];
  afterAll(() => {
    for (const { stop } of servers) stop();
  });

  /** Starts a server that runs `before`, as an application runs its parsers, then the middleware. Answers 500 with the error of `next`. */
  async function serve(
    middleware: Middleware<ActionLocals & UsageLocals>,
    before?: (request: IncomingMessage) => Promise<object>,
  ): Promise<string> {
    const server = await startServer(async (incoming, outgoing) => {
      const request = Object.assign(incoming, await before?.(incoming));
      const response = Object.assign(outgoing, { locals: Object.create(null) });
      await middleware(request, response, (error) => {
        response.statusCode = error === undefined ? 200 : 500;
        response.end(error === undefined ? JSON.stringify(response.locals) : String(error));
      });
    });
    servers.push(server);
    return `${server.origin}/actions`;
  }

  test('store the verified request in response.locals', async () => {
    const actions = await serve(actionMiddleware(SIGNING_SECRET, options));
    const { body } = await send(actions, aiRequest({ now: NOW }, { order: '1' }));
    expect(JSON.parse(body)).toMatchObject({ action: { trigger: 'ai', body: { order: '1' } } });
    const reports = await serve(usageWebhookMiddleware(USAGE_SECRET, options));
    const report = await send(reports, await usage(USAGE_SECRET));
    expect(JSON.parse(report.body)).toMatchObject({ usage: { user_id: 'user-1', nonce: expect.any(String) } });
    expect((await send(reports, await usage('x'.repeat(32)))).status).toBe(401);
  });

  test.each(['body', 'rawBody'])('verify the bytes that express.raw() or a host kept in `%s`', async (name) => {
    const kept = async (request: IncomingMessage) => ({ body: {}, [name]: await buffer(request) });
    const url = await serve(actionMiddleware(SIGNING_SECRET, options), kept);
    expect((await send(url, aiRequest({ now: NOW }))).status).toBe(200);
  });

  test('report where to mount them when a JSON parser has read the body', async () => {
    const parse = async (request: IncomingMessage) => ({ body: JSON.parse(String(await buffer(request))) });
    const url = await serve(actionMiddleware(SIGNING_SECRET, options), parse);
    const answer = await send(url, aiRequest({ now: NOW }));
    expect(answer).toEqual({ status: 500, body: expect.stringContaining('before express.json()') });
  });

  test('call onRefused with the reason after they have answered', async () => {
    const codes: string[] = [];
    const onRefused = ({ code }: VerificationError) => codes.push(code);
    const url = await serve(actionMiddleware(SIGNING_SECRET, { ...options, onRefused }));
    const signed = eventRequest({ now: NOW });
    expect((await send(url, signed)).status).toBe(200);
    expect((await send(url, { ...signed, headers: {} })).status).toBe(400);
    expect((await send(url, eventRequest({ now: NOW, secret: 'whsec_another' }))).status).toBe(401);
    expect((await send(url, eventRequest({ now: NOW }, { text: 'x'.repeat(2 ** 20) }))).status).toBe(413);
    expect(codes).toEqual(['signature_missing', 'signature_mismatch', 'body_too_large']);
  });
});

describe('the Lambda handlers', () => {
  /** The event that a Function URL passes to a function for this request. */
  const lambdaEvent = ({ headers, body }: ReturnType<typeof aiRequest>, encoding: 'base64' | 'utf8' = 'base64') => ({
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: Buffer.from(body ?? []).toString(encoding),
    isBase64Encoded: encoding === 'base64',
  });

  test('answer with the return value, or with the reason of a refusal', async () => {
    const handler = actionLambda(SIGNING_SECRET, async (action) => ({ order: action.body }), options);
    expect(await handler(lambdaEvent(aiRequest({ now: NOW }, { name: 'Zoë' }), 'utf8'))).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"order":{"name":"Zoë"}}',
    });
    const refused = await handler({ headers: {} });
    expect(refused).toMatchObject({ statusCode: 400, body: '{"error":"X-Service-Signature is missing"}' });
    const silent = actionLambda(SIGNING_SECRET, async () => {}, options);
    expect(await silent(lambdaEvent(aiRequest({ now: NOW })))).toMatchObject({ body: '{"received":true}' });
  });

  test('throw the error of the handler, so that the service sends an event again', async () => {
    const fault = () => Promise.reject(new Error('The database is unavailable'));
    const faulty = actionLambda(SIGNING_SECRET, fault, options);
    await expect(faulty(lambdaEvent(aiRequest({ now: NOW })))).rejects.toThrow('The database is unavailable');
  });

  test('answer should_continue to a usage webhook', async () => {
    const handler = usageWebhookLambda(
      USAGE_SECRET,
      async (report) => ({ should_continue: report.usage.total_tokens < 100 }),
      options,
    );
    const answer = await handler(lambdaEvent(await usage(USAGE_SECRET)));
    expect(answer).toMatchObject({ statusCode: 200, body: '{"should_continue":false}' });
    expect((await handler(lambdaEvent(await usage('x'.repeat(32))))).statusCode).toBe(401);
  });
});
