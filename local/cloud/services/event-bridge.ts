import type { EventBridge } from '../engines/event-bridge.ts';
import { type AwsService, jsonRefusal, jsonResponse, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { objectsOf, optionalText, readJsonCall } from '../gateway/json-protocol.ts';

/** EventBridge: PutEvents with up to ten entries, each of which is accepted or refused separately. */
export function eventBridge(engine: EventBridge): AwsService {
  return {
    refuse: jsonRefusal('1.1'),
    understand(request) {
      const { operation, parameters } = readJsonCall(request);
      if (operation !== 'PutEvents') throw new UnknownOperation('events', operation);
      const entries = objectsOf(parameters, 'Entries');
      return {
        checks: entries.map((entry) => ({
          action: 'events:PutEvents',
          resource: engine.busArn(optionalText(entry, 'EventBusName')),
        })),
        async perform() {
          if (entries.length < 1 || entries.length > 10) {
            throw new ServiceError('ValidationException', 'Entries must hold one to ten events');
          }
          return jsonResponse('1.1', await engine.putEvents(entries));
        },
      };
    },
  };
}
