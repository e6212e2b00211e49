import type { PutEventsRequest, PutEventsResponse } from '@aws-sdk/client-eventbridge';
import type { AwsAccess } from '../aws/access.ts';
import { type JsonService, jsonService } from '../aws/json-service.ts';

/** The call that the adapter makes. */
export type EventBridge = JsonService<{ PutEvents: { input: PutEventsRequest; output: PutEventsResponse } }>;

/** One client per container; three seconds for an attempt. */
export function eventBridge(access: AwsAccess = {}): EventBridge {
  const api = { name: 'events', target: 'AWSEvents', jsonVersion: '1.1', endpointVariable: 'EVENTBRIDGE' } as const;
  return jsonService(api, access, { timeoutMs: 3000 });
}
