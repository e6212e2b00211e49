import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import express5 from 'express';
import express4 from 'express-4';
import fastify from 'fastify';
import { Hono } from 'hono';
import {
  actionLambda,
  actionMiddleware,
  actionRoute,
  type LambdaHttpEvent,
  readRawBody,
  type UsageReport,
  usageWebhookLambda,
  usageWebhookMiddleware,
  usageWebhookRoute,
  VerificationError,
  type VerifiedEvent,
  verifyAction,
} from '../../../../packages/receiver/src/index.ts';
import type { OutboundRequest } from '../../../../src/domain/context.ts';
import { startServer, type TestServer } from '../../../harness/server.ts';
import { until } from '../../../harness/until.ts';
import { send } from '../../../service/examples/send.ts';
import { aiRequest, eventByGet, eventRequest, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { usageRequest } from '../../examples/usage-requests.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW.getTime() };
const EVENTS = { trigger: 'event', secret: SIGNING_SECRET, ...clock } as const;
const CALLS = { trigger: 'ai', secret: SIGNING_SECRET, ...clock } as const;
const USAGE_SECRET = 'usage-secret-of-at-least-32-characters';
const USAGE = { secret: USAGE_SECRET, ...clock };
const event = (data: object = { name: 'Zoë', big: '1'.repeat(20) }) => eventRequest({ now: NOW }, data);
const usage = (secret = USAGE_SECRET) => usageRequest({ now: NOW, secret, userId: 'user-1' });

type Answer = { readonly status: number; readonly body: string };
/** Sends a request to a receiver of events. */
type Sender = (request: OutboundRequest) => Promise<Answer>;

/** The answer of every receiver of this file, which shows the bytes that it would store. */
const kept = ({ rawBody }: VerifiedEvent) => ({ kept: Buffer.from(rawBody).toString('base64') });

const servers: TestServer[] = [];
afterAll(() => {
  for (const { stop } of servers) stop();
});
const originOf = async (listener: RequestListener) => {
  const server = await startServer(listener);
  servers.push(server);
  return server.origin;
};
const serving = async (listener: RequestListener): Promise<Sender> => {
  const origin = await originOf(listener);
  return (request) => send(`${origin}/actions`, request);
};

const express = (framework: typeof express5, ...before: readonly express5.RequestHandler[]) => {
  const app = framework();
  for (const parser of before) app.use(parser);
  app.all('/actions', actionMiddleware(EVENTS), (_request, response) => {
    response.json(kept(response.locals.action));
  });
  return serving(app);
};

/** Fastify answers a VerificationError with its status. */
const fastifyWith = async (prepare: (app: ReturnType<typeof fastify>) => void) => {
  const app = fastify();
  prepare(app);
  app.all('/actions', async (request) => kept(verifyAction(await readRawBody(request), request.headers, EVENTS)));
  await app.ready();
  return serving(app.routing);
};
const asBuffer = (app: ReturnType<typeof fastify>) =>
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body);
const asString = (app: ReturnType<typeof fastify>) =>
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_: unknown, body: string) => body);

/** A request of a fetch framework, such as a route handler of Next.js, Remix or SvelteKit. */
const fetched = ({ method, headers, body }: OutboundRequest) =>
  new Request('https://receiver.example/actions', { method, headers, body: body && Buffer.from(body) });
const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: await response.text(),
});

type Encoding = 'base64' | 'utf8';
const single = (headers: OutboundRequest['headers'], lower = true) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [lower ? name.toLowerCase() : name, value]));
const multiple = (headers: OutboundRequest['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
/** The events that AWS passes to a function for a request. */
const LAMBDA_EVENTS: Readonly<Record<string, (request: OutboundRequest, encoding: Encoding) => LambdaHttpEvent>> = {
  'a Function URL': ({ headers, body }, encoding) => ({
    headers: single(headers),
    ...(body === null ? {} : { body: Buffer.from(body).toString(encoding) }),
    isBase64Encoded: encoding === 'base64',
  }),
  'a REST API': ({ headers, body }, encoding) => ({
    headers: single(headers, false),
    multiValueHeaders: multiple(headers),
    body: body === null ? null : Buffer.from(body).toString(encoding),
    isBase64Encoded: encoding === 'base64',
  }),
  'a load balancer': ({ headers, body }, encoding) => ({
    headers: single(headers),
    body: Buffer.from(body ?? []).toString(encoding),
    isBase64Encoded: encoding === 'base64',
  }),
  'a load balancer with multi-value headers': ({ headers, body }, encoding) => ({
    multiValueHeaders: multiple(headers),
    body: Buffer.from(body ?? []).toString(encoding),
    isBase64Encoded: encoding === 'base64',
  }),
};
const lambdas = Object.entries(LAMBDA_EVENTS).flatMap(([name, eventOf]) =>
  (['base64', 'utf8'] as const).map((encoding): [string, () => Promise<Sender>] => [
    `Lambda behind ${name}, ${encoding}`,
    async () => async (request) => {
      const handler = actionLambda(EVENTS, kept);
      const { statusCode, body } = await handler(eventOf(request, encoding));
      return { status: statusCode, body };
    },
  ]),
);

const FRAMEWORKS: readonly (readonly [name: string, start: () => Promise<Sender>])[] = [
  ['Express 4', () => express(express4)],
  ['Express 5', () => express(express5)],
  ['Express 4 after raw()', () => express(express4, express4.raw({ type: '*/*', limit: '2mb' }))],
  ['Express 5 after raw()', () => express(express5, express5.raw({ type: '*/*', limit: '2mb' }))],
  ['Express 5 after text()', () => express(express5, express5.text({ type: '*/*', limit: '2mb' }))],
  [
    'Express 5 after a parser that keeps the bytes',
    () =>
      express(
        express5,
        express5.json({ limit: '2mb', verify: (request, _response, rawBody) => Object.assign(request, { rawBody }) }),
      ),
  ],
  ['Fastify with the body as a buffer', () => fastifyWith(asBuffer)],
  ['Fastify with the body as a string', () => fastifyWith(asString)],
  [
    'Hono',
    () =>
      serving(getRequestListener(new Hono().all('/actions', ({ req }) => actionRoute(EVENTS, kept)(req.raw)).fetch)),
  ],
  [
    'Hono, its own request',
    () =>
      serving(
        getRequestListener(
          new Hono().all('/actions', async ({ req, json }) => {
            try {
              return json(kept(verifyAction(await readRawBody(req), req.raw.headers, EVENTS)));
            } catch (error) {
              if (!(error instanceof VerificationError)) throw error;
              return json({}, error.status);
            }
          }).fetch,
        ),
      ),
  ],
  ['a fetch Request', async () => async (request) => answerOf(await actionRoute(EVENTS, kept)(fetched(request)))],
  [
    'node:http',
    () =>
      serving(async (request, response) => {
        try {
          response.end(JSON.stringify(kept(verifyAction(await readRawBody(request), request.headers, EVENTS))));
        } catch (error) {
          if (!(error instanceof VerificationError)) throw error;
          response.writeHead(error.status, { connection: 'close' }).end();
        }
      }),
  ],
  ...lambdas,
];

describe.each(FRAMEWORKS)('%s', (_name, start) => {
  let receive: Sender;
  beforeAll(async () => {
    receive = await start();
  });

  test('keeps the bytes of a genuine request, also of one without a body', async () => {
    const request = event();
    const base64 = Buffer.from(request.body ?? []).toString('base64');
    expect(await receive(request)).toEqual({ status: 200, body: JSON.stringify({ kept: base64 }) });
    expect(await receive(eventByGet({ now: NOW }))).toEqual({ status: 200, body: '{"kept":""}' });
  });

  test('refuses what is not signed, of another kind, or larger than 1 MiB', async () => {
    const signed = event();
    expect((await receive({ ...signed, headers: { 'Content-Type': 'application/json' } })).status).toBe(400);
    expect((await receive(aiRequest({ now: NOW }))).status).toBe(400);
    expect((await receive(eventRequest({ now: NOW, secret: 'whsec_another' }))).status).toBe(401);
    expect((await receive(event({ text: 'x'.repeat(2 ** 20) }))).status).toBe(413);
  });
});

/** Sends the head of a request and `first`, and no more of the body. @returns the status, when the connection has ended */
const sendSlowly = async (listener: RequestListener, first = '') => {
  const { port } = new URL(await originOf(listener));
  const socket = connect(Number(port), '127.0.0.1');
  const headers = Object.entries(event().headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(
    `${['POST /actions HTTP/1.1', 'Host: a', ...headers, 'Content-Length: 900'].join('\r\n')}\r\n\r\n${first}`,
  );
  const reply = await text(socket);
  return Number(reply.split(' ')[1]);
};

describe('a body that does not end', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());
  const passed = async (ms: number) => {
    await nextTurn();
    mock.timers.tick(ms);
    await nextTurn();
  };

  test.each([
    ['Express 4', express4],
    ['Express 5', express5],
  ])('gets 408 after five seconds, and the connection ends: %s', async (_name, express) => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const app = express()
      .use((_request: IncomingMessage, response: ServerResponse, next: () => void) => {
        next();
        arrived.resolve(response);
      })
      .use(actionMiddleware(EVENTS));
    const status = sendSlowly(app, '{"id":');
    const response = await arrived.promise;
    await passed(4999);
    expect(response.headersSent).toBe(false);
    await passed(1);
    expect(response.headersSent).toBe(true);
    expect(await status).toBe(408);
  });

  test('of a fetch Request gets 408, or 413 before it ends', async () => {
    const endless = (chunk: Uint8Array | undefined) => {
      let pulls = 0;
      const pull = (controller: ReadableStreamDefaultController) => {
        pulls += 1;
        if (chunk === undefined) return new Promise<void>(() => {});
        controller.enqueue(chunk);
        return undefined;
      };
      let cancelled = false;
      const cancel = () => {
        cancelled = true;
      };
      const init = { method: 'POST', headers: event().headers, duplex: 'half' } as const;
      const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
      return {
        request: new Request('https://receiver.example/', { ...init, body }),
        seen: () => ({ pulls, cancelled }),
      };
    };
    const silent = endless(undefined);
    let status = 0;
    void actionRoute(EVENTS, kept)(silent.request).then((answer) => (status = answer.status));
    await passed(4999);
    expect(status).toBe(0);
    await passed(1);
    expect(status).toBe(408);
    expect(silent.seen().cancelled).toBe(true);
    const flood = endless(new Uint8Array(64 * 1024));
    expect((await actionRoute(EVENTS, kept)(flood.request)).status).toBe(413);
    // 16 chunks are 1 MiB; nothing after the next one is read.
    expect(flood.seen()).toEqual({ pulls: 17, cancelled: true });
  });
});

describe('a mistake of the program', () => {
  const shown = (app: express5.Express) => {
    const errors: unknown[] = [];
    app.use((error: unknown, _request: unknown, response: express5.Response, _next: unknown) => {
      errors.push(error);
      response.sendStatus(500);
    });
    return errors;
  };

  test.each([
    ['Express 4', express4],
    ['Express 5', express5],
  ])('%s: a JSON parser before the middleware is named', async (_name, framework) => {
    const app = framework().use(framework.json()).use(actionMiddleware(EVENTS));
    const errors = shown(app);
    const receive = await serving(app);
    expect((await receive(event())).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('express.json()') })]);
  });

  test('Fastify without a parser of bytes, and a fetch Request that was read, are named', async () => {
    const receive = await fastifyWith(() => {});
    expect(await receive(event())).toEqual({ status: 500, body: expect.stringContaining('The body was read before') });
    const request = fetched(event());
    await request.text();
    await expect(actionRoute(EVENTS, kept)(request)).rejects.toThrow('The body was read before');
  });

  test.each([{ id: 'parsed' }, ['parsed'], 1, true])(
    'Lambda after a parser, as of middy, is named: %j',
    async (body) => {
      for (const isBase64Encoded of [true, false, undefined]) {
        const handling = Reflect.apply(actionLambda(EVENTS, kept), undefined, [{ headers: {}, body, isBase64Encoded }]);
        await expect(handling).rejects.toThrow('The body was read before');
      }
    },
  );

  test.each([
    ['base64', true],
    ['utf8', false],
  ] as const)(
    'Lambda after a parser that keeps the text in rawBody, as middy does, in %s',
    async (encoding, isBase64Encoded) => {
      const rawBody = Buffer.from('{"text":"Zürich"}').toString(encoding);
      const bytes = await readRawBody({ headers: {}, body: { text: 'Zürich' }, rawBody, isBase64Encoded });
      expect(Buffer.from(bytes).toString()).toBe('{"text":"Zürich"}');
    },
  );

  test('Lambda with bytes in place of their text gets these', async () => {
    const body = Buffer.from('{}');
    expect(await readRawBody({ headers: {}, body, isBase64Encoded: true })).toEqual(new Uint8Array(body));
  });

  test.each([
    [undefined, 'undefined'],
    [{ Records: [{ body: '{}' }] }, 'one with Records'],
    ['{}', 'String'],
    [{ detail: {} }, 'Object'],
  ])('a Lambda event that is no HTTP request is named: %j', async (given, name) => {
    const handling = Reflect.apply(actionLambda(EVENTS, kept), undefined, [given]);
    await expect(handling).rejects.toThrow(new RegExp(`must be of a Function URL.*; it is ${name}$`));
  });

  test.each([undefined, null, '{}', {}, { body: {} }])('what is no request is named: %j', async (given) => {
    await expect(Reflect.apply(readRawBody, undefined, [given])).rejects.toThrow('readRawBody takes the request of');
  });

  const handle = async () => {};
  const withoutSecret = [undefined, '', []].map((secret) => ({ ...EVENTS, secret }));

  test.each([
    ['actionMiddleware', actionMiddleware],
    ['actionLambda', actionLambda],
    ['usageWebhookMiddleware', usageWebhookMiddleware],
    ['usageWebhookLambda', usageWebhookLambda],
  ])('%s without a secret or a kind is refused when the program starts', (name, create) => {
    for (const receiver of withoutSecret)
      expect(() => Reflect.apply(create, undefined, [receiver, handle])).toThrow(/environment variable/);
    const isOfActions = name.startsWith('action');
    const createWithoutKind = () => Reflect.apply(create, undefined, [{ secret: SIGNING_SECRET }, handle]);
    if (isOfActions) expect(createWithoutKind).toThrow('trigger must be');
    else expect(createWithoutKind).not.toThrow();
  });

  // Next.js, SvelteKit and others load a route while they build it, without the secrets of the server.
  test.each<[string, typeof actionRoute | typeof usageWebhookRoute]>([
    ['actionRoute', actionRoute],
    ['usageWebhookRoute', usageWebhookRoute],
  ])('%s without a secret is created, and lets nobody in', async (_, create) => {
    for (const receiver of withoutSecret) {
      const route = Reflect.apply(create, undefined, [receiver, handle]);
      await expect(route(fetched(event()))).rejects.toThrow(/environment variable/);
    }
  });
});

describe('onRefused', () => {
  const receivers: Readonly<Record<string, (onRefused: (error: VerificationError) => unknown) => Promise<Sender>>> = {
    'Express 4': (onRefused) => serving(express4().use(actionMiddleware({ ...EVENTS, onRefused }))),
    'Express 5': (onRefused) => serving(express5().use(actionMiddleware({ ...EVENTS, onRefused }))),
    fetch: async (onRefused) => async (request) =>
      answerOf(await actionRoute({ ...EVENTS, onRefused }, kept)(fetched(request))),
    Lambda: async (onRefused) => async (request) => {
      const lambdaEvent = { headers: single(request.headers), body: Buffer.from(request.body ?? []).toString() };
      const { statusCode, body } = await actionLambda({ ...EVENTS, onRefused }, kept)(lambdaEvent);
      return { status: statusCode, body };
    },
  };

  test.each(Object.keys(receivers))('is told each reason: %s', async (name) => {
    const codes: string[] = [];
    const receive = await receivers[name]?.(({ code }) => codes.push(code));
    expect((await receive?.({ ...event(), headers: {} }))?.status).toBe(400);
    expect((await receive?.(eventRequest({ now: NOW, secret: 'whsec_another' })))?.status).toBe(401);
    expect(codes).toEqual(['signature_missing', 'signature_mismatch']);
  });

  test.each(Object.keys(receivers))('throws or rejects, and the sender gets its answer: %s', async (name) => {
    const { emitWarning } = process;
    const warnings: unknown[] = [];
    process.emitWarning = (warning: unknown) => {
      warnings.push(warning);
    };
    try {
      const thrown = () => {
        throw new Error('the log is away');
      };
      for (const fault of [thrown, () => Promise.reject(new Error('the log is away'))]) {
        const receive = await receivers[name]?.(fault);
        expect((await receive?.({ ...event(), headers: {} }))?.status).toBe(400);
      }
      await until(() => warnings.length === 2, 5000);
    } finally {
      process.emitWarning = emitWarning;
    }
    for (const warning of warnings) expect(warning).toMatch(/^onRefused threw Error: the log is away/);
  });
});

describe('the answer of a handler', () => {
  const lambdaEvent = ({ headers, body }: OutboundRequest): LambdaHttpEvent => ({
    headers: single(headers),
    body: Buffer.from(body ?? []).toString('base64'),
    isBase64Encoded: true,
  });

  test('is its return value, or that the request was received', async () => {
    const call = aiRequest({ now: NOW }, { name: 'Zoë' });
    const json = { 'content-type': 'application/json' };
    const returned = actionLambda(CALLS, async ({ body }) => ({ order: body }));
    const answer = { statusCode: 200, headers: json, body: '{"order":{"name":"Zoë"}}' };
    expect(await returned(lambdaEvent(call))).toEqual(answer);
    const { headers: _, ...rest } = lambdaEvent(call);
    expect(await returned({ ...rest, multiValueHeaders: multiple(call.headers) })).toEqual({
      ...answer,
      multiValueHeaders: { 'content-type': ['application/json'] },
    });
    const response = await actionRoute(CALLS, async ({ body }) => ({ order: body }))(fetched(call));
    expect([response.headers.get('content-type'), await response.json()]).toEqual([
      'application/json',
      { order: { name: 'Zoë' } },
    ]);
    expect(await actionLambda(CALLS, async () => {})(lambdaEvent(call))).toMatchObject({ body: '{"received":true}' });
    expect(await (await actionRoute(CALLS, () => undefined)(fetched(call))).json()).toEqual({ received: true });
    const noted: string[] = [];
    const note = ({ triggerRef }: { readonly triggerRef: string }): void => void noted.push(triggerRef);
    expect(await (await actionRoute(CALLS, note)(fetched(call))).json()).toEqual({ received: true });
    expect(noted).toHaveLength(1);
  });

  test('is a fault when the handler throws, so that the service sends an event again', async () => {
    const fault = () => Promise.reject(new Error('The database is unavailable'));
    await expect(actionLambda(EVENTS, fault)(lambdaEvent(event()))).rejects.toThrow('The database is unavailable');
    await expect(actionRoute(EVENTS, fault)(fetched(event()))).rejects.toThrow('The database is unavailable');
  });

  test('stops a conversation', async () => {
    const spent = async ({ usage: { total_tokens } }: UsageReport) => ({ should_continue: total_tokens < 100 });
    const stop = '{"should_continue":false}';
    const [genuine, forged] = [await usage(), await usage('x'.repeat(32))];
    expect(await usageWebhookLambda(USAGE, spent)(lambdaEvent(genuine))).toMatchObject({ statusCode: 200, body: stop });
    expect((await usageWebhookLambda(USAGE, spent)(lambdaEvent(forged))).statusCode).toBe(401);
    expect(await (await usageWebhookRoute(USAGE, spent)(fetched(genuine))).text()).toBe(stop);
    expect((await usageWebhookRoute(USAGE, spent)(fetched(forged))).status).toBe(401);
    const app = express5().post('/actions', usageWebhookMiddleware(USAGE), (_request, response) => {
      response.json({ should_continue: response.locals.usage.usage.total_tokens < 100 });
    });
    const receive = await serving(app);
    expect(await receive(genuine)).toEqual({ status: 200, body: stop });
    expect((await receive(forged)).status).toBe(401);
  });
});
