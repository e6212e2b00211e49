import { createHmac } from 'node:crypto';
import { verifyUsageWebhook } from '@va-wave/receiver';

/**
 * Counts the tokens of each user and stops a conversation when its user has used up the budget. In production, use your database.
 * @param {{ key: string, tokensPerUser: number }} settings
 */
export function usageAccount({ key, tokensPerUser }) {
  const spent = new Map();
  const seen = new Set();
  /** Each user has a different secret, because the visitor can read the secret in the session token. */
  const secretOf = (userId) => createHmac('sha256', key).update(userId).digest('hex');

  return {
    secretOf,
    /** @throws VerificationError */
    report(rawBody, headers) {
      const report = verifyUsageWebhook(rawBody, headers, ({ user_id }) => secretOf(user_id));
      if (!seen.has(report.nonce)) {
        seen.add(report.nonce);
        spent.set(report.user_id, (spent.get(report.user_id) ?? 0) + report.usage.total_tokens);
      }
      return { should_continue: (spent.get(report.user_id) ?? 0) < tokensPerUser };
    },
  };
}
