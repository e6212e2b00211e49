import { type AwsAccess, cloudFormationClient } from '../aws-clients.ts';

/**
 * Region and credentials as an operator's other tools find them: profiles, single sign-on, roles, the environment. Found once, for
 * all clients together: a person is asked for one code, and a role is assumed once.
 * @throws the SDK's errors when it finds no region
 */
export async function operatorAccess(access: AwsAccess): Promise<AwsAccess> {
  const { config } = cloudFormationClient(access);
  return { ...access, region: await config.region(), credentials: config.credentials };
}
