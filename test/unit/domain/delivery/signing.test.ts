import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import { actionPayload, actionRequest } from '../../../../src/domain/delivery/action-request.ts';
import { signatureHeader, withoutWithheld } from '../../../../src/domain/delivery/signature.ts';
import {
  newSigningSecret,
  openSigningSecret,
  sealSigningSecret,
} from '../../../../src/domain/delivery/signing-secret.ts';
import { aFormAction, anAiAction, anEventAction } from '../../../fakes/configuration.ts';
import { countingBytes } from '../../../fakes/sources.ts';
import sealedVectors from '../../../vectors/sealing.json' with { type: 'json' };
import vectors from '../../../vectors/signature.json' with { type: 'json' };

const stripeSignature = (() => {
  const { signature } = Stripe.webhooks;
  if (signature === null) throw new Error('The stripe package has no verifier here');
  return signature;
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

const KEY = { kid: 'k1', key: 'a key of sixty-four characters or so, as Secrets Manager makes it' };
const OTHER = { kid: 'k2', key: 'another key' };

test('a new signing secret has 256 random bits', () => {
  const random = countingBytes();
  const secret = newSigningSecret(random);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(secret.slice(6), 'base64url')).toEqual(Buffer.from(countingBytes()(32)));
  expect(newSigningSecret(random)).not.toBe(secret);
});

test.each(sealedVectors)(
  'the vector sealed with $kid for $action_id can be opened, and sealing gives the same text',
  (vector) => {
    const { kid, key, action_id, secret, iv_hex, sealed } = vector;
    expect(openSigningSecret(sealed, action_id, [{ kid, key }])).toBe(secret);
    expect(sealSigningSecret(secret, action_id, { kid, key }, () => Buffer.from(iv_hex, 'hex'))).toBe(sealed);
  },
);

test('a sealed secret is hidden, differs each time, and can be opened', () => {
  const sealed = sealSigningSecret('whsec_x', 'act_1', KEY, randomBytes);
  expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]+$/);
  expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('whsec_x');
  expect(sealSigningSecret('whsec_x', 'act_1', KEY, randomBytes)).not.toBe(sealed);
  expect(openSigningSecret(sealed, 'act_1', [OTHER, KEY])).toBe('whsec_x');
});

describe('does not open', () => {
  const sealed = sealSigningSecret('whsec_x', 'act_1', KEY, randomBytes);
  const [version, kid, text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  const altered = (position: number) => {
    const copy = Buffer.from(bytes);
    copy[position] = (copy[position] ?? 0) ^ 1;
    return `${version}.${kid}.${copy.toString('base64url')}`;
  };

  test.each<[string, string, string, typeof KEY]>([
    ['for another Action', sealed, 'act_2', KEY],
    ['with another key of the same id', sealed, 'act_1', { ...OTHER, kid: 'k1' }],
    ['without its key', sealed, 'act_1', OTHER],
    ['with its first byte altered', altered(0), 'act_1', KEY],
    ['with its text altered', altered(13), 'act_1', KEY],
    ['with its tag altered', altered(bytes.length - 1), 'act_1', KEY],
    ['cut short', `${version}.${kid}.${bytes.subarray(0, -1).toString('base64url')}`, 'act_1', KEY],
    ['emptied', `${version}.${kid}.`, 'act_1', KEY],
    ['in another version', sealed.replace('v1.', 'v2.'), 'act_1', KEY],
    ['without its parts', 'whsec_x', 'act_1', KEY],
  ])('%s', (_, text, actionId, key) => {
    expect(() => openSigningSecret(text, actionId, [key])).toThrow();
  });

  test('and its error contains neither the secret nor the key', () => {
    expect(() => openSigningSecret(sealed, 'act_2', [KEY])).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/whsec_x|sixty-four/) }),
    );
  });
});

describe('a secret that is not ASCII', () => {
  const SECRET = `${'a'.repeat(15)}\u{1f511}${'\u20ac'.repeat(20)}`;
  const escaped = (text: string) =>
    text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

  test.each([
    ['as it is', SECRET],
    ['in JSON as Python and PHP write it', escaped(SECRET)],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in HTML', Array.from(SECRET, (character) => `&#${character.codePointAt(0)};`).join('')],
    ['in Base64', Buffer.from(SECRET).toString('base64')],
  ])('is removed %s', (_, written) => {
    expect(withoutWithheld(`{"echo":"${written}"}`, [SECRET])).toMatch(/^\{"echo":"\(not shown\).{0,4}"\}$/);
  });

  test('leaves another text alone', () => {
    expect(withoutWithheld('{"should_continue":false}', [SECRET])).toBe('{"should_continue":false}');
  });
});
