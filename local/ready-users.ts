import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { dynamoDbClient } from '../src/adapters/aws-clients.ts';
import { dynamoDb } from '../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../src/adapters/dynamodb/configuration-store.ts';
import { members } from '../src/adapters/dynamodb/members.ts';
import { ensureUser } from '../src/adapters/user-pool.ts';
import type { Role } from '../src/contract/members.ts';
import { OUTPUTS } from '../src/contract/outputs.ts';
import { addMember } from '../src/domain/organizations/manage-members.ts';
import { type DemoCloud, outputOf } from './demo-cloud.ts';

export type ReadyUser = { readonly email: string; readonly password: string; readonly role: Role };

/** The users of the demo's dashboard. Their passwords are valid only for the demo on this machine. */
export const READY_USERS: readonly ReadyUser[] = [
  { email: 'admin@northwind.example', password: 'demo-admin', role: 'admin' },
  { email: 'member@northwind.example', password: 'demo-member', role: 'member' },
];

/**
 * Adds the ready users to an organization, as the operator's `member add` does.
 * @throws CloudError when the stack lacks an output
 */
export async function addReadyUsers(cloud: DemoCloud, orgId: string): Promise<void> {
  const config = { endpoint: cloud.gatewayUrl, region: cloud.region, credentials: cloud.credentials };
  const cognito = new CognitoIdentityProviderClient(config);
  const dynamo = dynamoDb(dynamoDbClient(config));
  const table = outputOf(cloud, OUTPUTS.configurationTable);
  try {
    for (const { email, password, role } of READY_USERS) {
      await addMember(
        orgId,
        { email, role },
        {
          store: configurationStore(dynamo, table),
          members: members(dynamo, table),
          ensureUser: ensureUser(cognito, outputOf(cloud, OUTPUTS.userPool), password),
          now: () => new Date(),
        },
      );
    }
  } finally {
    cognito.destroy();
  }
}
