import { openDeployment } from '../../cli/deployment.ts';
import { cognitoClient } from '../../src/adapters/aws-clients.ts';
import { ensureUser } from '../../src/adapters/user-pool.ts';
import type { Role } from '../../src/contract/organizations.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { addMember } from '../../src/domain/organizations/manage-members.ts';
import type { DemoCloud } from './demo.ts';

type ReadyUser = { readonly email: string; readonly password: string; readonly role: Role };

/** The users of the demo's dashboard. Their passwords are valid only for the demo on this machine. */
export const READY_USERS: readonly ReadyUser[] = [
  { email: 'admin@northwind.example', password: 'demo-admin', role: 'admin' },
  { email: 'member@northwind.example', password: 'demo-member', role: 'member' },
];

/** Adds the ready users to an organization, as the operator's `member add` does. */
export async function addReadyUsers(
  { gatewayUrl: endpoint, region, credentials, outputs }: DemoCloud,
  orgId: string,
): Promise<void> {
  const access = { endpoint, region, credentials };
  const deployment = openDeployment(outputs, access);
  for (const { email, password, role } of READY_USERS) {
    const ensure = ensureUser(cognitoClient(access), outputs[OUTPUTS.userPool] ?? '', password);
    await addMember(orgId, { email, role }, { ...deployment, ensureUser: ensure });
  }
}
