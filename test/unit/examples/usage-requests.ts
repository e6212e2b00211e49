import { randomUUID } from 'node:crypto';
import type { OutboundRequest } from '../../../src/domain/context.ts';
import { reportUsage } from '../../../src/domain/usage/report-usage.ts';
import { anAssistant } from '../../fakes/configuration.ts';
import { attemptFakes } from '../../fakes/delivery.ts';
import { fakeConfiguration, fakeTokens, someClaims } from '../../fakes/widget.ts';

/** Builds the usage webhook request of a turn, with 154 tokens by default. */
export async function usageRequest(session: {
  readonly now: Date;
  readonly secret: string;
  readonly userId: string;
  readonly totalTokens?: number;
}): Promise<OutboundRequest> {
  const { now, secret, userId, totalTokens = 154 } = session;
  const { outbound, context, invocation } = attemptFakes();
  await reportUsage(
    {
      session_token: 'token',
      usage: { input_tokens: 120, output_tokens: 34, total_tokens: totalTokens, tts_chars: 0, tts_provider: null },
    },
    {
      ...context,
      tokens: fakeTokens({
        verifyTokenOfTurn: async () =>
          someClaims({ sub: userId, usage_webhook: { url: 'https://backend.example/usage', secret } }),
      }),
      configuration: fakeConfiguration({ findAssistant: async () => anAssistant() }),
    },
    { ...invocation, now: () => now, newId: randomUUID },
  );
  const [request] = outbound.requests;
  if (request === undefined) throw new Error('Nothing was reported');
  return request;
}
