import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { OutboundRequest } from '../../../src/domain/context.ts';
import { aiRequest, eventRequest, formRequest } from './action-requests.ts';
import { usageRequest } from './usage-requests.ts';

const schema = z.object({ required: z.array(z.string()).optional() });
const operation = z.object({
  post: z.object({
    parameters: z.array(z.object({ name: z.string(), in: z.literal('header'), required: z.literal(true) })),
    requestBody: z.object({
      content: z.object({
        'application/json': z.object({ schema: z.union([z.object({ $ref: z.string() }), schema]) }),
      }),
    }),
  }),
});
const document = z
  .object({
    webhooks: z.record(z.string(), operation),
    components: z.object({ schemas: z.record(z.string(), schema) }),
  })
  .parse(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));

const now = new Date();
const REQUESTS: Readonly<Record<string, () => OutboundRequest | Promise<OutboundRequest>>> = {
  event: () => eventRequest({ now }, { conversation_id: 'c1' }),
  form: () => formRequest({ now }, { email: 'ada@example.com' }),
  toolCall: () => aiRequest({ now }, {}),
  usage: () => usageRequest({ now, secret: randomUUID(), userId: 'user-1' }),
};

test('docs/openapi.json has every kind of outbound request', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual(Object.keys(REQUESTS).sort());
});

test.each(Object.entries(REQUESTS))(
  'the webhook %s has the headers and fields that the service sends',
  async (name, build) => {
    const { headers, body } = await build();
    const { parameters, requestBody } = z.object({ post: operation.shape.post }).parse(document.webhooks[name]).post;
    const own = Object.keys(headers).filter((header) => header.startsWith('X-'));
    expect(parameters.map((parameter) => parameter.name).sort()).toEqual(own.sort());
    const given = requestBody.content['application/json'].schema;
    const { required = [] } =
      '$ref' in given ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given;
    const sent: unknown = JSON.parse(Buffer.from(body ?? []).toString());
    expect([...required].sort()).toEqual(Object.keys(Object(sent)).sort());
  },
);
