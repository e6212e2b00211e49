import type { EventBridge } from '../engines/event-bridge.ts';
import { type AwsService, jsonRefusal, jsonResponse, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { objectsOf, optionalText, readJsonCall } from '../gateway/json-protocol.ts';
import type { Json } from '../json.ts';

/** EventBridge: PutEvents, up to ten entries, each judged alone. */
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
          keys: { 'events:source': plain(entry.Source), 'events:detail-type': plain(entry.DetailType) },
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

/** What an entry says wrongly is judged with the entry, not with the call. */
const plain = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
