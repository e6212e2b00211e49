import type { Mutation } from '../../domain/organizations/audit.ts';
import type { ConfigurationStore } from '../../domain/organizations/store.ts';
import { actionStore } from './action-store.ts';
import { assistantStore } from './assistant-store.ts';
import type { DynamoDb } from './client.ts';
import { KEYS } from './configuration-keys.ts';
import { configurationReads } from './configuration-reads.ts';
import { configurationTransaction, type NamedWrites } from './configuration-transaction.ts';
import { organizationStore } from './organization-store.ts';
import { readActionOwner } from './stored-configuration.ts';
import { findItem } from './stored-item.ts';

/**
 * Creates the store of the configuration for the operator's command line and the dashboard. Every change is one transaction.
 * @param alongside as in configurationTransaction
 */
export function configurationStore(
  client: DynamoDb,
  table: string,
  alongside: (mutation: Mutation) => NamedWrites = () => ({}),
): ConfigurationStore {
  const reads = configurationReads(client, table);
  const transaction = configurationTransaction(client, table, alongside);
  const organizations = organizationStore(client, table);
  return {
    ...organizations,
    ...assistantStore(client, table, transaction),
    ...actionStore(table, transaction, organizations),
    findAssistant: reads.findAssistant,
    findAction: reads.findAction,
    findActionById: async (actionId) => {
      const owner = await findItem(client, table, KEYS.actionOwner(actionId), readActionOwner);
      return owner === undefined ? undefined : reads.findAction(owner.org_id, actionId);
    },

    listActions: (orgId) => reads.actionsOf(orgId),
  };
}
