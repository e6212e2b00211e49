import { createHmac } from 'node:crypto';

/**
 * Counts the tokens of each user and stops a conversation when its user has used up the budget. In production, use your database.
 * @param {{ key: string, tokensPerUser: number }} settings
 */
export function usageAccount({ key, tokensPerUser }) {
  const spent = new Map();
  const seen = new Set();

  return {
    /** Each user has a different secret, because the visitor can read the secret in the session token. */
    secretOf: (userId) => createHmac('sha256', key).update(userId).digest('hex'),
    /** @param {import('@va-wave/receiver').UsageReport} report a verified one */
    count: ({ user_id, nonce, usage }) => {
      const before = spent.get(user_id) ?? 0;
      if (!seen.has(nonce)) spent.set(user_id, before + usage.total_tokens);
      seen.add(nonce);
      return { should_continue: (spent.get(user_id) ?? 0) < tokensPerUser };
    },
  };
}
