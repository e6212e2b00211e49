import Stripe from 'stripe';
import { actionRequests, aiRequest, SIGNING_SECRET } from '../examples/action-requests.ts';

const { webhooks } = new Stripe('sk_test_none');
const now = new Date();
const requests = actionRequests(now).map(({ name, status, request }) => ({
  name,
  status,
  rawBody: Buffer.from(request.body ?? ''),
  header: request.headers['X-Service-Signature'] ?? '',
}));
const accepted = requests.filter(({ status }) => status === 200);
const changed = requests.filter(({ name }) => name === 'one byte changed' || name === '310 seconds old');

test.each(accepted)('Stripe verifies $name, as docs/receiving.md says', ({ rawBody, header }) => {
  expect(webhooks.signature?.verifyHeader(rawBody, header, SIGNING_SECRET, 300)).toBe(true);
  const parse = () => webhooks.constructEvent(rawBody, header, SIGNING_SECRET);
  if (rawBody.length === 0) expect(parse).toThrow(SyntaxError);
  else expect(parse()).toEqual(JSON.parse(rawBody.toString()));
});

test.each(changed)('Stripe refuses $name', ({ rawBody, header }) => {
  expect(() => webhooks.signature?.verifyHeader(rawBody, header, SIGNING_SECRET, 300)).toThrow();
});

test('Stripe parses no call with the name of another kind of its own events', () => {
  const { headers, body } = aiRequest({ now }, { object: 'v2.core.event' });
  const parse = () =>
    webhooks.constructEvent(Buffer.from(body ?? ''), headers['X-Service-Signature'] ?? '', SIGNING_SECRET);
  expect(parse).toThrow('thin event');
});
