import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Stripe from 'stripe';
import * as z from 'zod';
import { actionPayload, actionRequest, signatureHeader } from '../../../src/domain/delivery/action-request.ts';
import { aFormAction, anAiAction, anEventAction } from '../../fakes/configuration.ts';

const vectors = z
  .array(z.object({ secret: z.string(), timestamp: z.int(), body: z.string().nullable(), header: z.string() }))
  .parse(JSON.parse(readFileSync(new URL('../../vectors/signature.json', import.meta.url), 'utf8')));

const stripeSignature = (() => {
  const { signature } = Stripe.webhooks;
  if (signature === null) throw new Error('The stripe package has no verifier here');
  return signature;
})();

const hasOpenssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    console.log('The openssl check is skipped: there is no openssl on the PATH');
    return false;
  }
})();

test.each(vectors)(
  'the signature of vector $timestamp is equal to the stored one',
  ({ secret, timestamp, body, header }) => {
    expect(signatureHeader(secret, timestamp, body === null ? null : Buffer.from(body))).toBe(header);
  },
);

const withBody = vectors.flatMap(({ body, ...vector }) => (body === null ? [] : [{ ...vector, body }]));

// The stripe package refuses to verify an empty body.
test.each(withBody)('the verifier of the stripe package accepts vector $timestamp', ({ secret, timestamp, body }) => {
  const header = signatureHeader(secret, timestamp, Buffer.from(body));
  const verify = (text: string, at: number) =>
    stripeSignature.verifyHeader(text, header, secret, 300, undefined, at * 1000);
  expect(verify(body, timestamp + 10)).toBe(true);
  expect(() => verify(`${body} `, timestamp + 10)).toThrow();
  expect(() => verify(body, timestamp + 301)).toThrow();
});

(hasOpenssl ? test.each(vectors) : test.skip.each(vectors))(
  'openssl computes the same signature of vector $timestamp',
  ({ secret, timestamp, body, header }) => {
    const hexKey = Buffer.from(secret).toString('hex');
    const output = execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${hexKey}`], {
      input: `${timestamp}.${body ?? ''}`,
      encoding: 'utf8',
    });
    expect(header).toBe(`t=${timestamp},v1=${output.trim().split('= ')[1]}`);
  },
);

describe('the request of an Action', () => {
  const input = { triggerRef: 'ref-1', signingSecret: 's', now: new Date('2026-03-04T05:06:07.999Z') };

  test.each([
    ['event', anEventAction()],
    ['ai', anAiAction()],
    ['form', aFormAction()],
  ])('has the trigger %p', (name, action) => {
    const request = actionRequest(action, { ...input, payload: '{}' });
    expect(request.headers['X-Service-Trigger']).toBe(name);
    expect(request.headers['X-Service-Trigger-Ref']).toBe('ref-1');
    expect(request.connectionKey).toBeUndefined();
  });

  test('signs exactly the bytes that it sends, with whole seconds', () => {
    const request = actionRequest(anEventAction(), { ...input, payload: '{"a":"é"}' });
    expect(request.headers['X-Service-Signature']).toBe(signatureHeader('s', 1772600767, request.body));
    expect(Buffer.from(request.body ?? []).toString()).toBe('{"a":"é"}');
  });

  test('on GET has no body, and signs an empty one', () => {
    const action = anEventAction({ method: 'GET' });
    const request = actionRequest(action, { ...input, payload: actionPayload(action, { a: 1 }) });
    expect(request.body).toBeNull();
    expect(request.headers['X-Service-Signature']).toBe(signatureHeader('s', 1772600767, new Uint8Array()));
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('on %s has a compact body', (method) => {
    expect(actionPayload({ method }, { a: [1, { b: 'c d' }] })).toBe('{"a":[1,{"b":"c d"}]}');
  });
});
