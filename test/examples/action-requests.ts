import { randomUUID } from 'node:crypto';
import type { Action } from '../../src/contract/actions.ts';
import { actionPayload, actionRequest } from '../../src/domain/delivery/action-request.ts';
import type { OutboundRequest } from '../../src/domain/delivery/outbound-request.ts';
import { aFormAction, anAiAction, anEventAction } from '../fakes/configuration.ts';

/** The signing secret of every receiver under test. */
export const SIGNING_SECRET = 'whsec_2b7e151628aed2a6abf7158809cf4f3c';

export type SharedRequest = {
  readonly name: string;
  readonly request: OutboundRequest;
  /** The status that a receiver must answer. */
  readonly status: 200 | 400 | 401;
};

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

const NON_ASCII = { referrer: 'https://zoë.example/łódź?q=😀', note: 'a\u2028b \u0000 "c" \\ </script>' };

/**
 * Returns the requests with which every receiver is tested: valid and invalid requests, built by the service's own code. All ids are new.
 * @param now the time of the receiver's clock
 */
export function actionRequests(now: Date): readonly SharedRequest[] {
  const at = (seconds: number): Signing => ({ now: new Date(now.getTime() + seconds * 1000) });
  const fresh = at(0);
  const event = () => eventRequest(fresh, { conversation_id: 'c1' });
  const digest = /v1=(.*)$/.exec(event().headers['X-Service-Signature'] ?? '')?.[1] ?? '';
  const seconds = Math.floor(now.getTime() / 1000);
  const submission = randomUUID();
  const signature = (value: string | undefined) => withHeader(event(), 'X-Service-Signature', value);

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
    'event by GET': signed(anEventAction({ method: 'GET' }), {}, 'conversation.started', fresh),
    'form by GET': signed(aFormAction({ method: 'GET' }), {}, submission, fresh),
    '290 seconds old': eventRequest(at(-290)),
    '290 seconds ahead': eventRequest(at(290)),
  };
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
    '310 seconds old': eventRequest(at(-310)),
    '310 seconds ahead': eventRequest(at(310)),
    'signed, but not JSON': rawRequest(fresh, 'not json'),
    'signed, but not an object': rawRequest(fresh, '[]'),
    'signed, but with an unknown trigger': withHeader(event(), 'X-Service-Trigger', 'other'),
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
  const listed = (requests: Record<string, OutboundRequest>, status: SharedRequest['status']) =>
    Object.entries(requests).map(([name, request]) => ({ name, request, status }));
  return [...listed(good, 200), ...listed(malformed, 400), ...listed(tampered, 401)];
}

/** Builds a signed event request whose body is not an envelope. */
function rawRequest({ now }: Signing, payload: string): OutboundRequest {
  return actionRequest(anEventAction(), {
    payload,
    triggerRef: 'conversation.started',
    signingSecret: SIGNING_SECRET,
    now,
  });
}

function textOf(request: OutboundRequest): string {
  return Buffer.from(request.body ?? []).toString();
}
