import * as z from 'zod';
import { jsonObject } from './json.ts';

/** Response of session create (spec "Session token"). */
export type SessionCreateResponse = {
  readonly success: true;
  readonly session_token: string;
  readonly site_id: string;
  /** ISO 8601 with UTC offset. */
  readonly expires_at: string;
  readonly expires_in_seconds: number;
};

/** Payload of the session token. Its fields are open in the spec. The visitor can read them. */
export const sessionClaims = z.object({
  /** User id. */
  sub: z.string(),
  /** Session id. */
  jti: z.string(),
  site_id: z.string(),
  user_name: z.string().optional(),
  user_email: z.string().optional(),
  context: jsonObject.optional(),
  usage_webhook: z.object({ url: z.string(), secret: z.string() }).optional(),
  /** Unix seconds. */
  iat: z.int(),
  /** Unix seconds. */
  exp: z.int(),
});
export type SessionClaims = z.infer<typeof sessionClaims>;
