import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  type ActionLocals,
  actionMiddleware,
  type Middleware,
  type UsageLocals,
  usageWebhookMiddleware,
  type VerificationError,
} from '../../../packages/receiver/src/index.ts';
import type { OutboundRequest } from '../../../src/domain/delivery/outbound.ts';
import { send } from '../../e2e/examples/send.ts';
import { aiRequest, eventRequest, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { usageRequest } from '../../examples/usage-requests.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const options = { now: () => NOW.getTime() };

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** Starts a server that runs `before`, as an application runs its parsers, then the middleware. Answers 500 with the error of `next`. */
async function serve(
  middleware: Middleware<ActionLocals & UsageLocals>,
  before?: (request: IncomingMessage) => Promise<object>,
): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const request = Object.assign(incoming, await before?.(incoming));
    const response = Object.assign(outgoing, { locals: Object.create(null) });
    await middleware(request, response, (error) => {
      response.statusCode = error === undefined ? 200 : 500;
      response.end(error === undefined ? JSON.stringify(response.locals) : String(error));
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/actions`;
}

async function statusAndBody(url: string, request: OutboundRequest): Promise<readonly [number, string]> {
  const { status, body } = await send(url, request);
  return [status, body];
}

describe('actionMiddleware', () => {
  test('stores the verified Action in response.locals', async () => {
    const url = await serve(actionMiddleware(SIGNING_SECRET, options));
    const [, body] = await statusAndBody(url, aiRequest({ now: NOW }, { order: '1' }));
    expect(JSON.parse(body)).toMatchObject({ action: { trigger: 'ai', body: { order: '1' } } });
  });

  test('verifies the bytes that express.raw() or a host kept', async () => {
    for (const name of ['body', 'rawBody']) {
      const url = await serve(actionMiddleware(SIGNING_SECRET, options), async (request) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        return { body: {}, [name]: Buffer.concat(chunks) };
      });
      expect((await send(url, aiRequest({ now: NOW }))).status).toBe(200);
    }
  });

  test('reports where to mount it when a JSON parser has read the body', async () => {
    const url = await serve(actionMiddleware(SIGNING_SECRET, options), async (request) => {
      for await (const _ of request);
      return { body: {} };
    });
    expect(await statusAndBody(url, aiRequest({ now: NOW }))).toEqual([
      500,
      expect.stringContaining('before express.json()'),
    ]);
  });

  test('calls onRefused with the reason after it has answered', async () => {
    const codes: string[] = [];
    const onRefused = ({ code }: VerificationError) => codes.push(code);
    const url = await serve(actionMiddleware(SIGNING_SECRET, { ...options, maxBodyBytes: 1000, onRefused }));
    const signed = eventRequest({ now: NOW });
    expect((await send(url, signed)).status).toBe(200);
    expect((await send(url, { ...signed, headers: {} })).status).toBe(400);
    expect((await send(url, eventRequest({ now: NOW, secret: 'whsec_another' }))).status).toBe(401);
    expect((await send(url, eventRequest({ now: NOW }, { text: 'x'.repeat(2000) }))).status).toBe(413);
    expect(codes).toEqual(['signature_missing', 'signature_mismatch', 'body_too_large']);
  });

  test.each([actionMiddleware, usageWebhookMiddleware])('throws at once without a secret', (create) => {
    expect(() => create(undefined)).toThrow(/environment variable/);
  });
});

test('usageWebhookMiddleware stores the report in response.locals', async () => {
  const secret = 'usage-secret-of-at-least-32-characters';
  const url = await serve(usageWebhookMiddleware(secret, options));
  const [status, body] = await statusAndBody(url, await usageRequest({ now: NOW, secret, userId: 'user-1' }));
  expect([status, JSON.parse(body)]).toEqual([
    200,
    { usage: expect.objectContaining({ user_id: 'user-1', nonce: expect.any(String) }) },
  ]);
  const forged = await usageRequest({ now: NOW, secret: 'x'.repeat(32), userId: 'user-1' });
  expect((await send(url, forged)).status).toBe(401);
});
