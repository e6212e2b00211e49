import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { members } from '../../src/adapters/dynamodb/memberships.ts';
import type { Action } from '../../src/contract/actions.ts';
import { anAssistant, OPERATOR_AUTHOR, ORG_ID } from './configuration.ts';
import { MemoryTables, memoryDynamoDb } from './tables.ts';

export const CONFIGURATION = 'configuration';

/** Returns the service's store of the configuration and of its members over tables in memory, and what they hold. */
export function memoryConfiguration(tables = new MemoryTables(), auditClock?: () => Date) {
  const client = memoryDynamoDb(tables);
  return {
    ...configurationStore(client, CONFIGURATION, auditClock),
    members: members(client, CONFIGURATION),
    client,
    items: () => [...tables.items(CONFIGURATION)],
  };
}

/** Stores an organization with an assistant and its Actions, as the dashboard does. */
export async function storeOrganization(
  tables: MemoryTables,
  actions: readonly Action[],
  assistant = anAssistant(),
): Promise<void> {
  const store = memoryConfiguration(tables);
  await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'free', created_at: assistant.created_at });
  const created: string[] = [await store.createAssistant(assistant, 1, OPERATOR_AUTHOR)];
  for (const action of actions) created.push(await store.createAction(action, OPERATOR_AUTHOR));
  if (created.some((outcome) => outcome !== 'created')) throw new Error(`Not created: ${created}`);
}
