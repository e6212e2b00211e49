import type { Action, Trigger } from '../../contract/actions.ts';
import type { DeliveryRecord } from '../../contract/delivery-record.ts';
import {
  type ACTION_HEADERS,
  COMMON_HEADERS,
  type HeadersOf,
  SIGNATURE_HEADER,
} from '../../contract/outbound-headers.ts';
import type { OutboundRequest, SendPolicy } from '../context.ts';
import { unixSeconds } from '../sources.ts';
import { signatureHeader, signaturesIn } from './signature.ts';

/** The value of `X-Service-Trigger` by trigger. */
export const TRIGGER_HEADER_VALUES = {
  Event: 'event',
  'AI-decided': 'ai',
  Form: 'form',
} as const satisfies Record<Trigger, DeliveryRecord['trigger']>;

/** Returns the body as it is sent and logged: compact JSON; null on GET, which sends only the signature headers. */
export function actionPayload(action: Pick<Action, 'method'>, body: object): string | null {
  return action.method === 'GET' ? null : JSON.stringify(body);
}

/** Creates the signed request of an Action (spec "Outbound: Action request"). Exactly the signed bytes are sent. */
export function actionRequest(
  action: Pick<Action, 'trigger' | 'method' | 'url'>,
  input: {
    readonly payload: string | null;
    readonly triggerRef: string;
    readonly signingSecret: string;
    readonly now: Date;
  },
): OutboundRequest {
  const body = input.payload === null ? null : Buffer.from(input.payload);
  const signature = signatureHeader(input.signingSecret, unixSeconds(input.now), body);
  const headers: HeadersOf<typeof ACTION_HEADERS> = {
    ...COMMON_HEADERS,
    [SIGNATURE_HEADER]: signature,
    'X-Service-Trigger': TRIGGER_HEADER_VALUES[action.trigger],
    'X-Service-Trigger-Ref': input.triggerRef,
  };
  const withheldTexts = [...signaturesIn(signature), input.signingSecret];
  return { method: action.method, url: action.url, body, headers, withheldTexts };
}

/** Returns the quota against which the requests of an Action count. */
export const quotaOf = ({ org_id: orgId, daily_outbound_quota: perDay }: Action): SendPolicy['quota'] =>
  perDay == null ? undefined : { orgId, perDay };
