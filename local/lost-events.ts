import { dynamoDbClient } from '../src/adapters/aws-clients.ts';
import { dynamoDb } from '../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../src/adapters/dynamodb/configuration-store.ts';
import { ENDPOINT_FAILING } from '../src/contract/events.ts';
import { OUTPUTS } from '../src/deployment/outputs.ts';
import { checkEvent } from '../src/domain/events/put-event.ts';
import { Refusal } from '../src/domain/refusal.ts';
import { required } from './cloud/cloud-error.ts';
import type { EventCheck } from './cloud/services/event-bridge.ts';
import type { CloudAccess } from './cloud/start-cloud.ts';

/**
 * Returns the check of events that are put on the bus. On AWS the bus accepts every event, and the router reports later which ones reach no
 * Action. On one machine, a line at the terminal says it at once.
 * @param refuse whether PutEvents refuses such an event, for a platform in development
 */
export function lostEvents(refuse: boolean, print: (line: string) => void) {
  return ({ gatewayUrl, region, credentials, outputs }: CloudAccess): EventCheck => {
    const { configurationTable: name } = OUTPUTS;
    const table = required(outputs[name], `The stack has no output ${name}`);
    const all = configurationStore(dynamoDb(dynamoDbClient({ endpoint: gatewayUrl, region, credentials })), table);
    const findOrganization = rememberFound(all.findOrganization);
    const store = { ...all, findOrganization, findAssistant: rememberFound(all.findAssistant) };
    return async ({ name, source, detail: { org_id, site_id, data } }) => {
      // The service's own signal is for operators, and is meant for no Action.
      if (name === ENDPOINT_FAILING) return undefined;
      try {
        await checkEvent({ event: name, org_id, site_id, data }, { store });
        return undefined;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        print(`An event of ${source} ${refuse ? 'was refused' : 'reaches no Action'}: ${error.message}`);
        return refuse ? error : undefined;
      }
    };
  };
}

/** Keeps the values, so that a load test costs no read per event. The router reports the events of what has been deleted since. */
function rememberFound<Value>(find: (id: string) => Promise<Value | undefined>) {
  const valuesById = new Map<string, Value>();
  return async (id: string): Promise<Value | undefined> => {
    const value = valuesById.get(id) ?? (await find(id));
    if (value !== undefined) valuesById.set(id, value);
    return value;
  };
}
