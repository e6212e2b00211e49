import { readFileSync } from 'node:fs';
import { verifyAction, verifyUsageWebhook } from '../../../packages/receiver/src/index.ts';
import { signatureHeader } from '../../../src/domain/delivery/signature.ts';

type Vector = {
  readonly name: string;
  readonly secret: string;
  readonly timestamp: number;
  readonly body: string;
  readonly signature: string;
};
type ActionVector = Vector & { readonly trigger: string; readonly trigger_ref: string };

const file = new URL('../../../packages/receiver/vectors.json', import.meta.url);
const vectors: { readonly actions: ActionVector[]; readonly usage_webhooks: Vector[] } = JSON.parse(
  readFileSync(file, 'utf8'),
);

describe('the fixed vectors', () => {
  test.each(vectors.actions)('Action: $name', ({ secret, timestamp, body, signature, trigger, trigger_ref }) => {
    expect(signatureHeader(secret, timestamp, Buffer.from(body))).toBe(signature);
    const headers = {
      'X-Service-Signature': signature,
      'X-Service-Trigger': trigger,
      'X-Service-Trigger-Ref': trigger_ref,
    };
    const action = verifyAction(Buffer.from(body), headers, secret, { now: () => timestamp * 1000 });
    expect(action.timestamp).toBe(timestamp);
    expect(action.body).toEqual(body === '' ? null : JSON.parse(body));
  });

  test.each(vectors.usage_webhooks)('usage webhook: $name', ({ secret, timestamp, body, signature }) => {
    const headers = { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': String(timestamp) };
    const options = { now: () => timestamp * 1000 };
    expect(verifyUsageWebhook(body, headers, secret, options)).toEqual(JSON.parse(body));
    const formatted = JSON.stringify(JSON.parse(body), null, 2);
    expect(verifyUsageWebhook(formatted, headers, secret, options)).toEqual(JSON.parse(body));
  });
});
