import Stripe from 'stripe';
import { type UsageSecret, VerificationError, verifyUsageWebhook } from '../../packages/receiver/src/index.ts';
import type { SignedHeaders } from './feed.ts';

/** The age beyond which a signature is refused, so that a captured request cannot be used for long. */
const TOLERANCE_SECONDS = 300;

export type Verification =
  | { readonly verified: true; readonly payload: Record<string, unknown> }
  /** Status as the spec's reference receivers answer: 400 for the header or its age, 401 for the digest. */
  | { readonly verified: false; readonly status: 400 | 401; readonly problem: string };

/** Checks a request with Stripe's library, which knows the scheme of the service's signature. */
export function verifyRequest(rawBody: Buffer, header: string, secret: string): Verification {
  try {
    // Parsed only after the raw bytes were verified.
    const payload: unknown = Stripe.webhooks.constructEvent(rawBody, header, secret, TOLERANCE_SECONDS);
    return { verified: true, payload: { ...(typeof payload === 'object' ? payload : {}) } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const problem = firstLine(error.message);
    return { verified: false, status: problem.startsWith('No signatures found matching') ? 401 : 400, problem };
  }
}

/** Checks a usage webhook with the package that customers install. */
export function verifyUsage(rawBody: Buffer, headers: SignedHeaders, secret: UsageSecret): Verification {
  try {
    return { verified: true, payload: { ...verifyUsageWebhook(rawBody, headers, secret) } };
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    return { verified: false, status: error.status === 401 ? 401 : 400, problem: error.message };
  }
}

function firstLine(message: string): string {
  return (message.trim().split(/\.\s|\n/)[0] ?? '').slice(0, 200);
}
