import * as z from 'zod';

/** A header of an outbound request: its schema, and what the documents say of its value. */
type OutboundHeader = { readonly schema: z.ZodType<string>; readonly value: string };

/** The headers of every outbound request (spec "Versioning"). */
export const COMMON_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': 'Service-Integration/1.0' } as const;

/** The header that signs the body and its time, and covers no other header. */
export const SIGNATURE_HEADER = 'X-Service-Signature';

/** The further headers of an Action's request (spec "Outbound: Action request to the customer endpoint"). */
export const ACTION_HEADERS = {
  [SIGNATURE_HEADER]: { schema: z.string(), value: '`t=<unix seconds>,v1=<hex hmac-sha256>`' },
  'X-Service-Trigger': { schema: z.enum(['event', 'ai', 'form']), value: '`event`, `ai` or `form`' },
  'X-Service-Trigger-Ref': { schema: z.string(), value: 'event name, conversation id, or form submission id' },
} as const satisfies Record<string, OutboundHeader>;

/** The further headers of a usage webhook. */
export const USAGE_HEADERS = {
  'X-Webhook-Signature': {
    schema: z.string(),
    value: 'hex HMAC-SHA256 over the body with keys sorted and separators `,` and `:`, keyed by the `secret`',
  },
  'X-Webhook-Timestamp': { schema: z.string(), value: 'Unix seconds' },
} as const satisfies Record<string, OutboundHeader>;

/** The values of all headers of a request. One that is left out or not in its table does not compile. */
export type HeadersOf<Headers extends Readonly<Record<string, OutboundHeader>>> = typeof COMMON_HEADERS & {
  readonly [Name in keyof Headers]: z.infer<Headers[Name]['schema']>;
};
