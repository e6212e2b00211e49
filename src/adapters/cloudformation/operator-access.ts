import { type AwsAccess, cloudFormationClient } from '../aws-clients.ts';

/**
 * Finds region and credentials as the AWS CLI does: profiles, single sign-on, roles, environment. All clients share the result, so that
 * the operator enters an MFA code once and a role is assumed once.
 * @throws errors of the SDK when it finds no region
 */
export async function operatorAccess(access: AwsAccess): Promise<AwsAccess> {
  const { config } = cloudFormationClient(access);
  return { ...access, region: await config.region(), credentials: config.credentials };
}
