import { toolResponse } from '../../../../src/domain/actions/call-tool.ts';
import type { EndpointAnswer, OutboundRequest, SendPolicy } from '../../../../src/domain/context.ts';
import { resultOf } from '../../../../src/domain/delivery/delivery-log.ts';
import { type TakeLease, withinInFlight, withinQuota } from '../../../../src/domain/delivery/outbound-request.ts';
import { responseAnswer, failureAnswer as unansweredBy } from '../../../../src/domain/delivery/outcome.ts';
import { ORG_ID } from '../../../fakes/configuration.ts';
import { answered, FakeOutbound, unanswered } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';
import { fakeInvocation } from '../../../fakes/invocation.ts';
import { FakeLimit } from '../../../fakes/limits.ts';

const REQUEST: OutboundRequest = {
  method: 'POST',
  url: 'https://crm.example/',
  headers: {},
  body: Buffer.from('{}'),
  withheldTexts: [],
};
const COUNTED: SendPolicy = { quota: { orgId: ORG_ID, perDay: 2 } };

function setUp() {
  const outbound = new FakeOutbound();
  const perDay = new FakeLimit();
  const invocation = fakeInvocation();
  const send = (policy: SendPolicy, hit = perDay.hit) => withinQuota(outbound.send, hit)(REQUEST, policy, invocation);
  return { outbound, perDay, invocation, send };
}

test('counts each request against its quota and sends it', async () => {
  const { send, outbound, perDay, invocation } = setUp();
  expect(await send(COUNTED)).toEqual(answered(200));
  expect([outbound.requests, outbound.policies]).toEqual([[REQUEST], [COUNTED]]);
  expect(perDay.calls).toEqual([{ key: ORG_ID, limit: 2, now: invocation.now() }]);
});

test('a request without a quota is sent and not counted', async () => {
  const { send, outbound, perDay } = setUp();
  await send({});
  expect([outbound.requests.length, perDay.calls.length]).toEqual([1, 0]);
});

test('a request over its quota is not sent', async () => {
  const { send, outbound, perDay } = setUp();
  perDay.decision = { isAllowed: false, retryAfterSeconds: 60 };
  const { error, status } = await send(COUNTED);
  expect([error?.code, status]).toEqual(['quota_exceeded', null]);
  expect(outbound.requests).toEqual([]);
});

const uncounted = (limit: string) => ({ kind: 'request_uncounted', limit, org_id: ORG_ID, cause: expect.any(Error) });

test('when the counter fails, the request is sent and the failure is reported', async () => {
  const { send, invocation } = setUp();
  expect(await send(COUNTED, away)).toEqual(answered(200));
  expect(invocation.facts).toEqual([uncounted('quota')]);
});

const away = failing('The counters are away');
const IN_FLIGHT: SendPolicy = { inFlightOf: ORG_ID };

function withPlaces(places: number) {
  const outbound = new FakeOutbound();
  const invocation = fakeInvocation();
  let taken = 0;
  const takeLease: TakeLease = async () => {
    if (taken === places) return undefined;
    taken += 1;
    return {
      release: async () => {
        taken -= 1;
      },
    };
  };
  const send = (policy: SendPolicy, lease = takeLease, sender = outbound.send) =>
    withinInFlight(sender, lease)(REQUEST, policy, invocation);
  return { outbound, invocation, takeLease, send, taken: () => taken };
}

test('a request releases its place when the outbound pipeline fails', async () => {
  const { send, takeLease, taken } = withPlaces(1);
  const broken = failing('The outbound pipeline failed');
  await expect(send(IN_FLIGHT, takeLease, broken)).rejects.toThrow('The outbound pipeline failed');
  expect(taken()).toBe(0);
});

test('a request without a free place is not sent; a request without an organization is not counted', async () => {
  const { outbound, send } = withPlaces(0);
  const { error, status } = await send(IN_FLIGHT);
  expect([error?.code, status, outbound.requests.length]).toEqual(['too_many_in_flight', null, 0]);
  expect(await send({})).toEqual(answered(200));
});

test('when the places cannot be read, the request is sent and the failure is reported', async () => {
  const { invocation, send } = withPlaces(1);
  expect(await send(IN_FLIGHT, away)).toEqual(answered(200));
  expect(await send(IN_FLIGHT, async () => ({ release: away }))).toEqual(answered(200));
  expect(invocation.facts).toEqual([uncounted('in_flight'), uncounted('in_flight')]);
});

const excerptOf = (body: Uint8Array, withheld: readonly string[] = []) =>
  responseAnswer({ status: 200, body, problem: null }, { method: 'POST', withheldTexts: withheld }).response_excerpt;

test.each([
  ['nothing', '', ''],
  ['2000 characters', 'x'.repeat(2000), 'x'.repeat(2000)],
  ['2001 characters', 'x'.repeat(2001), 'x'.repeat(2000)],
  ['2001 code points', '👩'.repeat(2001), '👩'.repeat(2000)],
])('of %s the log keeps at most 2000', (_, body, excerpt) => {
  expect(excerptOf(Buffer.from(body))).toBe(excerpt);
});

test('bytes that are not UTF-8 are replaced without an error', () => {
  expect(excerptOf(Uint8Array.from([0x41, 0xff, 0xfe, 0x42]))).toBe('A��B');
  expect(excerptOf(Buffer.alloc(1024 * 1024, 0xff))).toBe('�'.repeat(2000));
});

test('a result without a response has no excerpt, and an empty response has an empty one', () => {
  expect(resultOf(unanswered('timeout'))).toEqual({
    status: null,
    response_excerpt: null,
    latency_ms: 5000,
    success: false,
    error: { code: 'timeout', message: 'timeout' },
  });
  expect(resultOf(answered(204, '')).response_excerpt).toBe('');
});

const REDIRECT = { status: 302, body: new Uint8Array(), problem: null };
const DIGEST = '0123456789abcdef'.repeat(4);
const SECRET = 'whsec_aZ-_aZ-_aZ-_aZ-_aZ-_aZ-_aZ-_aZ-_aZ-_aZ-_a';
const USAGE_SECRET = 'a secret of a "customer" & more';
const escaped =
  (prefix: string, radix: number, suffix = '') =>
  (text: string) =>
    Array.from(text, (character) => `${prefix}${character.charCodeAt(0).toString(radix)}${suffix}`).join('');

/** How an endpoint may write what it echoes. */
const WRITTEN: readonly [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in capitals', (text) => text.toUpperCase()],
  ['in both cases', (text) => text.slice(0, 9) + text.slice(9).toUpperCase()],
  ['in a query', (text) => `?signature=${encodeURIComponent(`t=1,v1=${text}`)}`],
  ['in JSON', (text) => JSON.stringify({ text })],
  ['in JSON, every character escaped', escaped('\\u00', 16)],
  ['in a URL, every character escaped', escaped('%', 16)],
  ['in HTML, by hexadecimal numbers', escaped('&#x', 16, ';')],
  ['in HTML, by numbers', escaped('&#', 10, ';')],
  ...['', 'a', 'ab'].map((before): [string, (text: string) => string] => [
    `in Base64 after ${before.length} bytes`,
    (text) => Buffer.from(`${before}${text}.`).toString('base64'),
  ]),
  ['cut by the endpoint', (text) => `${text.slice(0, 20)}…`],
  ['twice, once cut', (text) => `${text} ${text.slice(0, 20)}`],
];

describe.each([
  ['a signature', DIGEST],
  ['a signing secret', SECRET],
  ['the secret of a usage webhook', USAGE_SECRET],
])('%s that the endpoint sends back is not kept', (_, withheld) => {
  /** Whether a part is there that would help: in no case, and not as it would be read. */
  const reveals = (text: string, written: (text: string) => string) =>
    [withheld, withheld.slice(0, 18)].some((part) => text.toLowerCase().includes(written(part).toLowerCase()));

  describe.each(WRITTEN)('%s', (name, written) => {
    const sent = written(withheld);
    const [searched] = WRITTEN.filter(([other]) => name.includes('Base64') || other === name).map(([, one]) => one);

    test.each<[string, EndpointAnswer]>([
      ['in the body', answered(200, `a ${sent} b`, null, [withheld])],
      ['in the body of an error', answered(500, sent, null, [withheld])],
      [
        'in a redirect',
        responseAnswer({ ...REDIRECT, location: `/gone/${sent}` }, { method: 'POST', withheldTexts: [withheld] }),
      ],
      ['in what broke the response off', answered(200, '', { code: 'response_malformed', message: sent }, [withheld])],
      ['in a failure without a response', unansweredBy({ code: 'tls_failure', message: sent }, null, [withheld])],
    ])('%s', (place, answer) => {
      const kept = JSON.stringify([answer, toolResponse(answer.text), toolResponse(answer.text, { a: '$.text' })]);
      // The query of a redirect is never kept.
      if (place !== 'in a redirect') expect(kept).toContain('(not shown)');
      expect(reveals(kept, searched ?? written)).toBe(false);
    });
  });
});

test.each<[string, string, string]>([
  ['without its beginning at the end of the excerpt', 'x'.repeat(1960) + DIGEST, `${'x'.repeat(1960)}(not shown)`],
  ['where the excerpt is cut', '𝔸'.repeat(1990) + DIGEST, `${'𝔸'.repeat(1990)}(not shown`],
  ['between letters whose lower case is longer', `İİ${DIGEST}İ`, 'İİ(not shown)İ'],
  ['unless it has so few characters that they tell nothing', DIGEST.slice(0, 15), '0123456789abcde'],
])('a signature is recognized %s', (_, echoed, excerpt) => {
  expect(excerptOf(Buffer.from(echoed), [DIGEST])).toBe(excerpt);
});

test('a secret that is too short to be recognized stays, because other texts have it by chance', () => {
  expect(excerptOf(Buffer.from('a secret'), ['secret', ''])).toBe('a secret');
});

test('a problem with the body is recorded next to the status, and the cause of an internal error is not', () => {
  const errorOf = (outcome: EndpointAnswer) => resultOf(outcome).error;
  const broken = { code: 'connection_closed', message: 'The response body broke off' } as const;
  expect(errorOf(answered(200, '', broken))).toEqual(broken);
  expect(errorOf(answered(503, '', broken))).toEqual({
    code: 'http_status',
    message: 'The endpoint responded with status 503. The response body broke off',
  });
  expect(resultOf({ ...unanswered('internal_error'), cause: new Error() })).not.toHaveProperty('cause');
});
