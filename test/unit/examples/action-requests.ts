import { randomUUID } from 'node:crypto';
import type { Trigger } from '../../../packages/receiver/src/index.ts';
import type { Action } from '../../../src/contract/actions.ts';
import type { OutboundRequest } from '../../../src/domain/context.ts';
import { actionPayload, actionRequest } from '../../../src/domain/delivery/action-request.ts';
import { aFormAction, anAiAction, anEventAction } from '../../fakes/configuration.ts';

/** The signing secret of every receiver under test. */
export const SIGNING_SECRET = 'whsec_2b7e151628aed2a6abf7158809cf4f3c';

export type SharedRequest = {
  readonly name: string;
  /** The kind that the receiver expects. */
  readonly trigger: Trigger;
  readonly request: OutboundRequest;
  /** The status that a receiver must answer. */
  readonly status: number;
};

const HEADER = 'X-Service-Signature';

type Signing = { readonly now: Date; readonly secret?: string };

function signed(action: Action, body: object, triggerRef: string, { now, secret = SIGNING_SECRET }: Signing) {
  return actionRequest(action, { payload: actionPayload(action, body), triggerRef, signingSecret: secret, now });
}

/** Builds the request of an event as the dispatcher sends it. */
export function eventRequest(signing: Signing, data: object = {}, id: string = randomUUID()): OutboundRequest {
  const event = 'conversation.started';
  const envelope = { id, event, timestamp: '2026-03-04T05:06:07Z', data, site_id: 'site_a', org_id: 'org_a' };
  return signed(anEventAction(), envelope, event, signing);
}

/** Builds the request of an event whose Action has the method GET, which sends no body. */
export function eventByGet(signing: Signing): OutboundRequest {
  return signed(anEventAction({ method: 'GET' }), {}, 'conversation.started', signing);
}

/** Builds the request of a form submission as the service forwards it. */
export function formRequest(signing: Signing, values: object = {}, id: string = randomUUID()): OutboundRequest {
  return signed(aFormAction(), { values, conversation_id: 'c1', submission_id: id }, id, signing);
}

/** Builds the request of an AI-decided call. */
export function aiRequest(signing: Signing, args: object = { order: '1001' }): OutboundRequest {
  return signed(anAiAction(), args, 'c1', signing);
}

function withHeader(request: OutboundRequest, name: string, value: string | undefined): OutboundRequest {
  const { [name]: _, ...headers } = request.headers;
  return { ...request, headers: value === undefined ? headers : { ...headers, [name]: value } };
}

function withBody(request: OutboundRequest, change: (text: string) => string | Uint8Array): OutboundRequest {
  const body = change(Buffer.from(request.body ?? []).toString());
  return { ...request, body: typeof body === 'string' ? Buffer.from(body) : body };
}

/** JSON that parsers read differently, or not at all. A receiver keeps it as it arrived. */
const UNUSUAL_JSON: Readonly<Record<string, string>> = {
  'a number above every double': '1e400',
  'a number below every double': '-1e400',
  'a number too small for a double': '1e-400',
  'an integer of 20 digits': '12345678901234567890',
  'an integer of 5000 digits': '9'.repeat(5000),
  'a fraction of 30 digits': '0.100000000000000005551115123125',
  'a trailing zero': '1.50',
  'minus zero': '-0',
  '490 levels': '['.repeat(490) + ']'.repeat(490),
  'half of a surrogate pair': '"\\ud800"',
  'an escaped zero': '"\\u0000"',
  'a name twice': '{"a":1,"a":2}',
  'the names of an object': '{"__proto__":{"id":"x"},"constructor":null,"toString":1}',
  'the names of the envelope': '{"ID":"x","id":1,"Id":null,"submission_id":[]}',
};

const NON_ASCII = { referrer: 'https://zoë.example/łódź?q=😀', note: 'a\u2028b \u0000 "c" \\ </script>' };

/**
 * Returns the requests with which every receiver is tested: valid and invalid requests, built by the service's own code. All ids are new.
 * @param now the time of the receiver's clock
 */
export function actionRequests(now: Date): readonly SharedRequest[] {
  const at = (seconds: number): Signing => ({ now: new Date(now.getTime() + seconds * 1000) });
  const fresh = at(0);
  const event = () => eventRequest(fresh, { conversation_id: 'c1' });
  const digest = /v1=(.*)$/.exec(event().headers[HEADER] ?? '')?.[1] ?? '';
  const seconds = Math.floor(now.getTime() / 1000);
  const submission = randomUUID();
  const testSubmission = randomUUID();
  const joined = event();
  const signature = (value: string | undefined) => withHeader(event(), HEADER, value);

  const good: Record<string, OutboundRequest> = {
    event: event(),
    form: formRequest(fresh, { email: 'a@example.com', tags: ['one', 'two'], count: 2, yes: true }),
    'AI-decided': aiRequest(fresh),
    'AI-decided without parameters': aiRequest(fresh, {}),
    'event, non-ASCII': eventRequest(fresh, NON_ASCII),
    'form, non-ASCII': formRequest(fresh, NON_ASCII),
    'event of 200 KB': eventRequest(fresh, { text: 'ł'.repeat(100_000) }),
    'event by PUT': signed(
      anEventAction({ method: 'PUT' }),
      JSON.parse(textOf(event())),
      'conversation.started',
      fresh,
    ),
    'event by GET': eventByGet(fresh),
    'form by GET': signed(aFormAction({ method: 'GET' }), {}, submission, fresh),
    'AI-decided by GET': signed(anAiAction({ method: 'GET' }), {}, 'c1', fresh),
    'the test of an event': signed(
      anEventAction(),
      { ...JSON.parse(textOf(event())), event: 'test.ping', data: {} },
      'test.ping',
      fresh,
    ),
    'the test of a form': signed(
      aFormAction(),
      { values: { email: 'test@example.com' }, conversation_id: `test-${randomUUID()}`, submission_id: testSubmission },
      testSubmission,
      fresh,
    ),
    'the test of a call': signed(anAiAction(), {}, `test-${randomUUID()}`, fresh),
    'signature that a proxy has split and joined': withHeader(
      joined,
      HEADER,
      joined.headers[HEADER]?.replace(',', ', '),
    ),
    '240 seconds old': eventRequest(at(-240)),
    '240 seconds ahead': eventRequest(at(240)),
  };
  for (const [name, json] of Object.entries(UNUSUAL_JSON)) {
    for (const [kind, request] of Object.entries(unusualRequests(fresh, json))) good[`${kind} with ${name}`] = request;
  }
  const malformed: Record<string, OutboundRequest> = {
    'without signature': signature(undefined),
    'empty signature': signature(''),
    'signature without t': signature(`v1=${digest}`),
    'signature without v1': signature(`t=${seconds}`),
    't is not a number': signature(`t=now,v1=${digest}`),
    't is negative': signature(`t=-${seconds},v1=${digest}`),
    't with a digit that is not ASCII': signature(`t=${seconds}\u00b2,v1=${digest}`),
    't far too long': signature(`t=${'9'.repeat(400)},v1=${digest}`),
    'v1 is not hex': signature(`t=${seconds},v1=${'z'.repeat(64)}`),
    'v1 is short': signature(`t=${seconds},v1=${digest.slice(0, 62)}`),
    'two values of v1, the last one right': signature(`t=${seconds},v1=${'0'.repeat(64)},v1=${digest}`),
    'two values of v1, the first one right': signature(`t=${seconds},v1=${digest},v1=${'0'.repeat(64)}`),
    'two values of t': signature(`t=${seconds},t=${seconds},v1=${digest}`),
    'v1 is empty': signature(`t=${seconds},v1=`),
    '360 seconds old': eventRequest(at(-360)),
    '360 seconds ahead': eventRequest(at(360)),
    'signed, but not JSON': rawRequest(fresh, 'not json'),
    'signed, but not an object': rawRequest(fresh, '[]'),
    'signed, but with an unknown trigger': withHeader(event(), 'X-Service-Trigger', 'other'),
    'signed, but without a trigger': withHeader(event(), 'X-Service-Trigger', undefined),
    'an event, sent as a form': withHeader(event(), 'X-Service-Trigger', 'form'),
    'an event, sent as a call of the assistant': withHeader(event(), 'X-Service-Trigger', 'ai'),
    'an event under the name of another': withHeader(event(), 'X-Service-Trigger-Ref', 'conversation.ended'),
    'an event without a reference': withHeader(event(), 'X-Service-Trigger-Ref', undefined),
    'an envelope whose id is a number': rawRequest(fresh, textOf(event()).replace(/"id":"[^"]*"/, '"id":7')),
    'a form for the receiver of an event': formRequest(fresh),
    'a call of the assistant for the receiver of an event': aiRequest(fresh),
    'a signature header of 15 KB': signature('x'.repeat(15_000)),
    'a signature header of 15 KB of commas': signature(','.repeat(15_000)),
  };
  const form = formRequest(fresh);
  const malformedForm: Record<string, OutboundRequest> = {
    'an event for the receiver of a form': event(),
    'an event, sent to the receiver of a form as a form': withHeader(event(), 'X-Service-Trigger', 'form'),
    'a call, sent as a form': withHeader(aiRequest(fresh), 'X-Service-Trigger', 'form'),
    'a form under the id of another': withHeader(form, 'X-Service-Trigger-Ref', submission),
    'a form without a reference': withHeader(form, 'X-Service-Trigger-Ref', undefined),
    'a signed form that is not an object': rawlySigned(aFormAction(), '[]', submission, fresh),
  };
  const malformedCall: Record<string, OutboundRequest> = {
    'an event for the receiver of a call': event(),
    'a form for the receiver of a call': form,
    'a signed call that is not JSON': rawlySigned(anAiAction(), '{', 'c1', fresh),
    'a signed call that is a list': rawlySigned(anAiAction(), '[]', 'c1', fresh),
    'a signed call that is null': rawlySigned(anAiAction(), 'null', 'c1', fresh),
    'a call without signature': withHeader(aiRequest(fresh), HEADER, undefined),
  };
  const tampered: Record<string, OutboundRequest> = {
    'one byte changed': withBody(event(), (text) => text.replace('c1', 'c2')),
    'one byte more': withBody(event(), (text) => `${text}\n`),
    'body omitted': withBody(event(), () => ''),
    'body reformatted': withBody(event(), (text) => JSON.stringify(JSON.parse(text), null, 2)),
    'non-ASCII characters escaped': withBody(eventRequest(fresh, NON_ASCII), (text) => text.replaceAll('ë', '\\u00eb')),
    'invalid bytes that decode to the signed text': withBody(eventRequest(fresh, { text: '\ufffd' }), (text) =>
      Buffer.concat([
        Buffer.from(text.slice(0, text.indexOf('\ufffd'))),
        Buffer.from([0xff]),
        Buffer.from(text.slice(text.indexOf('\ufffd') + 1)),
      ]),
    ),
    'another timestamp with the same digest': signature(`t=${seconds + 1},v1=${digest}`),
    'signed with another secret': eventRequest({ ...fresh, secret: 'whsec_another' }),
  };
  const listed = (requests: Record<string, OutboundRequest>, status: SharedRequest['status'], receiver?: Trigger) =>
    Object.entries(requests).map(([name, request]) => {
      return { name, trigger: receiver ?? triggerOf(request), request, status };
    });
  return [
    ...listed(good, 200),
    ...listed(malformed, 400, 'event'),
    ...listed(malformedForm, 400, 'form'),
    ...listed(malformedCall, 400, 'ai'),
    ...listed(tampered, 401, 'event'),
    ...listed({ 'a form with one byte changed': withBody(form, (text) => text.replace('c1', 'c2')) }, 401, 'form'),
    ...listed(
      { 'a call with one byte changed': withBody(aiRequest(fresh), (text) => text.replace('1', '2')) },
      401,
      'ai',
    ),
  ];
}

/** Builds a signed event request with this body. */
function rawRequest(signing: Signing, payload: string): OutboundRequest {
  return rawlySigned(anEventAction(), payload, 'conversation.started', signing);
}

function rawlySigned(action: Action, payload: string, triggerRef: string, { now }: Signing): OutboundRequest {
  return actionRequest(action, { payload, triggerRef, signingSecret: SIGNING_SECRET, now });
}

/** Builds a request of each kind that holds this JSON. */
function unusualRequests(signing: Signing, json: string): Readonly<Record<Trigger, OutboundRequest>> {
  const holding = (request: OutboundRequest) => textOf(request).replace('"PLACE"', () => json);
  const id = randomUUID();
  return {
    event: rawRequest(signing, holding(eventRequest(signing, { value: 'PLACE' }))),
    form: rawlySigned(aFormAction(), holding(formRequest(signing, { value: 'PLACE' }, id)), id, signing),
    ai: rawlySigned(anAiAction(), holding(aiRequest(signing, { value: 'PLACE' })), 'c1', signing),
  };
}

function triggerOf({ headers }: OutboundRequest): Trigger {
  const trigger = headers['X-Service-Trigger'];
  if (trigger !== 'event' && trigger !== 'form' && trigger !== 'ai') throw new Error('A genuine request has a kind');
  return trigger;
}

function textOf(request: OutboundRequest): string {
  return Buffer.from(request.body ?? []).toString();
}
