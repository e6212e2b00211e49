import { actionLambda, usageWebhookLambda } from '../../../packages/receiver/src/index.ts';
import { aiRequest, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { usageRequest } from '../../examples/usage-requests.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const options = { now: () => NOW.getTime() };
const USAGE_SECRET = 'usage-secret-of-at-least-32-characters';

/** The event that a Function URL passes to a function for this request. */
function lambdaEvent(request: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}) {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (request.body === null) return { headers, isBase64Encoded: false };
  return { headers, body: Buffer.from(request.body).toString('base64'), isBase64Encoded: true };
}

describe('actionLambda', () => {
  const handler = actionLambda(SIGNING_SECRET, async () => {}, options);

  test.each([actionLambda, usageWebhookLambda])('throws at once without a secret', (create) => {
    expect(() => create(undefined, async () => {})).toThrow(/environment variable/);
  });

  test('accepts a body as text', async () => {
    const request = aiRequest({ now: NOW }, { name: 'Zoë' });
    const body = Buffer.from(request.body ?? []).toString();
    expect((await handler({ ...lambdaEvent(request), body, isBase64Encoded: false })).statusCode).toBe(200);
  });

  test('answers with the return value, and with the reason of a refusal', async () => {
    const answering = actionLambda(SIGNING_SECRET, async (action) => ({ order: action.body }), options);
    const good = await answering(lambdaEvent(aiRequest({ now: NOW }, { order: '1' })));
    expect(good).toMatchObject({ headers: { 'content-type': 'application/json' }, body: '{"order":{"order":"1"}}' });
    expect(await handler({ headers: {} })).toMatchObject({
      statusCode: 400,
      body: '{"error":"X-Service-Signature is missing"}',
    });
  });

  test('throws the error of the handler, so that the service sends an event again', async () => {
    const faulty = actionLambda(
      SIGNING_SECRET,
      async () => {
        throw new Error('The database is unavailable');
      },
      options,
    );
    await expect(faulty(lambdaEvent(aiRequest({ now: NOW })))).rejects.toThrow('The database is unavailable');
  });
});

test('usageWebhookLambda answers should_continue', async () => {
  const handler = usageWebhookLambda(
    USAGE_SECRET,
    async (report) => ({ should_continue: report.usage.total_tokens < 100 }),
    options,
  );
  const request = await usageRequest({ now: NOW, secret: USAGE_SECRET, userId: 'user-1' });
  expect(await handler(lambdaEvent(request))).toMatchObject({ statusCode: 200, body: '{"should_continue":false}' });
  const forged = await usageRequest({ now: NOW, secret: 'x'.repeat(32), userId: 'user-1' });
  expect((await handler(lambdaEvent(forged))).statusCode).toBe(401);
});
