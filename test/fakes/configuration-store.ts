import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { MemoryTables, memoryDynamoDb } from './tables.ts';

export const CONFIGURATION = 'configuration';

/** Returns the service's store of the configuration over tables in memory, and what they hold. */
export function memoryConfiguration() {
  const tables = new MemoryTables();
  const client = memoryDynamoDb(tables);
  return { ...configurationStore(client, CONFIGURATION), client, items: () => [...tables.items(CONFIGURATION)] };
}
