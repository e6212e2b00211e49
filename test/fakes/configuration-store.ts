import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { members } from '../../src/adapters/dynamodb/memberships.ts';
import { MemoryTables, memoryDynamoDb } from './tables.ts';

export const CONFIGURATION = 'configuration';

/** Returns the service's store of the configuration and of its members over tables in memory, and what they hold. */
export function memoryConfiguration() {
  const tables = new MemoryTables();
  const client = memoryDynamoDb(tables);
  return {
    ...configurationStore(client, CONFIGURATION),
    members: members(client, CONFIGURATION),
    client,
    items: () => [...tables.items(CONFIGURATION)],
  };
}
