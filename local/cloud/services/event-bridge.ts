import type { EventBridge } from '../events/event-bridge.ts';
import { type AwsService, ServiceError } from '../gateway/aws-request.ts';
import { jsonResponse, jsonService, objectsOf, optionalText } from '../gateway/json-protocol.ts';

/** EventBridge: PutEvents with up to ten entries, each of which is accepted or refused separately. */
export const eventBridge = (engine: EventBridge): AwsService =>
  jsonService('events', {
    PutEvents: {
      checks: (parameters) =>
        objectsOf(parameters, 'Entries').map((entry) => ({
          action: 'events:PutEvents',
          resource: engine.busArn(optionalText(entry, 'EventBusName')),
        })),
      answer: async (parameters) => {
        const entries = objectsOf(parameters, 'Entries');
        if (entries.length < 1 || entries.length > 10) {
          throw new ServiceError('ValidationException', 'Entries must hold one to ten events');
        }
        return jsonResponse(await engine.putEvents(entries));
      },
    },
  });
